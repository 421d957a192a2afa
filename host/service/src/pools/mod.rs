//! `pools`: places where resources are created.

pub mod create;
pub mod get;
pub mod list;
pub mod update;

mod view;

pub use view::PoolView;

use berth_domain::platform::BillingMode;

use crate::{Caller, Code, ServiceError};

/// How a pool is charged is the platform's word, on a tenant's own account as well.
fn check_billing(caller: &Caller, mode: Option<BillingMode>) -> Result<(), ServiceError> {
    if mode.is_none() || caller.is_operator() {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::AccessDenied,
        "only operators (principals of tenant `root`) set `billingMode`; leave it out, or ask one of them",
    )
    .reason("billingMode"))
}
