//! `usage/list`: usage by resource, meter and hour.

use berth_domain::id::TenantId;

use super::UsageView;
pub use super::page::Input;
use super::page::{decide, page};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::list::ITEMS_MAX;
use crate::{Caller, Items, Service, ServiceError};

/// The usage of a window, half-open.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<UsageView>, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::UsageRead, &target);
    let result = async {
        decide(service, caller, input.tenant_id.as_ref(), &target).await?;
        let page = page(service, &input, ITEMS_MAX).await?;
        Ok(Items {
            items: page.rows,
            next_cursor: page.next,
        })
    };
    attempt.settle(service, result.await).await
}
