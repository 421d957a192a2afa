//! The master keys that secrets are sealed with: which are in use, and which must not be any more.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::secret::SecretRef;
use berth_domain::time::Millis;

use super::SealedSecret;
use crate::StoreError;

/// Names a master key; it stands in each secret that is sealed with it.
pub type SealKey = [u8; 8];

/// A secret that was sealed again, with another key and unchanged otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resealed {
    /// Which.
    pub reference: SecretRef,
    /// What stands in the store.
    pub was: Vec<u8>,
    /// What is to stand there.
    pub sealed: Vec<u8>,
}

/// Sealing keys.
#[async_trait]
pub trait SealKeys: Send + Sync {
    /// How many secrets are sealed with each key.
    async fn key_usage(&self) -> Result<Vec<(SealKey, u64)>, StoreError>;
    /// Secrets sealed with another key than this, ordered by reference, after one.
    async fn sealed_otherwise(
        &self,
        key: SealKey,
        after: Option<&SecretRef>,
        limit: u32,
    ) -> Result<Vec<SealedSecret>, StoreError>;
    /// Replaces what did not change meanwhile; says how many that were.
    async fn reseal(&self, secrets: Vec<Resealed>) -> Result<u64, StoreError>;
    /// From now on nothing that is sealed with these keys is stored.
    async fn retire_keys(
        &self,
        keys: Vec<SealKey>,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<(), StoreError>;
    /// Whether a key is retired.
    async fn is_retired(&self, key: SealKey) -> Result<bool, StoreError>;
}
