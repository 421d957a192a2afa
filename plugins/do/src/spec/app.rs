//! The spec of `do.app`: the provider's own app spec without its name, which is the host's.
//!
//! It is written as the provider takes it, so a spec goes out as it is; [`wire`] only takes away
//! what is not the app's.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

mod component;
mod log;
mod routing;

pub use component::*;
pub use log::*;
pub use routing::*;

/// An app on App Platform.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// App region, such as `nyc` (not a data centre such as `nyc3`).
    pub region: Region,
    /// Project to put the app into, by the provider's id.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
    /// What answers requests.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub services: Option<Vec<Service>>,
    /// Files served as they are built.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_sites: Option<Vec<StaticSite>>,
    /// What runs without answering requests.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workers: Option<Vec<Worker>>,
    /// What runs around deployments.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jobs: Option<Vec<Job>>,
    /// Functions.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub functions: Option<Vec<Function>>,
    /// Databases of the app, or of the account by cluster name.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub databases: Option<Vec<Database>>,
    /// Own domains.
    #[schemars(length(max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Vec<Domain>>,
    /// Where requests go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ingress: Option<Ingress>,
    /// Where requests of the app come from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<Egress>,
    /// Taking the app off line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maintenance: Option<AppMaintenance>,
    /// VPC of the app.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vpc: Option<Vpc>,
    /// Answer without the edge cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_edge_cache: Option<bool>,
    /// Leave e-mail addresses in pages as they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_email_obfuscation: Option<bool>,
    /// Check visitors before they get an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enhanced_threat_control_enabled: Option<bool>,
}

/// Regions of App Platform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// Atlanta.
    Atl,
    /// New York.
    Nyc,
    /// San Francisco.
    Sfo,
    /// Toronto.
    Tor,
    /// Amsterdam.
    Ams,
    /// Frankfurt.
    Fra,
    /// London.
    Lon,
    /// Bangalore.
    Blr,
    /// Singapore.
    Sgp,
    /// Sydney.
    Syd,
}

/// A database that components can refer to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// Name in the app.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$"))]
    pub name: String,
    /// Cluster of the account, by its name. Left out: a development database inside the app.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 63))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_name: Option<String>,
    /// Database in the cluster.
    #[schemars(length(min = 1, max = 63))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub db_name: Option<String>,
    /// User in the cluster.
    #[schemars(length(min = 1, max = 63))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub db_user: Option<String>,
    /// Database engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<Engine>,
    /// Whether it is a managed cluster rather than a development database.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub production: Option<bool>,
    /// Version of the engine.
    #[schemars(length(min = 1, max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Database engines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Engine {
    /// MySQL.
    Mysql,
    /// PostgreSQL.
    Pg,
    /// Redis.
    Redis,
    /// MongoDB.
    Mongodb,
    /// Kafka.
    Kafka,
    /// OpenSearch.
    Opensearch,
    /// Valkey.
    Valkey,
}

/// Where outgoing requests come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Egress {
    /// Kind of address.
    #[serde(rename = "type")]
    pub address: EgressAddress,
}

/// Kinds of outgoing address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EgressAddress {
    /// Any of the provider's.
    Autoassign,
    /// One of the app's own.
    DedicatedIp,
}

/// Taking an app off line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppMaintenance {
    /// Answer with the offline page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Stop the app's components.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<bool>,
    /// Page to show.
    #[schemars(length(max = 2048))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offline_page_url: Option<String>,
}

/// A VPC.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vpc {
    /// Its id at the provider.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub id: String,
}
