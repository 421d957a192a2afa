//! `policies/delete`: the document goes, and from every principal that it was attached to.

use berth_domain::id::{PolicyId, TenantId};
use berth_domain::platform::Policy;
use serde::Deserialize;
use serde_json::json;

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

/// The policy as it was.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Policy, ServiceError> {
    let target = target(&input.tenant_id, &input.policy_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PoliciesWrite, &target);
    let result = async {
        service
            .decide(caller, Action::PoliciesWrite, &target)
            .await?;
        let policy = service
            .store()
            .policy(&input.tenant_id, &input.policy_id)
            .await?;
        let policy = policy.ok_or_else(|| missing(&input.tenant_id, &input.policy_id))?;
        let audit = attempt.done(service.now(), json!({"deleted": true}));
        if service
            .store()
            .delete_policy(&input.tenant_id, &input.policy_id, audit)
            .await?
        {
            return Ok(policy);
        }
        Err(missing(&input.tenant_id, &input.policy_id))
    };
    attempt.settle(service, result.await).await
}
