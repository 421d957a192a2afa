//! `quotas/delete`: back to the host's `service.defaultCapacity`. Operators only.

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::CapacityName;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// On which pool.
    pub pool_id: PoolId,
    /// Of what.
    pub capacity: CapacityName,
}

/// A quota that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Whose it was.
    pub tenant_id: TenantId,
    /// On which pool.
    pub pool_id: PoolId,
    /// Of what.
    pub capacity: CapacityName,
    /// Always.
    pub deleted: bool,
}

/// Says that it is gone. What is booked stays booked.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Deleted, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::QuotasWrite, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::QuotasWrite, &target)
            .await?;
        let (tenant, pool, capacity) = (&input.tenant_id, &input.pool_id, &input.capacity);
        let detail = json!({"poolId": pool, "capacity": capacity, "deleted": true});
        let audit = attempt.done(service.now(), detail);
        let store = service.store();
        if !store.delete_quota(tenant, pool, capacity, audit).await? {
            return Err(ServiceError::new(
                Code::NotFound,
                format!(
                    "tenant `{tenant}` has no quota of `{capacity}` on pool `{pool}`; `quotas/list` lists those it has"
                ),
            ));
        }
        Ok(Deleted {
            tenant_id: tenant.clone(),
            pool_id: pool.clone(),
            capacity: capacity.clone(),
            deleted: true,
        })
    };
    attempt.settle(service, result.await).await
}
