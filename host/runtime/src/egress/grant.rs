//! What an operator lets a plugin reach on one account.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use berth_domain::manifest::{Endpoint, Manifest};
use reqwest::Client;
use serde::{Deserialize, Serialize};
use url::{Host, Url};

use super::plan::shown;
use super::resolver::VettingResolver;
use super::{address, target};
use crate::limits::Limits;

/// Idle connections that are kept for one host.
const IDLE_CONNECTIONS_MAX: usize = 8;
/// How long they are kept: shorter than servers keep theirs, since a write sent into a connection
/// that is being closed counts as lost.
const IDLE_CONNECTION: Duration = Duration::from_secs(20);

/// What an operator grants, as it is configured and stored with an account.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GrantConfig {
    /// Endpoints of the manifest that may be reached.
    pub endpoints: Vec<GrantedEndpoint>,
    /// Private, loopback and link-local addresses may be reached too.
    #[serde(default)]
    pub allow_private_network: bool,
    /// Base URLs may be `http://`.
    #[serde(default)]
    pub allow_plain_http: bool,
    /// Certificate authorities, in PEM, trusted beside the system's.
    #[serde(default)]
    pub extra_ca_pem: Option<String>,
}

/// An endpoint that may be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GrantedEndpoint {
    /// The origin, written as in the manifest.
    pub origin: String,
    /// Where requests to it really go, such as a proxy or a double: `http(s)://host[:port][/prefix]`.
    #[serde(default)]
    pub base_url: Option<String>,
}

impl GrantConfig {
    /// Grants every endpoint that a manifest wants, as it wants it.
    #[must_use]
    pub fn all_of(manifest: &Manifest) -> Self {
        let endpoints = manifest
            .endpoints
            .iter()
            .map(|endpoint| GrantedEndpoint {
                origin: endpoint.origin.clone(),
                base_url: None,
            })
            .collect();
        Self {
            endpoints,
            ..Self::default()
        }
    }
}

/// Why a grant can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GrantError {
    /// The plugin does not want this endpoint.
    #[error("the plugin wants no endpoint `{origin}`; it wants {wanted}")]
    NotWanted {
        /// The endpoint.
        origin: String,
        /// What the manifest names.
        wanted: String,
    },
    /// The base URL has another form.
    #[error(
        "`{0}` is no base URL: `http(s)://host[:port][/prefix]`, without user, query and fragment"
    )]
    BaseUrl(String),
    /// A wildcard has many hosts.
    #[error("`{0}` stands for many hosts and can't have one base URL; leave `baseUrl` out")]
    WildcardBase(String),
    /// Plain http.
    #[error(
        "`{0}` is plain http, which would show the credential on the wire; set `allowPlainHttp` for this account if that is meant"
    )]
    PlainHttp(String),
    /// A private address.
    #[error(
        "`{0}` is a private, loopback, link-local or reserved address; set `allowPrivateNetwork` for this account if that is meant"
    )]
    PrivateAddress(String),
    /// No certificate in the PEM text.
    #[error(
        "`extraCaPem` holds no certificate that can be read: expected `-----BEGIN CERTIFICATE-----` blocks"
    )]
    CaPem,
    /// The client can't be built.
    #[error("the http client can't be set up: {0}")]
    Client(String),
}

/// A grant in use: one account, one generation. It owns its connections, so none is ever shared
/// with an account that was granted something else.
#[derive(Debug)]
pub struct AccountGrant {
    /// The manifest's origin, and the base to send to in its place.
    endpoints: BTreeMap<String, Option<Url>>,
    allow_private_network: bool,
    client: Client,
}

/// An endpoint that a request reaches.
pub(super) struct Reached<'m> {
    pub(super) endpoint: &'m Endpoint,
    /// Where it is sent.
    pub(super) url: Url,
}

