//! On what terms a tenant may begin something new: its offer, and its budgets. Looked at after the decision.

use berth_domain::platform::Offer;

use crate::{Code, ServiceError};

/// An offer that is suspended, or leaves the region out, takes nothing new. A pool of the tenant's own needs
/// no offer.
///
/// # Errors
/// `ACCESS_DENIED` with reason `offerSuspended` or `regionExcluded`.
pub(super) fn check_offer(offer: Option<&Offer>, region: Option<&str>) -> Result<(), ServiceError> {
    let Some(offer) = offer else { return Ok(()) };
    if offer.suspended {
        return Err(ServiceError::new(
            Code::AccessDenied,
            format!("the offer of pool `{}` to the tenant is suspended: what is there goes on, and nothing new is created; ask an operator", offer.pool_id),
        )
        .reason("offerSuspended"));
    }
    check_region(Some(offer), region)
}

/// The same for what moves: only where it goes counts.
///
/// # Errors
/// `ACCESS_DENIED` with reason `regionExcluded`.
pub(super) fn check_region(
    offer: Option<&Offer>,
    region: Option<&str>,
) -> Result<(), ServiceError> {
    let (Some(offer), Some(region)) = (offer, region) else {
        return Ok(());
    };
    if !offer.excluded_regions.iter().any(|out| out == region) {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::AccessDenied,
        format!("the offer of pool `{}` to the tenant leaves region `{region}` out; choose another region, or ask an operator", offer.pool_id),
    )
    .reason("regionExcluded")
    .with("field", "spec.region"))
}
