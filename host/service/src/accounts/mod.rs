//! `accounts`: credentials at providers, and how they may be used.
//!
//! A tenant may register accounts of its own. How requests leave the host is the operator's to say.

pub mod create;
pub mod get;
pub mod list;
pub mod update;

mod credential;
mod egress;
mod view;

use berth_domain::id::{AccountId, TenantId};
use berth_domain::platform::Account;

use crate::{Caller, Code, Service, ServiceError};

pub use credential::credential_name;
pub use egress::grant_config;
pub use view::AccountView;

/// Most regions that an account configures.
const REGIONS_MAX: usize = 200;
/// Longest name of a region.
const REGION_BYTES_MAX: usize = 64;

fn missing(tenant: &TenantId, id: &AccountId) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("tenant `{tenant}` has no account `{id}`; `accounts/list` lists those it has"),
    )
}

/// An account of the tenant's own. Another tenant's reads like one that never was.
async fn existing(
    service: &Service,
    tenant: &TenantId,
    id: &AccountId,
) -> Result<Account, ServiceError> {
    let account = service
        .store()
        .account(id)
        .await?
        .filter(|account| account.tenant_id == *tenant);
    account.ok_or_else(|| missing(tenant, id))
}

fn check_regions(regions: &[String]) -> Result<(), ServiceError> {
    if regions.len() > REGIONS_MAX {
        return Err(ServiceError::invalid(
            "/regions",
            format!("{} regions; at most {REGIONS_MAX} are taken", regions.len()),
        ));
    }
    let fits = |region: &String| {
        (1..=REGION_BYTES_MAX).contains(&region.len())
            && region.bytes().all(|b| b.is_ascii_graphic())
    };
    match regions.iter().position(|region| !fits(region)) {
        None => Ok(()),
        Some(index) => Err(ServiceError::invalid(
            format!("/regions/{index}"),
            format!(
                "expected the provider's name of a region, 1 to {REGION_BYTES_MAX} visible characters"
            ),
        )),
    }
}

/// A tenant that could say where requests go could send the host into its own network, or the
/// platform's credential to itself.
fn only_operators_set_egress(caller: &Caller) -> Result<(), ServiceError> {
    if caller.is_operator() {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::AccessDenied,
        "egress: only operators say how requests leave the host; leave it out",
    )
    .reason("operatorOnly")
    .with("field", "egress"))
}
