//! `tenants/update`: title and quotas. Operators only: no tenant raises its own quota.

use std::collections::BTreeMap;

use berth_domain::id::TenantId;
use berth_domain::input::{KindId, Title};
use berth_domain::platform::Tenant;
use serde::Deserialize;
use serde_json::json;

use super::{check_quotas, missing};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Which tenant.
    pub tenant_id: TenantId,
    /// A new title.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// New quotas by kind; `null` gives a kind back to the host's `maxPerKind`. Others stay.
    #[serde(default)]
    pub quotas: BTreeMap<KindId, Option<u32>>,
}

/// The tenant as it now is.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Tenant, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::TenantsWrite, &target);
    let result = update(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn update(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Tenant, ServiceError> {
    service
        .decide_as_operator(attempt.caller, Action::TenantsWrite, target)
        .await?;
    let mut tenant = service
        .store()
        .tenant(&input.tenant_id)
        .await?
        .ok_or_else(|| missing(&input.tenant_id))?;
    if let Some(title) = input.title {
        tenant.title = title;
    }
    for (kind, quota) in input.quotas {
        match quota {
            Some(quota) => tenant.quotas.insert(kind, quota),
            None => tenant.quotas.remove(&kind),
        };
    }
    check_quotas(tenant.quotas.len())?;
    let audit = attempt.done(service.now(), json!({"quotas": tenant.quotas}));
    if service.store().update_tenant(&tenant, audit).await? {
        Ok(tenant)
    } else {
        Err(missing(&input.tenant_id))
    }
}
