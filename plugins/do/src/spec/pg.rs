//! The spec of `do.database.pg`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::JsonSchema;

/// A managed PostgreSQL cluster.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Data centre, such as `nyc3`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{2,16}$"))]
    pub region: String,
    /// Size of each node, such as `db-s-1vcpu-1gb`.
    #[schemars(regex(pattern = r"^[a-z0-9_.-]{1,64}$"))]
    pub size: String,
    /// Nodes, the primary included.
    #[schemars(range(min = 1, max = 3))]
    pub num_nodes: u8,
    /// Major version of PostgreSQL, such as `16`. It can only rise. Left out: the provider's newest.
    #[schemars(regex(pattern = r"^[0-9]{1,2}$"))]
    pub version: Option<String>,
    /// Storage of the whole cluster in MiB; which amounts there are depends on the size.
    #[schemars(range(min = 1))]
    pub storage_size_mib: Option<u64>,
    /// Tags to create the cluster with. Those that start with `better-compute-` are the host's.
    #[schemars(length(max = 32), inner(regex(pattern = r"^[a-zA-Z0-9_:-]{1,255}$")))]
    pub tags: Option<Vec<String>>,
    /// VPC to live in, by the provider's id.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub private_network_uuid: Option<String>,
    /// One of the tenant's networks to live in.
    #[schemars(extend("x-networks" = true), length(min = 1, max = 128))]
    pub network: Option<String>,
    /// The tenant's instances that may connect.
    #[schemars(extend("x-instances" = true), length(max = 64), inner(length(min = 1, max = 128)))]
    pub instances: Option<Vec<String>>,
    /// Project to put the cluster into, by the provider's id.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub project_id: Option<String>,
    /// Who may connect, from the start. None: everyone who has the password. A firewall of the cluster
    /// replaces them.
    #[schemars(length(max = 100))]
    pub rules: Option<Vec<Rule>>,
    /// Growing storage by itself.
    pub autoscale: Option<Autoscale>,
    /// Own names of the cluster.
    pub do_settings: Option<DoSettings>,
    /// Backup of another cluster to start from.
    pub backup_restore: Option<BackupRestore>,
    /// Settings of PostgreSQL. Those left out stay as they are.
    #[schemars(extend("maxProperties" = 64))]
    pub config: Option<Map<String, Value>>,
    /// When updates may be installed.
    pub maintenance: Option<Maintenance>,
}

/// A source that may connect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// What `value` is.
    #[serde(rename = "type")]
    pub source: RuleSource,
    /// An address or range for `ip_addr`, an id or tag of the account otherwise.
    #[schemars(length(min = 1, max = 255))]
    pub value: String,
    /// For people.
    #[schemars(length(max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Kinds of source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleSource {
    /// An IP address or CIDR range.
    IpAddr,
    /// A Droplet's id.
    Droplet,
    /// A Kubernetes cluster's id.
    K8s,
    /// A Droplet tag.
    Tag,
    /// An app's id.
    App,
}

/// What grows by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Autoscale {
    /// Storage.
    pub storage: StorageAutoscale,
}

/// When and by how much storage grows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StorageAutoscale {
    /// Whether it grows.
    pub enabled: bool,
    /// Used share at which it grows, in percent.
    #[schemars(range(min = 15, max = 95))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold_percent: Option<u8>,
    /// GiB that it grows by.
    #[schemars(range(min = 10, max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub increment_gib: Option<u16>,
}

/// Settings at the provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DoSettings {
    /// Host names that are CNAMEs of the cluster. Changing them replaces nodes, one after another.
    #[schemars(
        length(max = 16),
        inner(
            length(max = 253),
            regex(pattern = r"^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)+$")
        )
    )]
    pub service_cnames: Vec<String>,
}

/// Which backup.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupRestore {
    /// Name of the cluster that was backed up.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 63))]
    pub database_name: String,
    /// Time of the backup, RFC 3339. Left out: the newest.
    #[schemars(length(max = 40))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backup_created_at: Option<String>,
}

/// A weekly window.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Maintenance {
    /// Day of the week.
    pub day: Day,
    /// Start, `HH:MM` in UTC.
    #[schemars(regex(pattern = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"))]
    pub hour: String,
}

/// A day of the week.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Day {
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
}
