//! `cloudResources/release`: marks a resource to be let go; its object lives on.

use berth_domain::id::{ResourceId, TenantId};
use berth_domain::resource::{ReleaseRefusal, Resource, State, release as let_go};
use berth_store::{StoredResource, UpdateChange, UpdateOutcome};
use serde::Deserialize;
use serde_json::json;

use super::ResourceView;
use super::find::find;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// How often a decision is made anew because somebody else wrote the row meanwhile.
const TRIES: u32 = 8;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose resource.
    pub tenant_id: TenantId,
    /// Which one.
    pub resource_id: ResourceId,
}

/// The resource, in the state that it had and `releasing`; one that is being released or is released
/// already, unchanged.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`, `UNSUPPORTED` for a kind that can't be let go, `INVALID_STATE`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<ResourceView, ServiceError> {
    let target = Target::unknown(&input.tenant_id, &input.resource_id);
    let attempt = Attempt::new(
        caller,
        &input.tenant_id,
        Action::CloudResourcesDelete,
        &target,
    );
    let result = release(service, &attempt, &input).await;
    Ok(attempt.settle(service, result).await?.into())
}

async fn release(
    service: &Service,
    attempt: &Attempt<'_>,
    input: &Input,
) -> Result<Resource, ServiceError> {
    let _turn = service.turns.of(&input.resource_id).await;
    for _ in 0..TRIES {
        let stored = find(
            service,
            attempt.caller,
            Action::CloudResourcesDelete,
            &input.tenant_id,
            &input.resource_id,
        )
        .await?;
        if let Some(row) = try_release(service, attempt, stored).await? {
            service.waker().notify_one();
            return Ok(row);
        }
    }
    Err(ServiceError::new(
        Code::Unavailable,
        "the resource kept changing while the release was recorded; nothing was changed: try again",
    )
    .with("retryAfterMs", 1_000))
}

/// Decides and stores; `None`: somebody else wrote first.
async fn try_release(
    service: &Service,
    attempt: &Attempt<'_>,
    stored: StoredResource,
) -> Result<Option<Resource>, ServiceError> {
    let StoredResource { row, revision } = stored;
    let is_releasable = is_releasable(service, &row).await?;
    let children = service.store().count_children(&row.id).await?;
    let now = service.now();
    let before = row.clone();
    let released = let_go(row, is_releasable, children, now).map_err(refusal)?;
    if released.row == before {
        attempt.unchanged(service).await;
        return Ok(Some(before));
    }
    let row = released.row;
    let change = UpdateChange {
        audit: attempt.done(now, json!({"release": true, "providerId": row.provider_id})),
        events: service.events_of(released.effects, now),
        row: row.clone(),
        revision,
        books: None,
        spans: Vec::new(),
    };
    match service.store().update_resources(vec![change]).await? {
        UpdateOutcome::Stored(_) => Ok(Some(row)),
        UpdateOutcome::Changed(_) => Ok(None),
        UpdateOutcome::CapacityExceeded(_) => {
            Err(ServiceError::internal("a release that books capacity"))
        }
    }
}

/// Whether the kind can be let go, as the plugin says that serves it now, or that accepted it.
async fn is_releasable(service: &Service, row: &Resource) -> Result<bool, ServiceError> {
    let active = service.registry().active(&row.provider);
    if let Some(kind) = active.and_then(|active| active.kind(row.kind.as_str()).cloned()) {
        return Ok(kind.releasable);
    }
    let accepted_by = service.store().generation(&row.spec_generation).await?;
    let kind = accepted_by.and_then(|record| record.manifest.kind(row.kind.as_str()).cloned());
    Ok(kind.is_some_and(|kind| kind.releasable))
}

fn refusal(refusal: ReleaseRefusal) -> ServiceError {
    let text = refusal.to_string();
    let state = |reason| ServiceError::new(Code::InvalidState, text.clone()).reason(reason);
    match refusal {
        ReleaseRefusal::InParent(parent) => state("parent").with("resourceId", parent.as_str()),
        ReleaseRefusal::Unsupported => {
            ServiceError::new(Code::Unsupported, text.clone()).reason("release")
        }
        ReleaseRefusal::Going(State::Deleted) => state("deleted"),
        ReleaseRefusal::Going(_) => state("deleting"),
        ReleaseRefusal::NotAccepted => state("notAccepted"),
        ReleaseRefusal::Children(count) => state("children").with("children", count),
    }
}
