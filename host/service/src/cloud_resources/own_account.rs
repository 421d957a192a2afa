//! What is done with an account as a whole is its owner's to do.

use berth_domain::id::TenantId;
use berth_domain::manifest::Kind;

use crate::place::Place;
use crate::{Code, ServiceError};

/// # Errors
/// `ACCESS_DENIED` for a pool on another tenant's account. (The platform's accounts are root's own.)
pub(super) fn must_own_account(tenant: &TenantId, place: &Place) -> Result<(), ServiceError> {
    if place.account.tenant_id == *tenant {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::AccessDenied,
        format!(
            "pool `{}` is on an account that tenant `{tenant}` does not own, and others have objects there; use a pool on an account of its own",
            place.pool.id
        ),
    )
    .reason("notAccountOwner"))
}

/// # Errors
/// `UNSUPPORTED` for a kind that lives in another.
pub(super) fn must_be_in_no_parent(kind: &Kind) -> Result<(), ServiceError> {
    if !kind.is_child() {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::Unsupported,
        format!(
            "kind `{}` lives in a {}, and its objects are not taken over by themselves; adopt that, then create what lives in it",
            kind.id,
            kind.parents.join(" or ")
        ),
    )
    .reason("parent"))
}
