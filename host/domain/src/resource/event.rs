//! What is published about a resource.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::row::Resource;

/// The contract's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EventType {
    /// Recorded.
    #[serde(rename = "cloud.resource.created")]
    Created,
    /// Ready for the first time.
    #[serde(rename = "cloud.resource.ready")]
    Ready,
    /// Entered `error`.
    #[serde(rename = "cloud.resource.failed")]
    Failed,
    /// A change of spec was accepted.
    #[serde(rename = "cloud.resource.updating")]
    Updating,
    /// A change of spec was applied.
    #[serde(rename = "cloud.resource.updated")]
    Updated,
    /// Marked for deletion.
    #[serde(rename = "cloud.resource.deleting")]
    Deleting,
    /// Gone.
    #[serde(rename = "cloud.resource.deleted")]
    Deleted,
    /// Recorded, to be taken over.
    #[serde(rename = "cloud.resource.adopted")]
    Adopted,
    /// To be let go.
    #[serde(rename = "cloud.resource.releasing")]
    Releasing,
    /// Let go.
    #[serde(rename = "cloud.resource.released")]
    Released,
}

impl EventType {
    /// Its name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Created => "cloud.resource.created",
            Self::Ready => "cloud.resource.ready",
            Self::Failed => "cloud.resource.failed",
            Self::Updating => "cloud.resource.updating",
            Self::Updated => "cloud.resource.updated",
            Self::Deleting => "cloud.resource.deleting",
            Self::Deleted => "cloud.resource.deleted",
            Self::Adopted => "cloud.resource.adopted",
            Self::Releasing => "cloud.resource.releasing",
            Self::Released => "cloud.resource.released",
        }
    }
}

/// An event before the store gives it its id and place.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    /// What happened.
    pub event: EventType,
    /// To what, in what state. Names of outputs, never their values.
    pub payload: Value,
}

impl EventDraft {
    /// The event about a row as it now is.
    #[must_use]
    pub fn about(event: EventType, row: &Resource) -> Self {
        let mut payload = json!({
            "resourceId": row.id,
            "tenantId": row.tenant,
            "poolId": row.pool,
            "kind": row.kind,
            "family": row.family,
            "name": row.name,
            "state": row.state,
            "version": row.version,
        });
        if let Value::Object(members) = &mut payload {
            if let Some(project) = &row.project {
                members.insert("projectId".into(), json!(project));
            }
            if let Some(parent) = &row.parent {
                members.insert("parentId".into(), json!(parent));
            }
            match event {
                EventType::Ready => {
                    members.insert("outputs".into(), row.outputs.keys().cloned().collect());
                    members.insert(
                        "secretOutputs".into(),
                        row.secret_outputs.keys().cloned().collect(),
                    );
                }
                EventType::Failed => {
                    members.insert("message".into(), json!(row.message));
                }
                _ => {}
            }
        }
        Self { event, payload }
    }
}
