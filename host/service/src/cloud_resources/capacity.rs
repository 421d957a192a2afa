//! Capacity that a tenant has not enough left of.

use berth_store::CapacityShortage;

use crate::{Code, ServiceError};

/// The refusal of a spec that would book beyond the tenant's quota on the pool.
pub(super) fn over_capacity(shortage: &CapacityShortage) -> ServiceError {
    let CapacityShortage {
        capacity,
        limit,
        booked,
        wanted,
    } = shortage;
    ServiceError::new(
        Code::QuotaExceeded,
        format!("the spec books {wanted} of `{capacity}`, and the tenant may book {limit} on this pool, of which its other resources hold {booked}; choose a smaller one, delete another, or ask an operator for more (`quotas/put`; `service.defaultCapacity` is what holds without one)"),
    )
    .reason("capacity")
    .with("capacity", capacity.as_str())
    .with("limit", *limit)
    .with("booked", *booked)
    .with("wanted", *wanted)
}
