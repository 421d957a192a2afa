//! `pools/get`: a pool that the tenant owns or is offered.

use berth_domain::id::{PoolId, TenantId};
use serde::Deserialize;

use super::PoolView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who sees it.
    pub tenant_id: TenantId,
    /// Which one.
    pub pool_id: PoolId,
}

/// The pool.
///
/// # Errors
/// `ACCESS_DENIED`; `NOT_FOUND` for a pool that the tenant can't see.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<PoolView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PoolsRead, &target);
    let result = async {
        service.decide(caller, Action::PoolsRead, &target).await?;
        match service
            .store()
            .visible_pool(&input.tenant_id, &input.pool_id)
            .await?
        {
            Some((pool, _offer)) => Ok(pool.into()),
            None => Err(ServiceError::new(
                Code::NotFound,
                format!(
                    "tenant `{}` sees no pool `{}`; `pools/list` lists those it sees",
                    input.tenant_id, input.pool_id
                ),
            )),
        }
    };
    attempt.settle(service, result.await).await
}
