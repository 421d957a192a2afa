//! `pools/create`.

use berth_domain::id::{AccountId, PoolId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::{BillingMode, Pool, PoolType};
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use super::{PoolView, check_billing};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who owns it: `root` for the platform's own.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// `provider`: on a provider account. `machines`: the platform's own, which serve no cloud resources.
    #[serde(rename = "type")]
    pub pool_type: PoolType,
    /// The account of a provider pool: one of the same owner.
    #[serde(default, deserialize_with = "given")]
    pub account_id: Option<AccountId>,
    /// How it is charged. Operators only; if left out `metered` on the platform's accounts, and
    /// `platform-fee` on a tenant's own, whose provider bills the tenant itself.
    #[serde(default, deserialize_with = "given")]
    pub billing_mode: Option<BillingMode>,
}

/// The pool.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`; `NOT_FOUND` for a tenant that is not there.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<PoolView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PoolsWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<PoolView, ServiceError> {
    service
        .decide(attempt.caller, Action::PoolsWrite, target)
        .await?;
    check_billing(attempt.caller, input.billing_mode)?;
    service.must_have_tenant(&input.tenant_id).await?;
    check_account(service, &input).await?;
    let by_default = if input.tenant_id.is_root() {
        BillingMode::Metered
    } else {
        BillingMode::PlatformFee
    };
    let now = service.now();
    let pool = Pool {
        id: PoolId::generate(now, service.entropy().id_seed()),
        tenant_id: input.tenant_id,
        title: input.title,
        pool_type: input.pool_type,
        account_id: input.account_id,
        billing_mode: input.billing_mode.unwrap_or(by_default),
        created_at: now,
    };
    match service
        .store()
        .create_pool(&pool, attempt.done(now, json!({"poolId": pool.id})))
        .await?
    {
        Created::New => Ok(pool.into()),
        Created::Taken => Err(ServiceError::internal(format!(
            "the fresh id {} is taken",
            pool.id
        ))),
    }
}

async fn check_account(service: &Service, input: &Input) -> Result<(), ServiceError> {
    let wrong = |text: &str| Err(ServiceError::invalid("/accountId", text));
    match (input.pool_type, &input.account_id) {
        (PoolType::Machines, None) => Ok(()),
        (PoolType::Machines, Some(_)) => wrong("a pool of machines is on no account; leave it out"),
        (PoolType::Provider, None) => {
            wrong("missing: a provider pool is on an account; `accounts/list` lists them")
        }
        (PoolType::Provider, Some(id)) => {
            let account = service.store().account(id).await?;
            if account.is_some_and(|account| account.tenant_id == input.tenant_id) {
                return Ok(());
            }
            wrong("names no account of the pool's owner; `accounts/list` lists them")
        }
    }
}
