//! `prices/put`: a price from a time on. Operators only.

use berth_domain::calendar::month_of;
use berth_domain::id::{PoolId, PriceId, TenantId};
use berth_domain::input::{Currency, KindId, MeterName};
use berth_domain::money::{MICROS_MAX, Price, parts};
use berth_domain::time::Millis;
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Code, Service, ServiceError};

/// Most prices of a currency that hold at some time of a month: a budget is counted with all of them.
pub(crate) const PRICES_MAX: u32 = 10_000;
/// Most times of a month at which prices of a currency begin: usage is summed up between them.
const TIMES_MAX: usize = 64;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of which meter: `cloud.resource.hours`, or one of a kind's own.
    pub meter: MeterName,
    /// Of this kind alone.
    #[serde(default, deserialize_with = "given")]
    pub kind: Option<KindId>,
    /// On this pool alone.
    #[serde(default, deserialize_with = "given")]
    pub pool_id: Option<PoolId>,
    /// In which currency.
    pub currency: Currency,
    /// For one unit: millionths of the currency's unit.
    pub micros: u64,
    /// From when on, in epoch ms; now if left out.
    #[serde(default, deserialize_with = "given")]
    pub valid_from: Option<Millis>,
}

/// The price.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`; `NOT_FOUND` for a pool that is not there; `QUOTA_EXCEEDED` where prices
/// change too often.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Price, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::PricesWrite, &target);
    let result = put(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn put(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Price, ServiceError> {
    service
        .decide_as_operator(attempt.caller, Action::PricesWrite, target)
        .await?;
    if input.micros > MICROS_MAX {
        return Err(ServiceError::invalid(
            "/micros",
            format!("at most {MICROS_MAX} is taken"),
        ));
    }
    let now = service.now();
    let valid_from = input.valid_from.unwrap_or(now);
    if valid_from < now {
        return Err(ServiceError::invalid(
            "/validFrom",
            "lies in the past, and what was billed is not changed; leave it out for now, or choose a time ahead",
        ));
    }
    if let Some(pool) = &input.pool_id
        && service.store().pool(pool).await?.is_none()
    {
        return Err(ServiceError::new(
            Code::NotFound,
            format!("there is no pool `{pool}`; `pools/list` lists those of a tenant"),
        ));
    }
    must_have_room(service, &input.currency, valid_from).await?;
    let price = Price {
        id: PriceId::generate(now, service.entropy().id_seed()),
        meter: input.meter,
        kind: input.kind,
        pool_id: input.pool_id,
        currency: input.currency,
        micros: input.micros,
        valid_from,
        created_at: now,
    };
    let audit = attempt.done(now, json!(price));
    match service.store().create_price(&price, audit).await? {
        Created::New => Ok(price),
        Created::Taken => Err(ServiceError::internal(format!(
            "the fresh id {} is taken",
            price.id
        ))),
    }
}

async fn must_have_room(
    service: &Service,
    currency: &Currency,
    valid_from: Millis,
) -> Result<(), ServiceError> {
    let month = month_of(valid_from);
    let prices = service
        .store()
        .prices_in_force(currency, month.from, month.to, PRICES_MAX)
        .await?;
    if prices.len() >= PRICES_MAX as usize {
        return Err(ServiceError::new(
            Code::QuotaExceeded,
            format!("{PRICES_MAX} prices in {currency} hold in that month, and no more are taken; use prices of a kind or a meter rather than of each pool"),
        )
        .reason("prices")
        .with("limit", PRICES_MAX));
    }
    if parts(&prices, month).len() >= TIMES_MAX
        && prices.iter().all(|price| price.valid_from != valid_from)
    {
        return Err(ServiceError::new(
            Code::QuotaExceeded,
            format!("prices in {currency} begin at {TIMES_MAX} times of that month, and at no more; let this one begin with another, or in another month"),
        )
        .reason("prices")
        .with("limit", TIMES_MAX));
    }
    Ok(())
}
