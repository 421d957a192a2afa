//! `tenants/create`: takes a tenant in. Operators only.

use std::collections::BTreeMap;

use berth_domain::id::TenantId;
use berth_domain::input::{KindId, Title};
use berth_domain::platform::Tenant;
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use super::check_quotas;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// The id that it shall have.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// Quotas that differ from the host's `maxPerKind`, by kind.
    #[serde(default)]
    pub quotas: BTreeMap<KindId, u32>,
}

/// The tenant.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`, `CONFLICT` where the id is taken.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Tenant, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::TenantsWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Tenant, ServiceError> {
    service
        .decide_as_operator(attempt.caller, Action::TenantsWrite, target)
        .await?;
    check_quotas(input.quotas.len())?;
    let now = service.now();
    let tenant = Tenant {
        id: input.tenant_id,
        title: input.title,
        quotas: input.quotas,
        created_at: now,
    };
    match service
        .store()
        .create_tenant(&tenant, attempt.done(now, json!({"created": true})))
        .await?
    {
        Created::New => Ok(tenant),
        Created::Taken => Err(ServiceError::new(
            Code::Conflict,
            format!(
                "there is a tenant `{}` already; `tenants/update` changes it",
                tenant.id
            ),
        )),
    }
}
