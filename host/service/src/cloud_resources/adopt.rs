//! `cloudResources/adopt`: records an object that existed before, which the reconciler then takes over.

use berth_domain::id::{PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::{Description, IdempotencyKey, KindId, ProviderId, ResourceName};
use berth_domain::label::{self, Manager};
use berth_domain::linked::Named;
use berth_domain::manifest::Kind;
use berth_domain::provider::{Observation, Phase, ProviderError, Wanted};
use berth_domain::resource::{Demand, Found, NewResource, Resource, adopted_resource};
use berth_domain::spec::Spec;
use berth_runtime::{Call, CallFailure, Priority};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ResourceView;
use super::labels::labelled_row;
use super::own_account::{must_be_in_no_parent, must_own_account};
use super::recording::{Recording, must_be_available, must_have_project, recorded};
use super::spec::{region_within, schema_of};
use crate::asking::answered;
use crate::attempt::Attempt;
use crate::canonical::digest;
use crate::decision::{Action, Judge, Target};
use crate::given::given;
use crate::place::Place;
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for. Serialised, it is what a retry is compared by.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// For whom.
    pub tenant_id: TenantId,
    /// In which project.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub project_id: Option<ProjectId>,
    /// In which pool.
    pub pool_id: PoolId,
    /// Of which kind.
    pub kind: KindId,
    /// Which object: as `discover` lists it.
    pub provider_id: ProviderId,
    /// Called so here; unique among the tenant's live resources of the kind.
    pub name: ResourceName,
    /// Words for people.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<Description>,
    /// Makes a retry the same request.
    pub idempotency_key: IdempotencyKey,
}

/// The resource: `pending` and without a spec if it is new, as it is now if this is a retry.
///
/// # Errors
/// Everything that the contract names; nothing is recorded then but the refusal, and nothing is ever
/// written at the provider.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<ResourceView, ServiceError> {
    let id = ResourceId::derive(
        &input.tenant_id,
        &caller.principal.id,
        input.idempotency_key.as_str(),
    );
    let target = Target::unknown(&input.tenant_id, &id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesCreate,
        &target,
    );
    let result = adopt(service, &attempt, id, input).await;
    Ok(attempt.settle(service, result).await?.into())
}

/// In the order of `create`. The provider is asked once everything else has been looked at that needs no
/// other row.
async fn adopt(
    service: &Service,
    attempt: &Attempt<'_>,
    id: ResourceId,
    input: Input,
) -> Result<Resource, ServiceError> {
    let caller = attempt.caller;
    let judge = service.judge(caller).await?;
    judge.require_reach(
        Action::CloudResourcesCreate,
        &Target::unknown(&input.tenant_id, &id),
    )?;
    let recording = Recording {
        service,
        attempt,
        judge: &judge,
        input_digest: digest("adopt", &json!(input)),
    };
    if let Some(row) = recording.replayed(&id).await? {
        return Ok(row);
    }

    let place = service.place(&input.tenant_id, &input.pool_id).await?;
    let kind = place.kind(&input.kind)?;
    let target = Target::wished(&input.tenant_id, &id, kind, &place.pool, &place.account)
        .named(&input.name)
        .in_project(input.project_id.as_ref());
    may_adopt_somewhere(&judge, &target, kind, &place)?;

    must_own_account(&input.tenant_id, &place)?;
    must_be_adoptable(kind)?;
    must_be_available(service, kind, &place)?;
    must_be_an_id(&input.provider_id, kind, &place)?;
    must_have_project(service, &input.tenant_id, input.project_id.as_ref()).await?;

    let seen = ask(service, caller, &place, &id, &input).await?;
    let found = must_be_free(service, kind, &place, seen).await?;
    let region = region_within(&found.spec, kind);
    judge.require(
        Action::CloudResourcesCreate,
        &target.in_region(region.clone()),
    )?;
    recording
        .check_terms(&place, input.project_id.as_ref(), region.as_deref())
        .await?;

    let new = NewResource {
        id,
        tenant: input.tenant_id,
        project: input.project_id,
        pool: input.pool_id,
        account: place.account.id.clone(),
        provider: place.account.provider.clone(),
        kind: input.kind,
        name: input.name,
        description: input.description,
        parent: None,
        owner: caller.principal.id.clone(),
        spec: Spec::new(),
        defaults: Spec::new(),
        named: Named::default(),
        demand: Demand::default(),
        generation: place.digest(),
        input_digest: recording.input_digest.clone(),
    };
    let made = adopted_resource(new, found, kind, service.now());
    recording.record(made, Vec::new()).await
}

/// Policies see the region, which only the object tells. So before that is asked for, what is decided
/// is whether the caller may adopt at all, be it in one of the account's regions only.
fn may_adopt_somewhere(
    judge: &Judge<'_>,
    target: &Target,
    kind: &Kind,
    place: &Place,
) -> Result<(), ServiceError> {
    let action = Action::CloudResourcesCreate;
    let in_some_region =
        kind.regional
            && place.account.regions.iter().any(|region| {
                judge.allows(action, &target.clone().in_region(Some(region.clone())))
            });
    if in_some_region {
        return Ok(());
    }
    judge.require(action, target)
}

