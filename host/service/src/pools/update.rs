//! `pools/update`: title and billing mode.
//!
//! A new billing mode holds for each resource from its next look on, within five minutes: its meters
//! end or begin then. What ran before is billed as it ran.

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::{BillingMode, Pool};
use serde::Deserialize;
use serde_json::json;

use super::{PoolView, check_billing};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who owns it: `root` for the platform's own.
    pub tenant_id: TenantId,
    /// Which one.
    pub pool_id: PoolId,
    /// A new title.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// How it is charged from now on. Operators only.
    #[serde(default, deserialize_with = "given")]
    pub billing_mode: Option<BillingMode>,
}

/// The pool as it now is.
///
/// # Errors
/// `ACCESS_DENIED`; `NOT_FOUND` for a pool that the tenant does not own.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<PoolView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PoolsWrite, &target);
    let result = update(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn update(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<PoolView, ServiceError> {
    service
        .decide(attempt.caller, Action::PoolsWrite, target)
        .await?;
    let missing = || {
        ServiceError::new(
            Code::NotFound,
            format!(
                "tenant `{}` owns no pool `{}`; `pools/list` lists those it sees",
                input.tenant_id, input.pool_id
            ),
        )
    };
    let store = service.store();
    let owned = |pool: &Pool| pool.tenant_id == input.tenant_id;
    let found = store.pool(&input.pool_id).await?;
    let mut pool = found.filter(owned).ok_or_else(missing)?;
    check_billing(attempt.caller, input.billing_mode)?;
    if let Some(title) = input.title.clone() {
        pool.title = title;
    }
    if let Some(mode) = input.billing_mode {
        pool.billing_mode = mode;
    }
    let detail = json!({"poolId": pool.id, "billingMode": pool.billing_mode});
    let audit = attempt.done(service.now(), detail);
    if store.update_pool(&pool, audit).await? {
        Ok(pool.into())
    } else {
        Err(missing())
    }
}
