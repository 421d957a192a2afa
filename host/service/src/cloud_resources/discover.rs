//! `cloudResources/discover`: what there is of a kind on an account of the caller's own.

use std::collections::{BTreeSet, HashMap};

use berth_domain::id::{PoolId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::label::{Manager, manager};
use berth_domain::manifest::Kind;
use berth_domain::provider::{Observation, Phase};
use berth_domain::spec::{Spec, SpecSchema};
use serde::{Deserialize, Serialize};

use super::own_account::{must_be_in_no_parent, must_own_account};
use super::recording::must_be_offered;
use super::spec::{region_within, schema_of};
use crate::asking::answered;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::place::Place;
use crate::{Caller, Items, Service, ServiceError};

/// Most objects of an answer.
const OBJECTS_MAX: usize = 500;
/// Most pages that are read for one answer.
const PAGES_MAX: usize = 64;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// Which pool.
    pub pool_id: PoolId,
    /// Of which kind.
    pub kind: KindId,
}

/// An object at the provider.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObjectView {
    /// The provider's id of it, to adopt it by.
    pub provider_id: String,
    /// What it is called there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it is, of a regional kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// What the provider reports as its spec; never a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<Spec>,
    /// The deployment that manages it: this one, or another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub managed_by: Option<Manager>,
    /// The live resource that records it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
}

/// The kind's objects on the account, at most 500.
///
/// # Errors
/// `ACCESS_DENIED`, also for a pool on another's account; `NOT_FOUND` for a pool that the tenant can't
/// see; `UNSUPPORTED` for a kind that lives in a parent or is not served; `UNAVAILABLE` while the
/// provider can't be asked.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<ObjectView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesRead,
        &target,
    );
    let result = discover(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn discover(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<ObjectView>, ServiceError> {
    service
        .decide(caller, Action::CloudResourcesRead, target)
        .await?;
    let place = service.place(&input.tenant_id, &input.pool_id).await?;
    must_own_account(&input.tenant_id, &place)?;
    let kind = place.kind(&input.kind)?;
    must_be_in_no_parent(kind)?;
    must_be_offered(kind, &place)?;
    let schema = schema_of(&place.generation, kind)?;

    let objects = objects(service, caller, &place, &kind.id).await?;
    let ids: Vec<String> = objects
        .iter()
        .map(|object| object.provider_id.clone())
        .collect();
    // Only now: what counts is what lives when the answer is given.
    let recorded = service
        .store()
        .recorded_objects(&place.account.id, &ids)
        .await?;
    let recorded: HashMap<String, ResourceId> = recorded
        .into_iter()
        .filter(|object| object.kind == input.kind)
        .map(|object| (object.provider_id, object.resource))
        .collect();
    let items = objects
        .into_iter()
        .map(|object| ObjectView {
            resource_id: recorded.get(&object.provider_id).cloned(),
            managed_by: manager(&object.labels, &service.deployment().id),
            ..view(object, schema, kind)
        })
        .collect();
    Ok(Items {
        items,
        next_cursor: None,
    })
}

fn view(object: Observation, schema: &SpecSchema, kind: &Kind) -> ObjectView {
    let spec = object.spec.map(|spec| schema.shown(&spec));
    ObjectView {
        provider_id: object.provider_id,
        name: object.name,
        region: spec.as_ref().and_then(|spec| region_within(spec, kind)),
        spec,
        managed_by: None,
        resource_id: None,
    }
}

/// Page by page. A list is no snapshot: what moved between two pages is shown twice, and told once.
async fn objects(
    service: &Service,
    caller: &Caller,
    place: &Place,
    kind: &str,
) -> Result<Vec<Observation>, ServiceError> {
    let mut seen = BTreeSet::new();
    let mut objects = Vec::new();
    let mut cursor = None;
    for _ in 0..PAGES_MAX {
        let call = service.read_call(caller, place)?;
        let runtime = service.runtime();
        let page = runtime.list(&place.generation, call, kind, None, cursor.take());
        let page = answered(&place.account.provider, page.await)?;
        objects.extend(
            page.items
                .into_iter()
                .filter(|item| item.phase != Phase::Gone)
                .filter(|item| seen.insert(item.provider_id.clone())),
        );
        match page.next {
            Some(next) if objects.len() < OBJECTS_MAX => cursor = Some(next),
            _ => break,
        }
    }
    objects.truncate(OBJECTS_MAX);
    Ok(objects)
}
