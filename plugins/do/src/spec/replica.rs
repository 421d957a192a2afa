//! The spec of `do.database.replica`.

use serde::Deserialize;

use super::pg::DoSettings;
use crate::JsonSchema;

/// A read-only replica of a database cluster: one node.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What the replica is called in the cluster.
    #[schemars(regex(pattern = r"^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$"))]
    pub name: String,
    /// Data centre, such as `nyc3`; it may be another than the cluster's.
    #[schemars(regex(pattern = r"^[a-z0-9-]{2,16}$"))]
    pub region: String,
    /// Size of the node, at least that of the cluster's nodes.
    #[schemars(regex(pattern = r"^[a-z0-9_.-]{1,64}$"))]
    pub size: String,
    /// Storage in MiB; which amounts there are depends on the size.
    #[schemars(range(min = 1))]
    pub storage_size_mib: Option<u64>,
    /// VPC to live in, by the provider's id.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub private_network_uuid: Option<String>,
    /// One of the tenant's networks to live in.
    #[schemars(extend("x-networks" = true), length(min = 1, max = 128))]
    pub network: Option<String>,
    /// Own names of the replica.
    pub do_settings: Option<DoSettings>,
}
