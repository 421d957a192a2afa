//! `offers/list`: offers of a pool, to a tenant, or all.

use berth_domain::id::{PoolId, TenantId};
use berth_domain::platform::Offer;
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
    /// To this tenant. Only operators may leave it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// Of this pool.
    #[serde(default, deserialize_with = "given")]
    pub pool_id: Option<PoolId>,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The offers.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<Offer>, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::OffersRead, &target);
    let result = async {
        if input.tenant_id.is_some() {
            service.decide(caller, Action::OffersRead, &target).await?;
        } else {
            service
                .decide_as_operator(caller, Action::OffersRead, &target)
                .await?;
        }
        let after = input.cursor.as_ref().map(Cursor::as_str);
        let page = service
            .store()
            .offers(
                input.pool_id.as_ref(),
                input.tenant_id.as_ref(),
                after,
                ITEMS_MAX,
            )
            .await?;
        Ok(Items::of(page, |offer| offer))
    };
    attempt.settle(service, result.await).await
}
