//! Recording a resource, created or adopted: what a retry is answered with, and what stands against it.

use berth_domain::id::{ProjectId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::manifest::Kind;
use berth_domain::resource::{Resource, State, Transition};
use berth_store::{CreateChange, CreateOutcome, StoredResource};
use serde_json::json;

use super::capacity::over_capacity;
use super::terms::check_offer;
use crate::attempt::Attempt;
use crate::budgets::check_budgets;
use crate::decision::{Action, Judge, Target};
use crate::place::Place;
use crate::{Code, Service, ServiceError};

/// A resource about to be recorded.
pub(super) struct Recording<'a> {
    pub(super) service: &'a Service,
    pub(super) attempt: &'a Attempt<'a>,
    pub(super) judge: &'a Judge<'a>,
    /// Digest of the canonical input, method included.
    pub(super) input_digest: String,
}

impl Recording<'_> {
    /// The row that an earlier request of the same key made, if one did.
    ///
    /// # Errors
    /// `ACCESS_DENIED`; `CONFLICT` where the earlier request was another.
    pub(super) async fn replayed(&self, id: &ResourceId) -> Result<Option<Resource>, ServiceError> {
        match self.service.store().resource(id).await? {
            Some(stored) => self.replay(stored).await.map(Some),
            None => Ok(None),
        }
    }

    /// The id exists: this is a retry, or the key is used for something else. Nothing but the decision
    /// and the input is looked at, so that no change of pools, quotas or plugins breaks a retry.
    async fn replay(&self, stored: StoredResource) -> Result<Resource, ServiceError> {
        self.judge
            .require(Action::CloudResourcesCreate, &Target::recorded(&stored.row))?;
        if stored.row.input_digest == self.input_digest {
            self.attempt.unchanged(self.service).await;
            return Ok(stored.row);
        }
        Err(ServiceError::new(
            Code::Conflict,
            format!("the idempotencyKey was used for another request, which made `{}`; send that request unchanged to retry it, or take a new key", stored.row.id),
        )
        .reason("idempotencyKey")
        .with("resourceId", stored.row.id.as_str()))
    }

    /// On what terms the tenant may begin something new here.
    ///
    /// # Errors
    /// `ACCESS_DENIED` for its offer, `QUOTA_EXCEEDED` for a budget that is spent.
    pub(super) async fn check_terms(
        &self,
        place: &Place,
        project: Option<&ProjectId>,
        region: Option<&str>,
    ) -> Result<(), ServiceError> {
        check_offer(place.offer.as_ref(), region)?;
        let tenant = &self.attempt.tenant;
        check_budgets(self.service, tenant, project, place.pool.billing_mode).await
    }

    /// Stores the row, with all that may stand against it looked at in the same transaction.
    ///
    /// # Errors
    /// What stands against it; nothing is stored then.
    pub(super) async fn record(
        &self,
        made: Transition,
        parent_kinds: Vec<KindId>,
    ) -> Result<Resource, ServiceError> {
        let service = self.service;
        let Transition { row, effects } = made;
        let now = row.created_at;
        let kind = row.kind.clone();
        let change = CreateChange {
            audit: self
                .attempt
                .done(now, json!({"kind": kind, "poolId": row.pool})),
            events: service.events_of(effects, now),
            quota: service.quota(&row.tenant, &kind).await?,
            default_capacity: service.settings().default_capacity,
            parent_kinds,
            row,
        };
        match service.store().create_resource(change).await? {
            CreateOutcome::Created(stored) => {
                service.waker().notify_one();
                Ok(stored.row)
            }
            // Another call with the same key came first.
            CreateOutcome::Exists(stored) => self.replay(*stored).await,
            refused => Err(refusal(refused, &kind)),
        }
    }
}

/// # Errors
/// `UNSUPPORTED` for a preview on an account without previews.
pub(super) fn must_be_offered(kind: &Kind, place: &Place) -> Result<(), ServiceError> {
    if !kind.preview || place.account.previews {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::Unsupported,
        format!("kind `{}` is a preview of its provider, and the pool's account has previews off; ask its owner to turn `previews` on", kind.id),
    )
    .reason("preview"))
}

/// # Errors
/// `UNSUPPORTED` for a preview on an account without, and for secrets where there is no place for them.
pub(super) fn must_be_available(
    service: &Service,
    kind: &Kind,
    place: &Place,
) -> Result<(), ServiceError> {
    must_be_offered(kind, place)?;
    if kind.secret_outputs.is_empty() || service.vault().is_some() {
        return Ok(());
    }
    Err(ServiceError::new(
        Code::Unsupported,
        format!("kind `{}` puts out secrets, and this deployment has no secret store (`vault.enabled` is off)", kind.id),
    )
    .reason("secretStore"))
}

/// # Errors
/// `INVALID_INPUT` for a project that the tenant does not have.
pub(super) async fn must_have_project(
    service: &Service,
    tenant: &TenantId,
    project: Option<&ProjectId>,
) -> Result<(), ServiceError> {
    let Some(project) = project else {
        return Ok(());
    };
    if service.store().project(tenant, project).await?.is_some() {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/projectId",
        format!("tenant `{tenant}` has no such project; `projects/list` lists those it has"),
    ))
}

/// An object that a live resource records already.
pub(super) fn recorded(holder: &ResourceId) -> ServiceError {
    ServiceError::new(
        Code::Conflict,
        format!("`{holder}` records this object already; use that resource, or release it first"),
    )
    .reason("recorded")
    .with("resourceId", holder.as_str())
}

pub(super) fn no_parent() -> ServiceError {
    ServiceError::invalid(
        "/parentId",
        "names no resource of the tenant that this kind can live in on the pool's account; `cloudResources/kinds` lists the kinds of `parents`",
    )
}

pub(super) fn parent_going(state: State) -> ServiceError {
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
        CreateOutcome::ObjectTaken(holder) => recorded(&holder),
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
