//! `cloudResources/create`: records a resource, which the reconciler then brings about.

use berth_domain::id::{PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::{Description, IdempotencyKey, KindId, ResourceName};
use berth_domain::linked::Named;
use berth_domain::manifest::Kind;
use berth_domain::resource::{NewResource, Resource, State, new_resource};
use berth_domain::spec::Spec;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ResourceView;
use super::reach::check_named;
use super::recording::{Recording, must_be_available, must_have_project, no_parent, parent_going};
use super::references::check_secrets;
use super::spec::{ask_plugin, judge_shape, region_within};
use crate::attempt::Attempt;
use crate::canonical::digest;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::place::Place;
use crate::{Caller, Service, ServiceError};

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
    /// Called so; unique among the tenant's live resources of the kind.
    pub name: ResourceName,
    /// Words for people.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub description: Option<Description>,
    /// Living in it.
    #[serde(
        default,
        deserialize_with = "given",
        skip_serializing_if = "Option::is_none"
    )]
    pub parent_id: Option<ResourceId>,
    /// As the kind's schema says.
    pub spec: Spec,
    /// Makes a retry the same create.
    pub idempotency_key: IdempotencyKey,
}

/// The resource: `pending` if it is new, as it is now if this is a retry.
///
/// # Errors
/// Everything that the contract names; nothing is recorded then but the refusal.
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
    let result = create(service, &attempt, id, input).await;
    Ok(attempt.settle(service, result).await?.into())
}

/// The order of the checks is the contract's: what comes before the decision tells of nothing but
/// the pool, and what reads other rows happens in the transaction that records this one.
async fn create(
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
        input_digest: digest("create", &json!(input)),
    };
    if let Some(row) = recording.replayed(&id).await? {
        return Ok(row);
    }

    let place = service.place(&input.tenant_id, &input.pool_id).await?;
    let kind = place.kind(&input.kind)?;
    judge.require(
        Action::CloudResourcesCreate,
        &target(&input, &id, kind, &place),
    )?;

    must_be_available(service, kind, &place)?;
    let secrets = judge_shape(&input.spec, kind, &place.generation, &place.account)?;
    check_secrets(service, &judge, &input.tenant_id, &secrets).await?;
    must_have_project(service, &input.tenant_id, input.project_id.as_ref()).await?;
    let parent_kind = parent_kind(service, &input, kind, &place).await?;
    let judged = ask_plugin(
        service,
        &place.generation,
        &place.account,
        kind,
        &input.spec,
        parent_kind.as_deref(),
    )
    .await?;
    let region = region_within(&input.spec, kind);
    check_named(
        service,
        &input.tenant_id,
        &place.account,
        region.as_deref(),
        &judged.reach,
        &Named::default(),
    )
    .await?;
    recording
        .check_terms(&place, input.project_id.as_ref(), region.as_deref())
        .await?;

    let parents = kind
        .parents
        .iter()
        .filter_map(|parent| parent.parse().ok())
        .collect();
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
        parent: input.parent_id,
        owner: caller.principal.id.clone(),
        spec: input.spec,
        defaults: judged.defaults,
        named: judged.reach.named,
        demand: judged.demand,
        generation: place.digest(),
        input_digest: recording.input_digest.clone(),
    };
    let made = new_resource(new, kind, service.now());
    recording.record(made, parents).await
}

fn target(input: &Input, id: &ResourceId, kind: &Kind, place: &Place) -> Target {
    let region = region_within(&input.spec, kind);
    Target::wished(&input.tenant_id, id, kind, &place.pool, &place.account)
        .named(&input.name)
        .in_region(region)
        .in_project(input.project_id.as_ref())
}

/// The kind of the parent that is named. Whether it can take a child is decided again in the
/// transaction; here it is looked at so that the plugin judges the spec of the right parent.
async fn parent_kind(
    service: &Service,
    input: &Input,
    kind: &Kind,
    place: &Place,
) -> Result<Option<String>, ServiceError> {
    let parent = match (&input.parent_id, kind.is_child()) {
        (None, false) => return Ok(None),
        (None, true) => {
            return Err(ServiceError::invalid(
                "/parentId",
                format!(
                    "missing: kind `{}` lives in a resource of kind {}",
                    kind.id,
                    kind.parents.join(" or ")
                ),
            ));
        }
        (Some(_), false) => {
            return Err(ServiceError::invalid(
                "/parentId",
                format!(
                    "kind `{}` lives in no other resource; leave it out",
                    kind.id
                ),
            ));
        }
        (Some(parent), true) => parent,
    };
    let row = service
        .store()
        .resource(parent)
        .await?
        .map(|stored| stored.row)
        .filter(|row| {
            row.tenant == input.tenant_id
                && row.account == place.account.id
                && kind.parents.iter().any(|one| one == row.kind.as_str())
        });
    match row {
        None => Err(no_parent()),
        Some(row) if row.is_going() => Err(parent_going(if row.is_live() {
            State::Deleting
        } else {
            row.state
        })),
        Some(row) => Ok(Some(row.kind.to_string())),
    }
}
