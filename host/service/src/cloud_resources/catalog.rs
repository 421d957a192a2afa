//! `cloudResources/catalog`: what can be installed on instances and clusters of a pool's provider.
//!
//! It is only told: it is installed through those, never by `create`.

use berth_domain::id::{PoolId, TenantId};
use berth_domain::provider::{Application, InstallsOn};
use serde::Deserialize;

use super::account_answers::applications;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Items, Service, ServiceError};

/// Most applications of an answer.
const APPLICATIONS_MAX: usize = 1_000;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// Which pool.
    pub pool_id: PoolId,
    /// Only what is installed on this.
    #[serde(default, deserialize_with = "given")]
    pub installs_on: Option<InstallsOn>,
}

/// The applications, as the provider lists them, at most 1000.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND` for a pool that the tenant can't see, `UNSUPPORTED` for a provider
/// without a catalog, `UNAVAILABLE` while the provider can't be asked.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<Application>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesRead,
        &target,
    );
    let result = catalog(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn catalog(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<Application>, ServiceError> {
    service
        .decide(caller, Action::CloudResourcesRead, target)
        .await?;
    let place = service.place(&input.tenant_id, &input.pool_id).await?;
    let all = applications(service, caller, &place).await?;
    let wanted = all.iter().filter(|application| {
        input
            .installs_on
            .is_none_or(|wanted| application.installs_on == wanted)
    });
    Ok(Items {
        items: wanted.take(APPLICATIONS_MAX).cloned().collect(),
        next_cursor: None,
    })
}