impl AccountGrant {
    /// Checks a grant against a manifest and sets its client up.
    ///
    /// # Errors
    /// When the grant names what the manifest does not want, or is not safe without a further setting.
    pub fn build(
        manifest: &Manifest,
        config: &GrantConfig,
        limits: &Limits,
    ) -> Result<Self, GrantError> {
        let mut endpoints = BTreeMap::new();
        for granted in &config.endpoints {
            if !manifest
                .endpoints
                .iter()
                .any(|endpoint| endpoint.origin == granted.origin)
            {
                let wanted: Vec<&str> = manifest
                    .endpoints
                    .iter()
                    .map(|endpoint| endpoint.origin.as_str())
                    .collect();
                let wanted = if wanted.is_empty() {
                    "none".to_owned()
                } else {
                    wanted.join(", ")
                };
                return Err(GrantError::NotWanted {
                    origin: granted.origin.clone(),
                    wanted,
                });
            }
            let base = granted
                .base_url
                .as_deref()
                .map(|base| base_url(base, &granted.origin, config))
                .transpose()?;
            endpoints.insert(granted.origin.clone(), base);
        }
        let client = client(config, limits)?;
        Ok(Self {
            endpoints,
            allow_private_network: config.allow_private_network,
            client,
        })
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    /// The granted endpoint that a URL belongs to.
    pub(super) fn reach<'m>(
        &self,
        manifest: &'m Manifest,
        url: &Url,
    ) -> Result<Reached<'m>, String> {
        let origin = url.origin().ascii_serialization();
        let Some(endpoint) = target::endpoint(manifest, url) else {
            return Err(format!(
                "`{}` is no endpoint of the plugin's manifest: declare it there, and have the operator grant it",
                shown(&origin)
            ));
        };
        let Some(base) = self.endpoints.get(&endpoint.origin) else {
            return Err(format!(
                "the operator did not grant `{}` to this account: add it to the account's granted endpoints",
                endpoint.origin
            ));
        };
        let url = match base {
            Some(base) => rebased(base, url),
            None => url.clone(),
        };
        // A name goes through the vetting resolver; an address would bypass it.
        if let Some(ip) = literal(&url)
            && !self.allow_private_network
            && !address::is_public(ip)
        {
            return Err(GrantError::PrivateAddress(ip.to_string()).to_string());
        }
        Ok(Reached { endpoint, url })
    }
}

fn base_url(text: &str, origin: &str, config: &GrantConfig) -> Result<Url, GrantError> {
    if origin.contains('*') {
        return Err(GrantError::WildcardBase(origin.to_owned()));
    }
    let url = Url::parse(text).map_err(|_| GrantError::BaseUrl(text.to_owned()))?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if !plain {
        return Err(GrantError::BaseUrl(text.to_owned()));
    }
    if url.scheme() == "http" && !config.allow_plain_http {
        return Err(GrantError::PlainHttp(text.to_owned()));
    }
    if literal(&url).is_some_and(|ip| !address::is_public(ip)) && !config.allow_private_network {
        return Err(GrantError::PrivateAddress(text.to_owned()));
    }
    Ok(url)
}

fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(ip) => Some(ip.into()),
        Host::Ipv6(ip) => Some(ip.into()),
        Host::Domain(_) => None,
    }
}

/// The URL at the operator's base: its prefix, then path and query as they are.
fn rebased(base: &Url, url: &Url) -> Url {
    let mut moved = base.clone();
    moved.set_path(&format!(
        "{}{}",
        base.path().trim_end_matches('/'),
        url.path()
    ));
    moved.set_query(url.query());
    moved
}

