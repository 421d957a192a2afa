//! `principals/delete`: a principal goes, and its tokens with it. What it created stays.

use berth_domain::id::{PrincipalId, TenantId};
use berth_domain::platform::Principal;
use serde::Deserialize;
use serde_json::json;

use super::{existing, missing, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Which one.
    pub principal_id: PrincipalId,
}

/// The principal as it was.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`; `INVALID_STATE` for the caller itself.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Principal, ServiceError> {
    let target = target(&input.tenant_id, &input.principal_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsWrite, &target);
    let result = delete(service, &attempt, &target, &input).await;
    attempt.settle(service, result).await
}

async fn delete(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: &Input,
) -> Result<Principal, ServiceError> {
    service
        .decide(attempt.caller, Action::PrincipalsWrite, target)
        .await?;
    if attempt.caller.principal.id == input.principal_id {
        // The last administrator would lock everybody out.
        return Err(ServiceError::new(
            Code::InvalidState,
            "a principal can't delete itself; let another one of the tenant do it",
        )
        .reason("self"));
    }
    let principal = existing(service, &input.tenant_id, &input.principal_id).await?;
    let audit = attempt.done(service.now(), json!({"deleted": true}));
    if service
        .store()
        .delete_principal(&input.tenant_id, &input.principal_id, audit)
        .await?
    {
        Ok(principal)
    } else {
        Err(missing(&input.tenant_id, &input.principal_id))
    }
}
