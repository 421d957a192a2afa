//! `prices/list`: the price book, as far as a tenant may see it, or all of it.

use berth_domain::id::TenantId;
use berth_domain::input::MeterName;
use berth_domain::money::Price;
use serde::Deserialize;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// What this tenant may see: prices of all pools, and of those that it sees. Only operators may leave
    /// it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// Of this meter.
    #[serde(default, deserialize_with = "given")]
    pub meter: Option<MeterName>,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The prices, those that are no more in force too, oldest first.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<Price>, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::PricesRead, &target);
    let result = async {
        if input.tenant_id.is_some() {
            service.decide(caller, Action::PricesRead, &target).await?;
        } else {
            service
                .decide_as_operator(caller, Action::PricesRead, &target)
                .await?;
        }
        let page = service
            .store()
            .prices(
                input.tenant_id.as_ref(),
                input.meter.as_ref(),
                input.cursor.as_ref().map(Cursor::as_str),
                ITEMS_MAX,
            )
            .await?;
        Ok(Items::of(page, |price| price))
    };
    attempt.settle(service, result.await).await
}
