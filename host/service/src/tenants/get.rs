//! `tenants/get`: one tenant, to itself and to operators.

use berth_domain::id::TenantId;
use berth_domain::platform::Tenant;
use serde::Deserialize;

use super::missing;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Which tenant.
    pub tenant_id: TenantId,
}

/// The tenant.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Tenant, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::TenantsRead, &target);
    let result = async {
        service.decide(caller, Action::TenantsRead, &target).await?;
        service
            .store()
            .tenant(&input.tenant_id)
            .await?
            .ok_or_else(|| missing(&input.tenant_id))
    };
    attempt.settle(service, result.await).await
}
