//! `offers/create`: a tenant may use a pool of the platform. Operators only.

use berth_domain::id::{OfferId, PoolId, TenantId};
use berth_domain::platform::Offer;
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use super::regions::check_regions;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// The pool: one of the platform's own.
    pub pool_id: PoolId,
    /// To whom.
    pub tenant_id: TenantId,
    /// Nothing is created under it yet.
    #[serde(default)]
    pub suspended: bool,
    /// Regions of the pool that it leaves out.
    #[serde(default)]
    pub excluded_regions: Vec<String>,
}

/// The offer.
///
/// # Errors
/// `ACCESS_DENIED`; `NOT_FOUND` for a pool or tenant that is not there; `INVALID_INPUT` for a
/// tenant's own pool; `CONFLICT` where it is offered already.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Offer, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::OffersWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Offer, ServiceError> {
    service
        .decide_as_operator(attempt.caller, Action::OffersWrite, target)
        .await?;
    service.must_have_tenant(&input.tenant_id).await?;
    let pool = service.store().pool(&input.pool_id).await?.ok_or_else(|| {
        ServiceError::new(
            Code::NotFound,
            format!(
                "there is no pool `{}`; `pools/list` lists those of a tenant",
                input.pool_id
            ),
        )
    })?;
    if !pool.tenant_id.is_root() {
        return Err(ServiceError::invalid(
            "/poolId",
            "is a tenant's own pool; only pools of the platform (tenant `root`) are offered",
        ));
    }
    if input.tenant_id.is_root() {
        return Err(ServiceError::invalid(
            "/tenantId",
            "owns the pool already; offer it to another tenant",
        ));
    }
    check_regions(service, &input.pool_id, &input.excluded_regions).await?;
    let now = service.now();
    let offer = Offer {
        id: OfferId::generate(now, service.entropy().id_seed()),
        pool_id: input.pool_id,
        tenant_id: input.tenant_id,
        suspended: input.suspended,
        excluded_regions: input.excluded_regions,
        created_at: now,
    };
    let audit = attempt.done(now, json!({"offerId": offer.id, "poolId": offer.pool_id}));
    match service.store().create_offer(&offer, audit).await? {
        Created::New => Ok(offer),
        Created::Taken => Err(ServiceError::new(
            Code::Conflict,
            format!(
                "pool `{}` is offered to tenant `{}` already; `offers/list` shows the offer",
                offer.pool_id, offer.tenant_id
            ),
        )),
    }
}
