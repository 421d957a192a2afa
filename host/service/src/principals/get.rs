//! `principals/get`.

use berth_domain::id::{PrincipalId, TenantId};
use berth_domain::platform::Principal;
use serde::Deserialize;

use super::{existing, target};
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
    pub principal_id: PrincipalId,
}

/// The principal with its groups and policies.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Principal, ServiceError> {
    let target = target(&input.tenant_id, &input.principal_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsRead, &target);
    let result = async {
        service
            .decide(caller, Action::PrincipalsRead, &target)
            .await?;
        existing(service, &input.tenant_id, &input.principal_id).await
    };
    attempt.settle(service, result.await).await
}
