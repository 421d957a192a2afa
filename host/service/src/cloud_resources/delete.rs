//! `cloudResources/delete`: marks a resource and all that lives in it.

use berth_domain::id::{ResourceId, TenantId};
use berth_domain::resource::{Resource, condemn};
use berth_store::{StoredResource, UpdateChange, UpdateOutcome};
use serde::Deserialize;
use serde_json::json;

use super::ResourceView;
use super::find::find;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// How often the family is read anew because one of it changed meanwhile.
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

/// The resource, `deleting`; one that is being deleted or is deleted already, unchanged.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
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
    let result = delete(service, &attempt, &input).await;
    Ok(attempt.settle(service, result).await?.into())
}

async fn delete(
    service: &Service,
    attempt: &Attempt<'_>,
    input: &Input,
) -> Result<Resource, ServiceError> {
    let _turn = service.turns.of(&input.resource_id).await;
    for _ in 0..TRIES {
        let action = Action::CloudResourcesDelete;
        let stored = find(
            service,
            attempt.caller,
            action,
            &input.tenant_id,
            &input.resource_id,
        )
        .await?;
        if stored.row.is_condemned() {
            attempt.unchanged(service).await;
            return Ok(stored.row);
        }
        if let Some(row) = try_delete(service, attempt, stored).await? {
            service.waker().notify_one();
            return Ok(row);
        }
    }
    Err(ServiceError::new(
        Code::Unavailable,
        "the resource, or one living in it, kept changing while the delete was recorded; nothing was changed: try again",
    )
    .with("retryAfterMs", 1_000))
}

/// Marks the whole family at once; `None`: one of it changed meanwhile.
async fn try_delete(
    service: &Service,
    attempt: &Attempt<'_>,
    stored: StoredResource,
) -> Result<Option<Resource>, ServiceError> {
    let now = service.now();
    let family = family(service, stored).await?;
    let children: Vec<ResourceId> = family
        .iter()
        .skip(1)
        .map(|stored| stored.row.id.clone())
        .collect();
    let mut audit = attempt.done(now, json!({"children": children}));
    let mut answer = None;
    let mut changes = Vec::with_capacity(family.len());
    for StoredResource { row, revision } in family {
        if row.is_condemned() {
            continue;
        }
        let condemned = condemn(row, now);
        if answer.is_none() {
            answer = Some(condemned.row.clone());
        }
        changes.push(UpdateChange {
            events: service.events_of(condemned.effects, now),
            row: condemned.row,
            revision,
            books: None,
            spans: Vec::new(),
            audit: std::mem::take(&mut audit),
        });
    }
    match service.store().update_resources(changes).await? {
        UpdateOutcome::Stored(_) => Ok(answer),
        UpdateOutcome::Changed(_) => Ok(None),
        UpdateOutcome::CapacityExceeded(_) => {
            Err(ServiceError::internal("a delete that books capacity"))
        }
    }
}

/// A resource and every live one in it, parents before children. One that is created in between is
/// marked by the reconciler, which deletes no parent before its children.
async fn family(
    service: &Service,
    first: StoredResource,
) -> Result<Vec<StoredResource>, ServiceError> {
    let mut family = vec![first];
    let mut next = 0;
    while let Some(member) = family.get(next) {
        let children = service.store().children(&member.row.id).await?;
        family.extend(children);
        next += 1;
    }
    Ok(family)
}
