//! A transition as one change set of the store.

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::EventId;
use berth_domain::resource::{Effect, EventDraft, Outcome, Resource, Step, condemn};
use berth_domain::time::Millis;
use berth_store::{RunChange, StoreError, StoredResource, UpdateChange};
use serde_json::json;

use super::seal::seal;
use crate::Service;

/// A row as a run leaves it, and what goes with it.
pub(super) struct Learnt {
    pub(super) row: Resource,
    pub(super) effects: Vec<Effect>,
    pub(super) audit: Vec<AuditRow>,
    /// The run goes on.
    pub(super) keep_lease: bool,
}

/// The change set: row, events, sealed secrets, children and audit in one transaction.
pub(super) async fn change(
    service: &Service,
    before: &StoredResource,
    epoch: u64,
    learnt: Learnt,
) -> Result<RunChange, StoreError> {
    let now = service.now();
    let mut change = RunChange {
        row: learnt.row,
        revision: before.revision,
        epoch,
        keep_lease: learnt.keep_lease,
        events: Vec::new(),
        spans: Vec::new(),
        secrets: Vec::new(),
        destroy_secrets: false,
        children: Vec::new(),
        wake_children: false,
        wake_parent: false,
        now,
        audit: learnt.audit,
    };
    for effect in learnt.effects {
        match effect {
            Effect::Publish(draft) => change.events.push(with_id(service, now, draft)),
            Effect::Seal(outputs) => {
                let sealed = seal(service, &mut change.row, outputs).await?;
                change.secrets.extend(sealed);
            }
            Effect::Meter(span) => change.spans.push(span),
            Effect::DestroySecrets => change.destroy_secrets = true,
            // A row that has ended has no owner: the decision reads it off the row.
            Effect::RemoveAuthorization => {}
            Effect::CondemnChildren => {
                let condemned = condemned(service, &change.row, now).await?;
                change.children.extend(condemned);
            }
            Effect::WakeChildren => change.wake_children = true,
            Effect::WakeParent => change.wake_parent = true,
        }
    }
    Ok(change)
}

fn with_id(service: &Service, now: Millis, draft: EventDraft) -> (EventId, EventDraft) {
    (EventId::generate(now, service.entropy().id_seed()), draft)
}

/// Everything that lives in the row, and in that, marked for deletion.
async fn condemned(
    service: &Service,
    row: &Resource,
    now: Millis,
) -> Result<Vec<UpdateChange>, StoreError> {
    let store = service.store();
    let mut changes = Vec::new();
    let mut waiting = store.children(&row.id).await?;
    while let Some(StoredResource { row, revision }) = waiting.pop() {
        waiting.extend(store.children(&row.id).await?);
        if row.is_condemned() {
            continue;
        }
        let condemned = condemn(row, now);
        changes.push(UpdateChange {
            events: service.events_of(condemned.effects, now),
            row: condemned.row,
            revision,
            books: None,
            spans: Vec::new(),
            audit: Vec::new(),
        });
    }
    Ok(changes)
}

/// What the reconciler did at a provider is audited like what people do.
pub(super) fn audit(
    service: &Service,
    row: &Resource,
    step: &Step,
    outcome: &Outcome,
) -> Vec<AuditRow> {
    let is_change = matches!(
        step,
        Step::Create
            | Step::Update(_)
            | Step::Delete(_)
            | Step::Label(_)
            | Step::Unlabel
            | Step::End
    );
    if !is_change {
        return Vec::new();
    }
    let failed = match outcome {
        Outcome::Observed(Err(error)) | Outcome::Accepted(Err(error)) => Some(error),
        _ => None,
    };
    let mut detail = json!({
        "run": row.last_run,
        "generation": row.last_digest,
        "state": row.state,
        "providerId": row.provider_id,
    });
    if let Step::Update(fields) = step {
        detail["fields"] = json!(fields);
    }
    if failed.is_some() {
        detail["reason"] = json!(row.message.as_ref().map(|message| message.reason));
        detail["mayHaveHappened"] = json!(failed.is_some_and(|error| error.is_ambiguous()));
    }
    vec![AuditRow {
        at: service.now(),
        request_id: None,
        principal_id: None,
        tenant_id: row.tenant.clone(),
        action: format!("reconcile:{}", step.name()),
        resource: format!("compute-cloud-resource/{}", row.id),
        outcome: if failed.is_some() {
            AuditOutcome::Refused
        } else {
            AuditOutcome::Done
        },
        detail,
    }]
}
