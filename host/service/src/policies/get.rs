//! `policies/get`.

use berth_domain::id::{PolicyId, TenantId};
use berth_domain::platform::Policy;
use serde::Deserialize;

use super::{missing, target};
use crate::attempt::Attempt;
use crate::decision::Action;
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Which one.
    pub policy_id: PolicyId,
}

/// The policy with its document.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Policy, ServiceError> {
    let target = target(&input.tenant_id, &input.policy_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PoliciesRead, &target);
    let result = async {
        service
            .decide(caller, Action::PoliciesRead, &target)
            .await?;
        let policy = service
            .store()
            .policy(&input.tenant_id, &input.policy_id)
            .await?;
        policy.ok_or_else(|| missing(&input.tenant_id, &input.policy_id))
    };
    attempt.settle(service, result.await).await
}
