//! A secret as its owner may see it: never its value.

use berth_domain::id::ResourceId;
use berth_domain::platform::SecretInfo;
use berth_domain::secret::{SecretName, SecretRef};
use berth_domain::time::Millis;
use serde::Serialize;

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    /// What stands for it in a spec.
    #[serde(rename = "ref")]
    pub reference: SecretRef,
    /// Its name.
    pub name: SecretName,
    /// Counts writes, from 1.
    pub version: u64,
    /// The resource that it is an output of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
    /// When it was first written, in epoch ms.
    pub created_at: Millis,
    /// When it was last written, in epoch ms.
    pub updated_at: Millis,
}

impl From<SecretInfo> for SecretView {
    fn from(info: SecretInfo) -> Self {
        Self {
            name: info.reference.name().clone(),
            reference: info.reference,
            version: info.version,
            resource_id: info.resource_id,
            created_at: info.created_at,
            updated_at: info.updated_at,
        }
    }
}
