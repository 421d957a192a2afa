//! `secrets`: values that a tenant keeps sealed here and refers to by SecretRefs.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;
pub mod reveal;

mod sealing;
mod value;
mod view;
mod wake;

use berth_domain::id::TenantId;
use berth_domain::secret::SecretName;
use berth_policy::ResourceType;

use crate::decision::Target;
use crate::{Code, ServiceError};

pub(crate) use sealing::{Sealing, open, seal, seal_until_stored};
pub use value::SecretValue;
pub use view::SecretView;

/// Where the credentials of provider accounts are kept in their owner's store. Like the outputs of
/// resources they are written by the host alone; and they are shown to nobody.
pub const CREDENTIAL_PREFIX: &str = "provider-accounts/";

/// Whether a name is one of an account's credential.
#[must_use]
pub fn is_credential(name: &SecretName) -> bool {
    name.as_str().starts_with(CREDENTIAL_PREFIX)
}

fn target(tenant: &TenantId, name: &SecretName) -> Target {
    Target::new(ResourceType::Secret, tenant, name.as_str()).named(name)
}

fn missing(tenant: &TenantId, name: &SecretName) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("tenant `{tenant}` has no secret `{name}`; `secrets/list` lists those it has"),
    )
}

fn must_be_own(name: &SecretName) -> Result<(), ServiceError> {
    let whose = if name.is_output() {
        "the outputs of resources, which live and die with their resource"
    } else if is_credential(name) {
        "the credentials of accounts, which `accounts/update` changes"
    } else {
        return Ok(());
    };
    Err(ServiceError::invalid(
        "/name",
        format!("lies where the host keeps {whose}; choose a name elsewhere"),
    ))
}
