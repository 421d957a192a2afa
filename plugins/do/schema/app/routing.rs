//! How requests reach an app's components.

use schemars::JsonSchema;

/// An own domain.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// Its name.
    #[schemars(length(min = 4, max = 253))]
    pub domain: String,
    /// What it is to the app.
    #[serde(rename = "type")]
    pub role: Option<DomainRole>,
    /// Its subdomains too.
    pub wildcard: Option<bool>,
    /// DNS zone of the account to write records into.
    #[schemars(extend("x-account-wide" = true), length(min = 1, max = 253))]
    pub zone: Option<String>,
    /// Oldest TLS version that is taken.
    pub minimum_tls_version: Option<TlsVersion>,
}

/// What a domain is to an app.
#[derive(JsonSchema)]
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
#[derive(JsonSchema)]
pub enum TlsVersion {
    /// 1.2
    #[serde(rename = "1.2")]
    V1_2,
    /// 1.3
    #[serde(rename = "1.3")]
    V1_3,
}

/// Where requests go.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ingress {
    /// The first rule that matches counts.
    #[schemars(length(max = 200))]
    pub rules: Option<Vec<IngressRule>>,
    /// Page for errors.
    #[schemars(regex(pattern = r"^https://"), length(max = 2048))]
    pub custom_error_page_url: Option<String>,
}

/// One rule: a match, and a component or a redirect.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressRule {
    /// Which requests.
    #[serde(rename = "match")]
    pub matching: Option<IngressMatch>,
    /// Component that answers.
    pub component: Option<IngressComponent>,
    /// Elsewhere.
    pub redirect: Option<IngressRedirect>,
    /// Who may call from a browser.
    pub cors: Option<Cors>,
}

/// Which requests.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressMatch {
    /// By the start of the path.
    pub path: Option<Prefix>,
    /// By the host name.
    pub authority: Option<Exact>,
}

/// The start of a text.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prefix {
    /// The start.
    #[schemars(length(max = 256))]
    pub prefix: String,
}

/// A whole text.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Exact {
    /// The text.
    #[schemars(length(max = 256))]
    pub exact: String,
}

/// A component that answers.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressComponent {
    /// Its name in the app.
    #[schemars(length(min = 1, max = 32))]
    pub name: String,
    /// Leave the matched prefix in the path: `true` or `false`.
    #[schemars(length(max = 5))]
    pub preserve_path_prefix: Option<String>,
    /// Prefix to put in its place.
    #[schemars(length(max = 256))]
    pub rewrite: Option<String>,
}

/// A redirect.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IngressRedirect {
    /// Path.
    #[schemars(length(max = 2048))]
    pub uri: Option<String>,
    /// Host name.
    #[schemars(length(max = 253))]
    pub authority: Option<String>,
    /// Port.
    #[schemars(range(min = 1, max = 65535))]
    pub port: Option<u16>,
    /// `http` or `https`.
    #[schemars(length(max = 5))]
    pub scheme: Option<String>,
    /// Status, such as 302.
    #[schemars(range(min = 300, max = 308))]
    pub redirect_code: Option<u16>,
}

/// A path that a component answers.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Start of the path.
    #[schemars(length(max = 256))]
    pub path: String,
    /// Leave it in the path.
    pub preserve_path_prefix: Option<bool>,
}

/// Who may call from a browser.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cors {
    /// Origins.
    #[schemars(length(max = 64))]
    pub allow_origins: Option<Vec<OriginMatch>>,
    /// Methods.
    #[schemars(length(max = 16), inner(length(max = 16)))]
    pub allow_methods: Option<Vec<String>>,
    /// Request headers.
    #[schemars(length(max = 64), inner(length(max = 128)))]
    pub allow_headers: Option<Vec<String>>,
    /// Response headers.
    #[schemars(length(max = 64), inner(length(max = 128)))]
    pub expose_headers: Option<Vec<String>>,
    /// How long a browser may remember it, such as `5h30m`.
    #[schemars(length(max = 32))]
    pub max_age: Option<String>,
    /// With credentials.
    pub allow_credentials: Option<bool>,
}

/// An origin, whole or by a regular expression.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OriginMatch {
    /// The whole origin.
    #[schemars(length(max = 256))]
    pub exact: Option<String>,
    /// A regular expression.
    #[schemars(length(min = 1, max = 256))]
    pub regex: Option<String>,
}
