//! The schema of `do.app`: the provider's own app spec without its name, which is the host's.
//!
//! Only the build script compiles these types. The plugin takes an app's spec as the JSON that the
//! host validated by this schema, and sends it on as it is: fifty types that would read and write
//! the same JSON made two thirds of the component.

use schemars::JsonSchema;

mod component;
mod log;
mod routing;

pub use component::*;
pub use log::*;
pub use routing::*;

/// An app on App Platform.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// App region, such as `nyc` (not a data centre such as `nyc3`).
    pub region: Region,
    /// Project to put the app into, by the provider's id.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub project_id: Option<String>,
    /// What answers requests.
    #[schemars(length(max = 32))]
    pub services: Option<Vec<Service>>,
    /// Files served as they are built.
    #[schemars(length(max = 32))]
    pub static_sites: Option<Vec<StaticSite>>,
    /// What runs without answering requests.
    #[schemars(length(max = 32))]
    pub workers: Option<Vec<Worker>>,
    /// What runs around deployments.
    #[schemars(length(max = 32))]
    pub jobs: Option<Vec<Job>>,
    /// Functions.
    #[schemars(length(max = 32))]
    pub functions: Option<Vec<Function>>,
    /// Databases of the app, or of the account by cluster name.
    #[schemars(length(max = 32))]
    pub databases: Option<Vec<Database>>,
    /// Own domains.
    #[schemars(length(max = 64))]
    pub domains: Option<Vec<Domain>>,
    /// Where requests go.
    pub ingress: Option<Ingress>,
    /// Where requests of the app come from.
    pub egress: Option<Egress>,
    /// Taking the app off line.
    pub maintenance: Option<AppMaintenance>,
    /// VPC of the app.
    pub vpc: Option<Vpc>,
    /// Answer without the edge cache.
    pub disable_edge_cache: Option<bool>,
    /// Leave e-mail addresses in pages as they are.
    pub disable_email_obfuscation: Option<bool>,
    /// Check visitors before they get an answer.
    pub enhanced_threat_control_enabled: Option<bool>,
}

/// Regions of App Platform.
#[derive(JsonSchema)]
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
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Database {
    /// Name in the app.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9-]{0,30}[a-z0-9]$"))]
    pub name: String,
    /// Cluster of the account, by its name. Left out: a development database inside the app.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 63))]
    pub cluster_name: Option<String>,
    /// Database in the cluster.
    #[schemars(length(min = 1, max = 63))]
    pub db_name: Option<String>,
    /// User in the cluster.
    #[schemars(length(min = 1, max = 63))]
    pub db_user: Option<String>,
    /// Database engine.
    pub engine: Option<Engine>,
    /// Whether it is a managed cluster rather than a development database.
    pub production: Option<bool>,
    /// Version of the engine.
    #[schemars(length(min = 1, max = 32))]
    pub version: Option<String>,
}

/// Database engines.
#[derive(JsonSchema)]
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
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Egress {
    /// Kind of address.
    #[serde(rename = "type")]
    pub address: EgressAddress,
}

/// Kinds of outgoing address.
#[derive(JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EgressAddress {
    /// Any of the provider's.
    Autoassign,
    /// One of the app's own.
    DedicatedIp,
}

/// Taking an app off line.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppMaintenance {
    /// Answer with the offline page.
    pub enabled: Option<bool>,
    /// Stop the app's components.
    pub archive: Option<bool>,
    /// Page to show.
    #[schemars(length(max = 2048))]
    pub offline_page_url: Option<String>,
}

/// A VPC.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vpc {
    /// Its id at the provider.
    #[schemars(extend("x-account-wide" = true), regex(pattern = r"^[0-9a-f-]{36}$"))]
    pub id: String,
}
