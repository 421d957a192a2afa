//! `audit/list`: the newest rows of the audit, of one tenant or, to operators, of all.

use berth_domain::audit::AuditRow;
use berth_domain::id::TenantId;
use serde::Deserialize;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of this tenant. Only operators may leave it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// At most so many: 1 to 500, 100 if left out.
    #[serde(default, deserialize_with = "given")]
    pub limit: Option<u32>,
}

/// The rows, newest first.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<AuditRow>, ServiceError> {
    let tenant = input.tenant_id.clone().unwrap_or_else(TenantId::root);
    let target = Target::tenant(&tenant);
    let attempt = Attempt::new(caller, &tenant, Action::AuditRead, &target);
    let result = async {
        if input.tenant_id.is_some() {
            service.decide(caller, Action::AuditRead, &target).await?;
        } else {
            service
                .decide_as_operator(caller, Action::AuditRead, &target)
                .await?;
        }
        let limit = input.limit.unwrap_or(100);
        if !(1..=ITEMS_MAX).contains(&limit) {
            return Err(ServiceError::invalid(
                "/limit",
                format!("expected 1 to {ITEMS_MAX}"),
            ));
        }
        let items = service
            .store()
            .list_audit(input.tenant_id.as_ref(), limit)
            .await?;
        Ok(Items {
            items,
            next_cursor: None,
        })
    };
    attempt.settle(service, result.await).await
}
