//! `quotas/list`: quotas of a tenant, on a pool, or all.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use berth_domain::id::{PoolId, TenantId};
use berth_domain::resource::Amounts;
use serde::Deserialize;

use super::QuotaView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of this tenant. Only operators may leave it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// On this pool.
    #[serde(default, deserialize_with = "given")]
    pub pool_id: Option<PoolId>,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The quotas that somebody set, by tenant, pool and capacity.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<QuotaView>, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::QuotasRead, &target);
    let result = list(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn list(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<QuotaView>, ServiceError> {
    if input.tenant_id.is_some() {
        service.decide(caller, Action::QuotasRead, target).await?;
    } else {
        service
            .decide_as_operator(caller, Action::QuotasRead, target)
            .await?;
    }
    let store = service.store();
    let page = store
        .quotas(
            input.tenant_id.as_ref(),
            input.pool_id.as_ref(),
            input.cursor.as_ref().map(Cursor::as_str),
            ITEMS_MAX,
        )
        .await?;
    let mut booked: HashMap<(TenantId, PoolId), Amounts> = HashMap::new();
    for quota in &page.items {
        let place = (quota.tenant_id.clone(), quota.pool_id.clone());
        if let Entry::Vacant(unread) = booked.entry(place) {
            let (tenant, pool) = unread.key();
            let amounts = store.booked(tenant, pool).await?;
            unread.insert(amounts);
        }
    }
    let nothing = Amounts::new();
    Ok(Items::of(page, |quota| {
        let place = (quota.tenant_id.clone(), quota.pool_id.clone());
        let amounts = booked.get(&place).unwrap_or(&nothing);
        QuotaView::of(quota, amounts)
    }))
}
