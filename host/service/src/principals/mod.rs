//! `principals`: who calls the API for a tenant, and with which tokens.

pub mod create;
pub mod create_token;
pub mod delete;
pub mod get;
pub mod list;
pub mod list_tokens;
pub mod revoke_token;
pub mod update;

mod view;

use std::collections::BTreeSet;

use berth_domain::id::{PolicyId, PrincipalId, TenantId};
use berth_domain::platform::Principal;
use berth_policy::ResourceType;

use crate::decision::Target;
use crate::{Code, Service, ServiceError};

pub use view::TokenView;

/// Most policies that a principal has.
const POLICIES_MAX: usize = 20;
/// Most groups that a principal is in.
const GROUPS_MAX: usize = 50;
/// Longest name of a group, in characters.
const GROUP_CHARS_MAX: usize = 64;

fn target(tenant: &TenantId, id: &PrincipalId) -> Target {
    Target::new(ResourceType::Principal, tenant, id.as_str())
}

fn missing(tenant: &TenantId, id: &PrincipalId) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("tenant `{tenant}` has no principal `{id}`; `principals/list` lists those it has"),
    )
}

async fn existing(
    service: &Service,
    tenant: &TenantId,
    id: &PrincipalId,
) -> Result<Principal, ServiceError> {
    service
        .store()
        .principal(tenant, id)
        .await?
        .ok_or_else(|| missing(tenant, id))
}

fn check_groups(groups: &BTreeSet<String>) -> Result<(), ServiceError> {
    if groups.len() > GROUPS_MAX {
        return Err(ServiceError::invalid(
            "/groups",
            format!("{} groups; at most {GROUPS_MAX} are taken", groups.len()),
        ));
    }
    let fits = |group: &String| {
        (1..=GROUP_CHARS_MAX).contains(&group.chars().count())
            && !group.chars().any(char::is_control)
    };
    if groups.iter().all(fits) {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/groups",
        format!("expected names of 1 to {GROUP_CHARS_MAX} characters without control characters"),
    ))
}

/// Policies to attach: the tenant's own, each once, and together not more than can be decided with.
async fn check_policies(
    service: &Service,
    tenant: &TenantId,
    policies: &[PolicyId],
) -> Result<(), ServiceError> {
    if policies.len() > POLICIES_MAX {
        return Err(ServiceError::invalid(
            "/policies",
            format!(
                "{} policies; at most {POLICIES_MAX} are taken",
                policies.len()
            ),
        ));
    }
    let mut seen = BTreeSet::new();
    for (index, id) in policies.iter().enumerate() {
        if !seen.insert(id) {
            return Err(ServiceError::invalid(
                format!("/policies/{index}"),
                "named twice; name each policy once",
            ));
        }
        if service.store().policy(tenant, id).await?.is_none() {
            return Err(ServiceError::invalid(
                format!("/policies/{index}"),
                format!("tenant `{tenant}` has no such policy; `policies/list` lists those it has"),
            ));
        }
    }
    match service.compile(tenant, policies).await {
        Ok(_) => Ok(()),
        Err(refusal) if refusal.code == Code::AccessDenied => {
            Err(ServiceError::invalid("/policies", refusal.message))
        }
        Err(other) => Err(other),
    }
}
