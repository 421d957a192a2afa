//! Plugin generations: their components and what they said of themselves.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::platform::GenerationRecord;
use berth_domain::time::Millis;

use super::Created;
use crate::StoreError;

/// Generations.
#[async_trait]
pub trait Plugins: Send + Sync {
    /// Stores a generation, inactive; `Taken` if the digest is stored already.
    async fn put_generation(
        &self,
        record: &GenerationRecord,
        component: Vec<u8>,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Makes a generation the active one of its plugin and the others inactive; `false` if there is none such.
    async fn activate_generation(
        &self,
        plugin: &str,
        digest: &str,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// All generations, or one plugin's, newest first, without components.
    async fn generations(&self, plugin: Option<&str>) -> Result<Vec<GenerationRecord>, StoreError>;
    /// One generation.
    async fn generation(&self, digest: &str) -> Result<Option<GenerationRecord>, StoreError>;
    /// A generation's component.
    async fn component(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError>;
}
