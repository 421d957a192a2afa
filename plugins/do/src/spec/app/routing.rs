//! How requests reach an app's components.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// An own domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// Its name.
    #[schemars(length(min = 4, max = 253))]
    pub domain: String,
    /// What it is to the app.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub role: Option<DomainRole>,
    /// Its subdomains too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wildcard: Option<bool>,
    /// DNS zone of the account to write records into.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 253))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// Oldest TLS version that is taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_tls_version: Option<TlsVersion>,
}

/// What a domain is to an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum DomainRole {
    /// The provider's own.
    Default,
    /// The one that is shown.
    Primary,
    /// Another one.
    Alias,
}

/// TLS versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum TlsVersion {
    /// 1.2
    #[serde(rename = "1.2")]
    V1_2,
    /// 1.3
    #[serde(rename = "1.3")]
    V1_3,
}

/// Where requests go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ingress {
    /// The first rule that matches counts.
    #[schemars(length(max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<IngressRule>>,
    /// Page for errors.
    #[schemars(regex(pattern = r"^https://"), length(max = 2048))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub custom_error_page_url: Option<String>,
}

/// One rule: a match, and a component or a redirect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressRule {
    /// Which requests.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub matching: Option<IngressMatch>,
    /// Component that answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<IngressComponent>,
    /// Elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect: Option<IngressRedirect>,
    /// Who may call from a browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cors: Option<Cors>,
}

/// Which requests.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressMatch {
    /// By the start of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Prefix>,
    /// By the host name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<Exact>,
}

/// The start of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prefix {
    /// The start.
    #[schemars(length(max = 256))]
    pub prefix: String,
}

/// A whole text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// The text.
    #[schemars(length(max = 256))]
    pub exact: String,
}

/// A component that answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressComponent {
    /// Its name in the app.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// Leave the matched prefix in the path: `true` or `false`.
    #[schemars(length(max = 5))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preserve_path_prefix: Option<String>,
    /// Prefix to put in its place.
    #[schemars(length(max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rewrite: Option<String>,
}

/// A redirect.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressRedirect {
    /// Path.
    #[schemars(length(max = 2048))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
    /// Host name.
    #[schemars(length(max = 253))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<String>,
    /// Port.
    #[schemars(range(min = 1, max = 65535))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// `http` or `https`.
    #[schemars(length(max = 5))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Status, such as 302.
    #[schemars(range(min = 300, max = 308))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_code: Option<u16>,
}

/// A path that a component answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Start of the path.
    #[schemars(length(max = 256))]
    pub path: String,
    /// Leave it in the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preserve_path_prefix: Option<bool>,
}

/// Who may call from a browser.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cors {
    /// Origins.
    #[schemars(length(max = 64))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_origins: Option<Vec<OriginMatch>>,
    /// Methods.
    #[schemars(length(max = 16), inner(length(max = 16)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_methods: Option<Vec<String>>,
    /// Request headers.
    #[schemars(length(max = 64), inner(length(max = 128)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_headers: Option<Vec<String>>,
    /// Response headers.
    #[schemars(length(max = 64), inner(length(max = 128)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expose_headers: Option<Vec<String>>,
    /// How long a browser may remember it, such as `5h30m`.
    #[schemars(length(max = 32))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age: Option<String>,
    /// With credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_credentials: Option<bool>,
}

/// An origin, whole or by a regular expression.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OriginMatch {
    /// The whole origin.
    #[schemars(length(max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<String>,
    /// A regular expression.
    #[schemars(length(min = 1, max = 256))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub regex: Option<String>,
}
