//! Where logs of a component go.

use schemars::JsonSchema;

/// One destination: exactly one of its services is given.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogDestination {
    /// Name in the app.
    #[schemars(length(min = 2, max = 42))]
    pub name: String,
    /// Papertrail.
    pub papertrail: Option<Papertrail>,
    /// Datadog.
    pub datadog: Option<Datadog>,
    /// Logtail.
    pub logtail: Option<Logtail>,
    /// OpenSearch.
    pub open_search: Option<OpenSearch>,
}

/// Papertrail.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Papertrail {
    /// `host:port` of the account there.
    #[schemars(length(min = 1, max = 255))]
    pub endpoint: String,
}

/// Datadog.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Datadog {
    /// Intake URL.
    #[schemars(length(min = 1, max = 255))]
    pub endpoint: Option<String>,
    /// API key, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub api_key: String,
}

/// Logtail.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Logtail {
    /// Source token, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub token: String,
}

/// OpenSearch: an own endpoint, or a cluster of the account by its name.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSearch {
    /// `https://host:port`.
    #[schemars(length(min = 1, max = 255))]
    pub endpoint: Option<String>,
    /// Credentials of the endpoint.
    pub basic_auth: Option<BasicAuth>,
    /// Index to write to.
    #[schemars(length(min = 1, max = 255))]
    pub index_name: Option<String>,
    /// Cluster of the account.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 63))]
    pub cluster_name: Option<String>,
}

/// A user and its password.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicAuth {
    /// User.
    #[schemars(length(min = 1, max = 255))]
    pub user: String,
    /// Password, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub password: String,
}
