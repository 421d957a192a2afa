//! `offers/update`: suspends an offer, or leaves out regions of its pool. Operators only.
//!
//! What the tenant has there already stays and goes on: it is looked at, changed and deleted as before.

use berth_domain::id::{OfferId, TenantId};
use berth_domain::platform::Offer;
use serde::Deserialize;
use serde_json::json;

use super::regions::check_regions;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Which one.
    pub offer_id: OfferId,
    /// Nothing new is created under it.
    #[serde(default, deserialize_with = "given")]
    pub suspended: Option<bool>,
    /// Regions in which nothing new is created under it, and nothing is moved to: all of them, anew.
    #[serde(default, deserialize_with = "given")]
    pub excluded_regions: Option<Vec<String>>,
}

/// The offer as it now is.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Offer, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::OffersWrite, &target);
    let result = update(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn update(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<Offer, ServiceError> {
    service
        .decide_as_operator(attempt.caller, Action::OffersWrite, target)
        .await?;
    let missing = || {
        ServiceError::new(
            Code::NotFound,
            format!(
                "there is no offer `{}`; `offers/list` lists those there are",
                input.offer_id
            ),
        )
    };
    let store = service.store();
    let mut offer = store.offer(&input.offer_id).await?.ok_or_else(missing)?;
    if let Some(suspended) = input.suspended {
        offer.suspended = suspended;
    }
    if let Some(regions) = &input.excluded_regions {
        check_regions(service, &offer.pool_id, regions).await?;
        offer.excluded_regions.clone_from(regions);
    }
    let audit = attempt.done(service.now(), json!(offer));
    if store.update_offer(&offer, audit).await? {
        Ok(offer)
    } else {
        Err(missing())
    }
}
