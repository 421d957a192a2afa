//! An account's egress as the runtime grants it.

use berth_domain::manifest::Manifest;
use berth_domain::platform::Egress;
use berth_runtime::{AccountGrant, GrantConfig, GrantedEndpoint};

use crate::{Service, ServiceError};

/// What an account grants to a plugin of this manifest.
///
/// Without a list of origins it is all that the manifest wants. A base URL of an origin that is not
/// granted grants nothing, and is kept so that the runtime can say so.
#[must_use]
pub fn grant_config(egress: &Egress, manifest: &Manifest) -> GrantConfig {
    let mut origins: Vec<String> = match &egress.origins {
        Some(origins) => origins.clone(),
        None => manifest
            .endpoints
            .iter()
            .map(|endpoint| endpoint.origin.clone())
            .collect(),
    };
    let stray: Vec<String> = egress
        .base_urls
        .keys()
        .filter(|origin| !origins.contains(origin))
        .cloned()
        .collect();
    origins.extend(stray);
    GrantConfig {
        endpoints: origins
            .into_iter()
            .map(|origin| GrantedEndpoint {
                base_url: egress.base_urls.get(&origin).cloned(),
                origin,
            })
            .collect(),
        allow_private_network: egress.private_networks,
        allow_plain_http: egress.plain_http,
        extra_ca_pem: egress.ca_pem.clone(),
    }
}

/// Refuses what the runtime would refuse at every call. Without an active plugin there is nothing
/// to compare with yet.
pub(super) fn check(
    service: &Service,
    provider: &str,
    egress: &Egress,
) -> Result<(), ServiceError> {
    let Some(generation) = service.registry().active(provider) else {
        return Ok(());
    };
    let manifest = generation.manifest();
    AccountGrant::build(
        manifest,
        &grant_config(egress, manifest),
        service.runtime().limits(),
    )
    .map(|_| ())
    .map_err(|error| ServiceError::invalid("/egress", error.to_string()))
}
