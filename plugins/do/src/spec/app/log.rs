//! Where logs of a component go.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// One destination: exactly one of its services is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogDestination {
    /// Name in the app.
    #[schemars(length(min = 2, max = 42))]
    pub name: String,
    /// Papertrail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub papertrail: Option<Papertrail>,
    /// Datadog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub datadog: Option<Datadog>,
    /// Logtail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logtail: Option<Logtail>,
    /// OpenSearch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_search: Option<OpenSearch>,
}

/// Papertrail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Papertrail {
    /// `host:port` of the account there.
    #[schemars(length(min = 1, max = 255))]
    pub endpoint: String,
}

/// Datadog.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Datadog {
    /// Intake URL.
    #[schemars(length(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// API key, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub api_key: String,
}

/// Logtail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Logtail {
    /// Source token, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub token: String,
}

/// OpenSearch: an own endpoint, or a cluster of the account by its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenSearch {
    /// `https://host:port`.
    #[schemars(length(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<String>,
    /// Credentials of the endpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basic_auth: Option<BasicAuth>,
    /// Index to write to.
    #[schemars(length(min = 1, max = 255))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index_name: Option<String>,
    /// Cluster of the account.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 63))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster_name: Option<String>,
}

/// A user and its password.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BasicAuth {
    /// User.
    #[schemars(length(min = 1, max = 255))]
    pub user: String,
    /// Password, as a SecretRef.
    #[schemars(extend("x-secret" = true), length(min = 1, max = 512))]
    pub password: String,
}