fn client(config: &GrantConfig, limits: &Limits) -> Result<Client, GrantError> {
    let mut builder = Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        // The environment's proxies would see the credential.
        .no_proxy()
        .referer(false)
        .retry(reqwest::retry::never())
        .connect_timeout(Duration::from_millis(limits.http_connect_ms))
        .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
        .pool_idle_timeout(IDLE_CONNECTION)
        .dns_resolver(VettingResolver {
            allow_private: config.allow_private_network,
        });
    if let Some(pem) = &config.extra_ca_pem {
        let certificates =
            reqwest::Certificate::from_pem_bundle(pem.as_bytes()).map_err(|_| GrantError::CaPem)?;
        // Nonsense parses as an empty bundle.
        if certificates.is_empty() {
            return Err(GrantError::CaPem);
        }
        builder = builder.tls_certs_merge(certificates);
    }
    builder
        .build()
        .map_err(|error| GrantError::Client(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn manifest() -> Manifest {
        serde_json::from_value(json!({
            "provider": "x", "version": "1.0.0", "title": "X", "credential": "bearer", "kinds": [], "hasCatalog": false, "signals": null,
            "endpoints": [
                {"origin": "https://api.example.com", "credential": true, "reads": []},
                {"origin": "https://*.example.net", "credential": false, "reads": []}
            ]
        }))
        .unwrap()
    }

    fn build(config: serde_json::Value) -> Result<AccountGrant, GrantError> {
        AccountGrant::build(
            &manifest(),
            &serde_json::from_value(config).unwrap(),
            &Limits::default(),
        )
    }

    fn refusal(config: serde_json::Value) -> String {
        build(config).unwrap_err().to_string()
    }

    #[test]
    fn a_grant_that_is_not_safe_or_not_wanted_is_refused_with_the_setting() {
        let base = |base: &str| {
            refusal(json!({"endpoints": [{"origin": "https://api.example.com", "baseUrl": base}]}))
        };
        insta::assert_snapshot!([
            refusal(json!({"endpoints": [{"origin": "https://other.example.com"}]})),
            base("http://proxy.example.com"), base("https://127.0.0.1:4000"), base("https://[::1]"), base("https://user@proxy.example.com"), base("proxy"),
            refusal(json!({"endpoints": [{"origin": "https://*.example.net", "baseUrl": "https://proxy.example.com"}]})),
            refusal(json!({"endpoints": [], "extraCaPem": "nonsense"})),
        ].join("\n"), @r"
    the plugin wants no endpoint `https://other.example.com`; it wants https://api.example.com, https://*.example.net
    `http://proxy.example.com` is plain http, which would show the credential on the wire; set `allowPlainHttp` for this account if that is meant
    `https://127.0.0.1:4000` is a private, loopback, link-local or reserved address; set `allowPrivateNetwork` for this account if that is meant
    `https://[::1]` is a private, loopback, link-local or reserved address; set `allowPrivateNetwork` for this account if that is meant
    `https://user@proxy.example.com` is no base URL: `http(s)://host[:port][/prefix]`, without user, query and fragment
    `proxy` is no base URL: `http(s)://host[:port][/prefix]`, without user, query and fragment
    `https://*.example.net` stands for many hosts and can't have one base URL; leave `baseUrl` out
    `extraCaPem` holds no certificate that can be read: expected `-----BEGIN CERTIFICATE-----` blocks
    ");
    }

    #[test]
    fn only_what_is_granted_is_reached_and_at_the_operators_base() {
        let grant = build(json!({"endpoints": [{"origin": "https://api.example.com", "baseUrl": "https://proxy.example.com/do/"}]})).unwrap();
        let manifest = manifest();
        let reach = |url: &str| {
            grant
                .reach(&manifest, &Url::parse(url).unwrap())
                .map(|reached| reached.url.to_string())
        };
        assert_eq!(
            reach("https://api.example.com/v2/x?y=1").unwrap(),
            "https://proxy.example.com/do/v2/x?y=1"
        );
        insta::assert_snapshot!(reach("https://abc.example.net/").unwrap_err(), @"the operator did not grant `https://*.example.net` to this account: add it to the account's granted endpoints");
        insta::assert_snapshot!(reach("https://169.254.169.254/latest/meta-data").unwrap_err(), @"`https://169.254.169.254` is no endpoint of the plugin's manifest: declare it there, and have the operator grant it");
    }
}