fn must_be_adoptable(kind: &Kind) -> Result<(), ServiceError> {
    must_be_in_no_parent(kind)?;
    if !kind.bookings.is_empty() {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!(
                "kind `{}` books capacity, and nothing was booked for what exists already; create it here instead",
                kind.id
            ),
        )
        .reason("quotaBooked"));
    }
    if !kind.adoptable {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!(
                "an object of kind `{}` can't be labelled, so it can't be made this deployment's; create it here instead",
                kind.id
            ),
        )
        .reason("adopt"));
    }
    Ok(())
}

/// Nothing that does not look like an id of the kind is put into a request.
fn must_be_an_id(id: &ProviderId, kind: &Kind, place: &Place) -> Result<(), ServiceError> {
    if place.generation.is_id(&kind.id, id.as_str()) {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/providerId",
        format!(
            "not an id of kind `{}`, which match `{}`; `cloudResources/discover` lists those there are",
            kind.id, kind.id_pattern
        ),
    ))
}

/// Asks the provider for that one object. Nothing is wanted of it yet.
async fn ask(
    service: &Service,
    caller: &Caller,
    place: &Place,
    id: &ResourceId,
    input: &Input,
) -> Result<Observation, ServiceError> {
    let wanted = Wanted {
        id: id.clone(),
        kind: input.kind.to_string(),
        name: input.provider_id.to_string(),
        spec: Spec::new(),
        labels: label::ownership(&service.deployment().id, id, &input.tenant_id),
        provider_id: Some(input.provider_id.to_string()),
        parent: None,
        instances: Vec::new(),
        networks: Vec::new(),
        memo: None,
    };
    let call = Call {
        tenant: Some(input.tenant_id.clone()),
        resource: Some(id.clone()),
        priority: Priority::User,
        ..service.read_call(caller, place)?
    };
    let seen = service
        .runtime()
        .observe(&place.generation, call, wanted)
        .await;
    if let Err(CallFailure::Provider(ProviderError::NotFound(_))) = &seen.result {
        return Err(missing(input, place));
    }
    let seen = answered(&place.account.provider, seen)?;
    if seen.phase == Phase::Gone {
        return Err(missing(input, place));
    }
    Ok(seen)
}

fn missing(input: &Input, place: &Place) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!(
            "there is no `{}` of the id `{}` on the pool's account at `{}`; `cloudResources/discover` lists those there are",
            input.kind, input.provider_id, place.account.provider
        ),
    )
    .reason("object")
}

/// Nobody has it, or this deployment without a live row of it.
async fn must_be_free(
    service: &Service,
    kind: &Kind,
    place: &Place,
    seen: Observation,
) -> Result<Found, ServiceError> {
    if label::manager(&seen.labels, &service.deployment().id) == Some(Manager::Other) {
        return Err(ServiceError::new(
            Code::InvalidState,
            "another deployment manages the object; release it there first",
        )
        .reason("managedByAnother"));
    }
    if let Some(holder) = labelled_row(service, &seen.labels).await? {
        return Err(recorded(&holder));
    }
    let schema = schema_of(&place.generation, kind)?;
    let reported = schema.reported(&seen.spec.unwrap_or_default());
    let spec = reported.map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        ServiceError::new(
            Code::Unsupported,
            format!(
                "what the provider reports of the object is no spec of kind `{}` ({}), so it can't be managed here",
                kind.id,
                faults.join("; ")
            ),
        )
        .reason("adopt")
    })?;
    Ok(Found {
        provider_id: seen.provider_id,
        name: seen.name,
        spec,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(more: serde_json::Value) -> Kind {
        let mut kind = json!({
            "id": "x.endpoint", "title": "Endpoint", "family": "ai",
            "specSchema": {"type": "object"}, "outputs": [], "secretOutputs": [],
            "regional": false, "updatable": [], "parents": [], "identity": [],
            "singleton": false, "preview": false, "meters": [], "bookings": [],
            "ownership": "labels", "releasable": true, "adoptable": true, "listsWhole": false,
            "idPattern": "[a-z]+", "reads": [], "writes": [],
        });
        for (field, value) in more.as_object().cloned().unwrap_or_default() {
            kind[field] = value;
        }
        serde_json::from_value(kind).unwrap()
    }

    /// rule: CR-231, CR-232, CR-233
    #[test]
    fn what_lives_in_a_parent_books_capacity_or_takes_no_labels_is_not_adoptable() {
        let reason = |more| {
            let refusal = must_be_adoptable(&kind(more)).err()?;
            assert_eq!(refusal.code, Code::Unsupported);
            refusal.details.get("reason")?.as_str().map(str::to_owned)
        };
        assert_eq!(reason(json!({})), None);
        assert_eq!(reason(json!({"parents": ["x.cluster"]})).unwrap(), "parent");
        assert_eq!(
            reason(json!({"bookings": ["gpus"]})).unwrap(),
            "quotaBooked"
        );
        assert_eq!(reason(json!({"adoptable": false})).unwrap(), "adopt");
        // Creating it here is the way out, whether or not it takes labels.
        let both = json!({"bookings": ["gpus"], "adoptable": false});
        assert_eq!(reason(both).unwrap(), "quotaBooked");
    }
}
