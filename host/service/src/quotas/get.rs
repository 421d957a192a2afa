//! `quotas/get`: what a tenant may book of a capacity on a pool, and has booked.

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::CapacityName;
use serde::Deserialize;

use super::QuotaView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

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

/// The quota; the host's default where nobody set one.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<QuotaView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::QuotasRead, &target);
    let result = async {
        service.decide(caller, Action::QuotasRead, &target).await?;
        let store = service.store();
        let booked = store.booked(&input.tenant_id, &input.pool_id).await?;
        let quota = store
            .quota(&input.tenant_id, &input.pool_id, &input.capacity)
            .await?;
        Ok(match quota {
            Some(quota) => QuotaView::of(quota, &booked),
            None => QuotaView {
                booked: booked.get(input.capacity.as_str()).copied().unwrap_or(0),
                tenant_id: input.tenant_id.clone(),
                pool_id: input.pool_id.clone(),
                capacity: input.capacity.clone(),
                amount: service.settings().default_capacity,
                updated_at: None,
            },
        })
    };
    attempt.settle(service, result.await).await
}
