//! `principals/update`: title, groups and policies.

use std::collections::BTreeSet;

use berth_domain::id::{PolicyId, PrincipalId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::Principal;
use serde::Deserialize;
use serde_json::json;

use super::{check_groups, check_policies, existing, missing, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Service, ServiceError};

/// What is asked for. What is left out stays.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Which one.
    pub principal_id: PrincipalId,
    /// A new title.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// All groups that it shall be in.
    #[serde(default, deserialize_with = "given")]
    pub groups: Option<BTreeSet<String>>,
    /// All policies that it shall have.
    #[serde(default, deserialize_with = "given")]
    pub policies: Option<Vec<PolicyId>>,
}

/// The principal as it now is.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Principal, ServiceError> {
    let target = target(&input.tenant_id, &input.principal_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsWrite, &target);
    let result = update(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn update(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Principal, ServiceError> {
    service
        .decide(attempt.caller, Action::PrincipalsWrite, target)
        .await?;
    if input.policies.is_some() || input.groups.is_some() {
        // Both say what the principal may do.
        service
            .decide(
                attempt.caller,
                Action::PoliciesWrite,
                &Target::tenant(&input.tenant_id),
            )
            .await?;
    }
    let mut principal = existing(service, &input.tenant_id, &input.principal_id).await?;
    if let Some(title) = input.title {
        principal.title = title;
    }
    if let Some(groups) = input.groups {
        check_groups(&groups)?;
        principal.groups = groups;
    }
    if let Some(policies) = input.policies {
        check_policies(service, &input.tenant_id, &policies).await?;
        principal.policies = policies;
    }
    let audit = attempt.done(service.now(), json!({"policies": principal.policies}));
    if service.store().update_principal(&principal, audit).await? {
        Ok(principal)
    } else {
        Err(missing(&input.tenant_id, &input.principal_id))
    }
}
