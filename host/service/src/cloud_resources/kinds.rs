//! `cloudResources/kinds`: what a pool's provider serves.

use std::collections::HashMap;

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::KindId;
use berth_domain::manifest::{Family, Kind, Output};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// Which pool.
    pub pool_id: PoolId,
}

/// A kind as a tenant sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KindView {
    /// Its id, to create with.
    pub kind: String,
    /// For people.
    pub title: String,
    /// Its group.
    pub family: Family,
    /// JSON Schema of the spec.
    pub spec: Value,
    /// Plain outputs.
    pub outputs: Vec<Output>,
    /// Sealed outputs.
    pub secret_outputs: Vec<Output>,
    /// The spec has a required `region`.
    pub regional: bool,
    /// Top-level fields of the spec that are changed in place.
    pub updatable: Vec<String>,
    /// Its own meters.
    pub meters: Vec<String>,
    /// The kind that it lives in, the first if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// All kinds that it may live in.
    pub parents: Vec<String>,
    /// Fields of the spec that name it within its parent.
    pub identity: Vec<String>,
    /// A parent has at most one.
    pub singleton: bool,
    /// A preview of the provider.
    pub preview: bool,
    /// It can be created on this account.
    pub available: bool,
    /// How many the tenant may have, and has.
    pub quota: QuotaView,
}

/// A quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuotaView {
    /// Live resources of the kind that the tenant may have.
    pub limit: u32,
    /// Those that it has; ones being deleted count.
    pub used: u32,
}

/// The kinds.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND` for a pool that the tenant can't see, `UNSUPPORTED` for one that
/// serves no cloud resources.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<KindView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesRead,
        &target,
    );
    let result = kinds(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn kinds(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<KindView>, ServiceError> {
    service
        .decide(caller, Action::CloudResourcesRead, target)
        .await?;
    let place = service.place(&input.tenant_id, &input.pool_id).await?;
    let used: HashMap<KindId, u32> = service
        .store()
        .count_by_kind(&input.tenant_id)
        .await?
        .into_iter()
        .collect();
    let quotas = service.quotas(&input.tenant_id).await?;
    let items = place
        .generation
        .manifest()
        .kinds
        .iter()
        .map(|kind| {
            let id = kind.id.parse::<KindId>().ok();
            let limit = id.as_ref().and_then(|id| quotas.get(id)).copied();
            let quota = QuotaView {
                limit: limit.unwrap_or(service.settings().max_per_kind),
                used: id.and_then(|id| used.get(&id).copied()).unwrap_or(0),
            };
            view(kind, place.account.previews, quota)
        })
        .collect();
    Ok(Items {
        items,
        next_cursor: None,
    })
}

fn view(kind: &Kind, previews: bool, quota: QuotaView) -> KindView {
    KindView {
        kind: kind.id.clone(),
        title: kind.title.clone(),
        family: kind.family,
        spec: kind.spec_schema.clone(),
        outputs: kind.outputs.clone(),
        secret_outputs: kind.secret_outputs.clone(),
        regional: kind.regional,
        updatable: kind.updatable.clone(),
        meters: kind.meters.clone(),
        parent: kind.parents.first().cloned(),
        parents: kind.parents.clone(),
        identity: kind.identity.clone(),
        singleton: kind.singleton,
        preview: kind.preview,
        available: !kind.preview || previews,
        quota,
    }
}
