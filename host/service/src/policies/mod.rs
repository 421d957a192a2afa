//! `policies`: what a tenant's principals may do.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;

use berth_domain::id::{PolicyId, TenantId};
use berth_policy::ResourceType;

use crate::decision::Target;
use crate::{Code, ServiceError};

fn target(tenant: &TenantId, id: &PolicyId) -> Target {
    Target::new(ResourceType::Policy, tenant, id.as_str())
}

fn missing(tenant: &TenantId, id: &PolicyId) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("tenant `{tenant}` has no policy `{id}`; `policies/list` lists those it has"),
    )
}
