//! `quotas/put`: sets what a tenant may book. Operators only.
//!
//! A quota below what is booked takes nothing back: nothing more is booked until less is.

use std::collections::BTreeSet;

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::CapacityName;
use berth_domain::platform::CapacityQuota;
use serde::Deserialize;
use serde_json::json;

use super::QuotaView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// Largest quota: every reader of JSON holds it exactly.
const AMOUNT_MAX: u64 = (1 << 53) - 1;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// On which pool.
    pub pool_id: PoolId,
    /// Of what: a name that kinds of the pool's provider book.
    pub capacity: CapacityName,
    /// How much.
    pub amount: u64,
}

/// The quota, with what is booked of it.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`; `NOT_FOUND` for a tenant or pool that is not there.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<QuotaView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::QuotasWrite, &target);
    let result = put(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn put(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<QuotaView, ServiceError> {
    service
        .decide_as_operator(attempt.caller, Action::QuotasWrite, target)
        .await?;
    if input.amount > AMOUNT_MAX {
        return Err(ServiceError::invalid(
            "/amount",
            format!("at most {AMOUNT_MAX} is taken"),
        ));
    }
    service.must_have_tenant(&input.tenant_id).await?;
    must_be_booked(service, &input).await?;
    let now = service.now();
    let quota = CapacityQuota {
        tenant_id: input.tenant_id,
        pool_id: input.pool_id,
        capacity: input.capacity,
        amount: input.amount,
        updated_at: now,
    };
    let detail =
        json!({"poolId": quota.pool_id, "capacity": quota.capacity, "amount": quota.amount});
    let store = service.store();
    if !store.put_quota(&quota, attempt.done(now, detail)).await? {
        return Err(no_pool(&quota.pool_id));
    }
    let booked = store.booked(&quota.tenant_id, &quota.pool_id).await?;
    Ok(QuotaView::of(quota, &booked))
}

/// A name that nothing books would be a quota that never counts: most likely a slip.
async fn must_be_booked(service: &Service, input: &Input) -> Result<(), ServiceError> {
    let store = service.store();
    let pool = store
        .pool(&input.pool_id)
        .await?
        .ok_or_else(|| no_pool(&input.pool_id))?;
    let account = match &pool.account_id {
        Some(account) => store.account(account).await?,
        None => None,
    };
    let Some(account) = account else {
        return Err(ServiceError::invalid(
            "/poolId",
            "is no provider pool, and only on those is capacity booked",
        ));
    };
    let Some(manifest) = service.manifest_in_force(&account.provider).await? else {
        return Ok(());
    };
    let known: BTreeSet<&str> = manifest
        .kinds
        .iter()
        .flat_map(|kind| kind.bookings.iter().map(String::as_str))
        .collect();
    if known.contains(input.capacity.as_str()) {
        return Ok(());
    }
    let names: Vec<&str> = known.into_iter().collect();
    let next = if names.is_empty() {
        "its kinds book nothing".to_owned()
    } else {
        format!("its kinds book {}", names.join(", "))
    };
    Err(ServiceError::invalid(
        "/capacity",
        format!(
            "no kind of the pool's provider `{}` books this; {next}",
            account.provider
        ),
    ))
}

fn no_pool(id: &PoolId) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("there is no pool `{id}`; `pools/list` lists those of a tenant"),
    )
}
