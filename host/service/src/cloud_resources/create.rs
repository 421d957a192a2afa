//! `cloudResources/create`: records a resource, which the reconciler then brings about.

use berth_domain::id::{PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::{Description, IdempotencyKey, KindId, ResourceName};
use berth_domain::linked::Named;
use berth_domain::manifest::Kind;
use berth_domain::resource::{NewResource, Resource, State, new_resource};
use berth_domain::spec::Spec;
use berth_store::{CreateChange, CreateOutcome, StoredResource};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::ResourceView;
use super::capacity::over_capacity;
use super::reach::check_named;
use super::references::check_secrets;
use super::spec::{ask_plugin, judge_shape, region_within};
use super::terms::check_offer;
use crate::attempt::Attempt;
use crate::budgets::check_budgets;
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
    let input_digest = digest("create", &json!(input));
    if let Some(stored) = service.store().resource(&id).await? {
        let row = replay(&judge, &input_digest, stored)?;
        attempt.unchanged(service).await;
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
    must_have_project(service, &input).await?;
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
    check_offer(place.offer.as_ref(), region.as_deref())?;
    check_budgets(
        service,
        &input.tenant_id,
        input.project_id.as_ref(),
        place.pool.billing_mode,
    )
    .await?;

    let quota = service.quota(&input.tenant_id, &input.kind).await?;
    let now = service.now();
    let parents = kind
        .parents
        .iter()
        .filter_map(|parent| parent.parse().ok())
        .collect();
    let kind_name = input.kind.clone();
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
        input_digest: input_digest.clone(),
    };
    let made = new_resource(new, kind, now);
    let change = CreateChange {
        audit: attempt.done(now, json!({"kind": kind_name, "poolId": made.row.pool})),
        row: made.row,
        events: service.events_of(made.effects, now),
        quota,
        default_capacity: service.settings().default_capacity,
        parent_kinds: parents,
    };
    match service.store().create_resource(change).await? {
        CreateOutcome::Created(stored) => {
            service.waker().notify_one();
            Ok(stored.row)
        }
        // Another call with the same key came first.
        CreateOutcome::Exists(stored) => {
            let row = replay(&judge, &input_digest, *stored)?;
            attempt.unchanged(service).await;
            Ok(row)
        }
        refused => Err(refusal(refused, &kind_name)),
    }
}

/// The id exists: this is a retry, or the key is used for something else. Nothing but the decision
/// and the input is looked at, so that no change of pools, quotas or plugins breaks a retry.
fn replay(
    judge: &Judge<'_>,
    input_digest: &str,
    stored: StoredResource,
) -> Result<Resource, ServiceError> {
    judge.require(Action::CloudResourcesCreate, &Target::recorded(&stored.row))?;
    if stored.row.input_digest == input_digest {
        return Ok(stored.row);
    }
    Err(ServiceError::new(
        Code::Conflict,
        format!("the idempotencyKey was used for another request, which made `{}`; send that request unchanged to retry it, or take a new key", stored.row.id),
    )
    .reason("idempotencyKey")
    .with("resourceId", stored.row.id.as_str()))
}

fn target(input: &Input, id: &ResourceId, kind: &Kind, place: &Place) -> Target {
    let region = region_within(&input.spec, kind);
    Target::wished(&input.tenant_id, id, kind, &place.pool, &place.account)
        .named(&input.name)
        .in_region(region)
        .in_project(input.project_id.as_ref())
}

fn must_be_available(service: &Service, kind: &Kind, place: &Place) -> Result<(), ServiceError> {
    if kind.preview && !place.account.previews {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!("kind `{}` is a preview of its provider, and the pool's account has previews off; ask its owner to turn `previews` on", kind.id),
        )
        .reason("preview"));
    }
    if !kind.secret_outputs.is_empty() && service.vault().is_none() {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!("kind `{}` puts out secrets, and this deployment has no secret store (`vault.enabled` is off)", kind.id),
        )
        .reason("secretStore"));
    }
    Ok(())
}

async fn must_have_project(service: &Service, input: &Input) -> Result<(), ServiceError> {
    let Some(project) = &input.project_id else {
        return Ok(());
    };
    if service
        .store()
        .project(&input.tenant_id, project)
        .await?
        .is_some()
    {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/projectId",
        format!(
            "tenant `{}` has no such project; `projects/list` lists those it has",
            input.tenant_id
        ),
    ))
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

fn no_parent() -> ServiceError {
    ServiceError::invalid(
        "/parentId",
        "names no resource of the tenant that this kind can live in on the pool's account; `cloudResources/kinds` lists the kinds of `parents`",
    )
}

fn parent_going(state: State) -> ServiceError {
    ServiceError::new(
        Code::InvalidState,
        format!(
            "the resource named by parentId is {state} and takes nothing new; create it in another"
        ),
    )
    .reason("parent")
    .with("field", "parentId")
}

fn refusal(outcome: CreateOutcome, kind: &KindId) -> ServiceError {
    match outcome {
        CreateOutcome::NoParent => no_parent(),
        CreateOutcome::ParentGoing(state) => parent_going(state),
        CreateOutcome::IdentityTaken(holder) => ServiceError::new(
            Code::Conflict,
            format!("`{holder}` already is this `{kind}` of its parent; change that resource, or delete it first"),
        )
        .reason("identity")
        .with("resourceId", holder.as_str()),
        CreateOutcome::NameTaken(_) => ServiceError::new(
            Code::Conflict,
            format!("a live resource of kind `{kind}` has this name already; choose another, or delete that one first"),
        )
        .reason("name")
        .with("field", "name"),
        CreateOutcome::QuotaExceeded { limit } => ServiceError::new(
            Code::QuotaExceeded,
            format!("the tenant has its {limit} of kind `{kind}`, those being deleted included; delete one, or ask an operator to raise the tenant's quota of it (`tenants/update`; `service.maxPerKind` is what holds without one)"),
        )
        .reason("quota")
        .with("limit", limit),
        CreateOutcome::CapacityExceeded(shortage) => over_capacity(&shortage),
        CreateOutcome::Exists(_) | CreateOutcome::Created(_) => {
            ServiceError::internal("a create that was stored is no refusal")
        }
    }
}
