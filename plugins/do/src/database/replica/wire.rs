//! What the API gives.

use berth_sdk::types::Label;
use serde::{Deserialize, Serialize};

use super::super::child::Child;
use super::super::connection::{Connections, endpoint, present};
use super::SIZES;
use crate::spec::replica::Spec;
use crate::tags;

#[derive(Debug, Deserialize)]
pub(super) struct ReplicaAnswer {
    replica: Found,
}

#[derive(Debug, Deserialize)]
pub(super) struct Replicas {
    replicas: Option<Vec<Found>>,
}

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Found {
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) region: Option<String>,
    pub(super) size: Option<String>,
    status: Option<String>,
    tags: Option<Vec<String>>,
    pub(super) storage_size_mib: Option<u64>,
    pub(super) private_network_uuid: Option<String>,
    created_at: Option<String>,
    #[serde(flatten)]
    pub(super) connections: Connections,
}

impl Child for Found {
    const COLLECTION: &'static str = "replicas";
    const WORD: &'static str = "replica";
    type One = ReplicaAnswer;
    type All = Replicas;

    fn name(&self) -> &str {
        &self.name
    }
}

impl From<ReplicaAnswer> for Found {
    fn from(answer: ReplicaAnswer) -> Self {
        answer.replica
    }
}

impl From<Replicas> for Vec<Found> {
    fn from(replicas: Replicas) -> Self {
        replicas.replicas.unwrap_or_default()
    }
}

impl Found {
    pub(super) fn id(&self) -> Option<&str> {
        self.id.as_deref().filter(|id| !id.is_empty())
    }

    /// The document calls it `online`, its sentences `active`.
    pub(super) fn is_online(&self) -> bool {
        matches!(self.status.as_deref(), Some("online" | "active"))
    }

    pub(super) fn labels(&self, wanted: &[Label]) -> Vec<Label> {
        tags::TAGS.labels(self.tags.as_deref().unwrap_or_default(), wanted)
    }

    /// Sizes that it does not show as wanted. What it does not show can't be compared.
    pub(super) fn open(&self, spec: &Spec) -> Vec<&'static str> {
        let size = self.size.as_ref().is_some_and(|shown| *shown != spec.size);
        let storage = matches!(
            (spec.storage_size_mib, self.storage_size_mib),
            (Some(wanted), Some(shown)) if wanted != shown
        );
        SIZES
            .into_iter()
            .zip([size, storage])
            .filter_map(|(field, open)| open.then_some(field))
            .collect()
    }
}

/// The plain outputs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Outputs {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_host: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    private_port: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    storage_size_mib: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
}

impl Outputs {
    pub(super) fn of(replica: &Found) -> Self {
        let connections = &replica.connections;
        let (host, port) = endpoint(connections.connection.as_ref());
        let (private_host, private_port) = endpoint(connections.private_connection.as_ref());
        Self {
            status: present(replica.status.clone()),
            host,
            port,
            database: connections.of_main(|connection| &connection.database),
            user: connections.of_main(|connection| &connection.user),
            private_host,
            private_port,
            region: replica.region.clone(),
            size: replica.size.clone(),
            storage_size_mib: replica.storage_size_mib,
            created_at: replica.created_at.clone(),
        }
    }
}
