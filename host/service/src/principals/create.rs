//! `principals/create`: someone new may call the API for a tenant, as far as the policies say.

use std::collections::BTreeSet;

use berth_domain::id::{PolicyId, PrincipalId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::Principal;
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use super::{check_groups, check_policies};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// Groups that policies may name.
    #[serde(default)]
    pub groups: BTreeSet<String>,
    /// Policies of the tenant that hold for it. Without any it may do nothing.
    #[serde(default)]
    pub policies: Vec<PolicyId>,
}

/// The principal.
///
/// # Errors
/// `ACCESS_DENIED`; `INVALID_INPUT` for policies that the tenant does not have; `NOT_FOUND` for a
/// tenant that is not there.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Principal, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Principal, ServiceError> {
    service
        .decide(attempt.caller, Action::PrincipalsWrite, target)
        .await?;
    if !input.policies.is_empty() {
        service
            .decide(attempt.caller, Action::PoliciesWrite, target)
            .await?;
    }
    service.must_have_tenant(&input.tenant_id).await?;
    check_groups(&input.groups)?;
    check_policies(service, &input.tenant_id, &input.policies).await?;
    let now = service.now();
    let principal = Principal {
        id: PrincipalId::generate(now, service.entropy().id_seed()),
        tenant_id: input.tenant_id,
        title: input.title,
        groups: input.groups,
        policies: input.policies,
        created_at: now,
    };
    let audit = attempt.done(
        now,
        json!({"principalId": principal.id, "policies": principal.policies}),
    );
    match service.store().create_principal(&principal, audit).await? {
        Created::New => Ok(principal),
        Created::Taken => Err(ServiceError::internal(format!(
            "the fresh id {} is taken",
            principal.id
        ))),
    }
}
