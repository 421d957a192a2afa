//! `cloudResources/signals`: what a pool's provider raises about resources, for an attention list.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use berth_domain::id::{PoolId, ResourceId, TenantId};
use berth_domain::provider::Signal;
use berth_store::RecordedObject;
use serde::{Deserialize, Serialize};

use super::account_answers;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::place::Place;
use crate::{Caller, Code, Items, Service, ServiceError};

/// Most signals of an answer.
const SIGNALS_MAX: usize = 500;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// Which pool.
    pub pool_id: PoolId,
    /// Only those about this resource.
    #[serde(default, deserialize_with = "given")]
    pub resource_id: Option<ResourceId>,
}

/// A signal.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignalView {
    /// What the provider says.
    #[serde(flatten)]
    pub signal: Signal,
    /// The live resource that records its object, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_id: Option<ResourceId>,
}

/// The signals that the tenant may see, newest first, at most 500.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND` for a pool that the tenant can't see and a resource that it does not
/// have there, `UNSUPPORTED` for a provider without signals, `UNAVAILABLE` while it can't be asked.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<SignalView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesRead,
        &target,
    );
    let result = signals(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn signals(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<SignalView>, ServiceError> {
    service
        .decide(caller, Action::CloudResourcesRead, target)
        .await?;
    let place = service.place(&input.tenant_id, &input.pool_id).await?;
    if let Some(resource) = &input.resource_id {
        must_be_there(service, &input.tenant_id, &place, resource).await?;
    }
    let all = account_answers::signals(service, caller, &place).await?;
    let ids: BTreeSet<&str> = all
        .iter()
        .map(|signal| signal.provider_id.as_str())
        .collect();
    let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
    // Only now: what counts is what lives when the answer is given.
    let recorded = service
        .store()
        .recorded_objects(&place.account.id, &ids)
        .await?;
    let viewer = Viewer {
        tenant: &input.tenant_id,
        owns_account: place.account.tenant_id == input.tenant_id,
    };
    let mut items = viewer.shown(&all, recorded);
    items.retain(|item| {
        input
            .resource_id
            .as_ref()
            .is_none_or(|wanted| item.resource_id.as_ref() == Some(wanted))
    });
    items.sort_by_key(|item| Reverse(item.signal.at));
    items.truncate(SIGNALS_MAX);
    Ok(Items {
        items,
        next_cursor: None,
    })
}

async fn must_be_there(
    service: &Service,
    tenant: &TenantId,
    place: &Place,
    id: &ResourceId,
) -> Result<(), ServiceError> {
    let stored = service.store().resource(id).await?;
    let is_there = stored.is_some_and(|stored| {
        stored.row.tenant == *tenant && stored.row.account == place.account.id
    });
    if is_there {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::NotFound,
        format!(
            "tenant `{tenant}` has no resource `{id}` on the pool's account; `cloudResources/list` lists those it has"
        ),
    ))
}

/// For whom signals are shown.
struct Viewer<'a> {
    tenant: &'a TenantId,
    /// Sees all, recorded or not.
    owns_account: bool,
}

impl Viewer<'_> {
    fn shown(&self, signals: &[Signal], recorded: Vec<RecordedObject>) -> Vec<SignalView> {
        let mut by_object: HashMap<(String, String), Option<RecordedObject>> = HashMap::new();
        for object in recorded {
            let key = (object.kind.to_string(), object.provider_id.clone());
            // Objects within parents may share an id: whose the signal is can't be told then, and
            // nobody's resource gets another's signal.
            by_object
                .entry(key)
                .and_modify(|known| *known = None)
                .or_insert(Some(object));
        }
        signals
            .iter()
            .filter_map(|signal| {
                let key = (signal.kind.clone(), signal.provider_id.clone());
                let row = by_object.get(&key).and_then(Option::as_ref);
                let is_own = row.is_some_and(|row| row.tenant == *self.tenant);
                (self.owns_account || is_own).then(|| SignalView {
                    signal: signal.clone(),
                    resource_id: row.map(|row| row.resource.clone()),
                })
            })
            .collect()
    }
}
