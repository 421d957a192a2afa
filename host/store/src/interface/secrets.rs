//! Sealed secrets. The store holds bytes that only the vault can open.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{ResourceId, TenantId};
use berth_domain::platform::SecretInfo;
use berth_domain::secret::SecretName;
use berth_domain::time::Millis;

use super::Page;
use crate::StoreError;

/// A sealed secret as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedSecret {
    /// What may be shown.
    pub info: SecretInfo,
    /// What the vault sealed, bound to tenant, name and version.
    pub sealed: Vec<u8>,
}

/// A secret to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSecret {
    /// Whose.
    pub tenant: TenantId,
    /// Its name.
    pub name: SecretName,
    /// The version that it was sealed for: one more than the last, 1 for a new one.
    pub version: u64,
    /// What the vault sealed.
    pub sealed: Vec<u8>,
    /// The resource that it is an output of.
    pub resource: Option<ResourceId>,
    /// When.
    pub at: Millis,
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SecretChange {
    /// Stored.
    Stored,
    /// Another write came first: seal again for the version after this one (0: it is gone).
    Stale(u64),
    /// The key that it was sealed with was retired meanwhile: seal it again with the one in force.
    KeyRetired,
}

/// Sealed secrets.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// Stores a version if it is the next one.
    async fn put_secret(
        &self,
        secret: NewSecret,
        audit: Vec<AuditRow>,
    ) -> Result<SecretChange, StoreError>;
    /// The current version.
    async fn secret(
        &self,
        tenant: &TenantId,
        name: &SecretName,
    ) -> Result<Option<SealedSecret>, StoreError>;
    /// Destroys all versions; `false` if there is none such.
    async fn delete_secret(
        &self,
        tenant: &TenantId,
        name: &SecretName,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// A tenant's secrets without their bytes, in pages ordered by name.
    async fn secrets(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<SecretInfo>, StoreError>;
}
