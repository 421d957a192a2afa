//! A transition as one change set of the store.

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::EventId;
use berth_domain::provider::SecretOutput;
use berth_domain::resource::{Effect, EventDraft, Resource, Step, condemn};
use berth_domain::secret::SecretName;
use berth_store::{NewSecret, RunChange, StoreError, StoredResource, UpdateChange};
use berth_vault::{Context, Sealed, SecretBytes, Vault};
use serde_json::json;

use super::run::{Tools, moved, name};

/// The change set of a transition: row, events, sealed secrets, children and audit in one transaction.
pub(super) async fn change(
    tools: &Tools,
    stored: &StoredResource,
    mut row: Resource,
    effects: Vec<Effect>,
    epoch: u64,
    keep_lease: bool,
    step: &Step,
) -> Result<RunChange, StoreError> {
    let service = &tools.service;
    let now = service.now();
    let mut drafts: Vec<EventDraft> = Vec::new();
    let mut secrets = Vec::new();
    let mut children = Vec::new();
    let (mut destroy_secrets, mut wake_children, mut wake_parent) = (false, false, false);
    for effect in effects {
        match effect {
            Effect::Publish(draft) => drafts.push(draft),
            Effect::Seal(outputs) => secrets = seal(tools, &mut row, outputs).await?,
            Effect::DestroySecrets => destroy_secrets = true,
            // A row that has ended has no owner: the decision reads it off the row.
            Effect::RemoveAuthorization => {}
            Effect::CondemnChildren => children = condemned(tools, &row).await?,
            Effect::WakeChildren => wake_children = true,
            Effect::WakeParent => wake_parent = true,
        }
    }
    let events = drafts.into_iter().map(|draft| (EventId::generate(now, service.entropy().id_seed()), draft)).collect();
    Ok(RunChange {
        audit: audit(tools, &row, step),
        row,
        revision: stored.revision,
        epoch,
        keep_lease,
        events,
        secrets,
        destroy_secrets,
        children,
        wake_children,
        wake_parent,
        now,
    })
}

/// Seals values that differ from those that are sealed already. Without a secret store there is
/// nowhere to keep them, and no reference is shown to what is not kept.
async fn seal(tools: &Tools, row: &mut Resource, outputs: Vec<SecretOutput>) -> Result<Vec<NewSecret>, StoreError> {
    let Some(vault) = tools.service.vault() else {
        tracing::error!("a plugin hands out secrets and `vault.enabled` is off: they are dropped");
        row.secret_outputs.clear();
        return Ok(Vec::new());
    };
    let mut sealed = Vec::new();
    for output in outputs {
        if let Some(secret) = seal_one(tools, vault, row, &output).await? {
            sealed.push(secret);
        }
    }
    Ok(sealed)
}

async fn seal_one(tools: &Tools, vault: &Vault, row: &Resource, output: &SecretOutput) -> Result<Option<NewSecret>, StoreError> {
    let service = &tools.service;
    let secret_name = SecretName::of_output(&row.id, &output.name);
    let value = SecretBytes::new(output.value.expose().as_bytes().to_vec());
    let current = service.store().secret(&row.tenant, &secret_name).await?;
    let place = |version| Context { tenant: row.tenant.as_str(), name: secret_name.as_str(), version };
    if let Some(current) = &current {
        let opened = Sealed::from_bytes(&current.sealed).ok().and_then(|bytes| vault.open(&place(current.info.version), &bytes).ok());
        // One that does not open any more is replaced by the one that the provider shows.
        if opened.is_some_and(|opened| opened == value) {
            return Ok(None);
        }
    }
    let version = current.map_or(0, |current| current.info.version) + 1;
    let sealed = vault
        .seal(&place(version), &value, &mut |bytes| service.entropy().fill(bytes))
        .map_err(|error| StoreError::Failed(format!("output {} was not sealed: {error}", output.name)))?;
    Ok(Some(NewSecret {
        tenant: row.tenant.clone(),
        name: secret_name,
        version,
        sealed: sealed.to_bytes(),
        resource: Some(row.id.clone()),
        at: service.now(),
    }))
}

/// Everything that lives in the row, and in that, marked for deletion.
async fn condemned(tools: &Tools, row: &Resource) -> Result<Vec<UpdateChange>, StoreError> {
    let service = &tools.service;
    let now = service.now();
    let mut changes = Vec::new();
    let mut waiting = service.store().children(&row.id).await?;
    while let Some(StoredResource { row: child, revision }) = waiting.pop() {
        waiting.extend(service.store().children(&child.id).await?);
        if child.is_going() {
            continue;
        }
        let condemned = condemn(child, now);
        changes.push(UpdateChange { events: service.events_of(condemned.effects, now), row: condemned.row, revision, audit: Vec::new() });
    }
    Ok(changes)
}

/// What the reconciler did at a provider is audited like what people do.
fn audit(tools: &Tools, row: &Resource, step: &Step) -> Vec<AuditRow> {
    if !matches!(step, Step::Create | Step::Update(_) | Step::Delete(_) | Step::End) {
        return Vec::new();
    }
    vec![AuditRow {
        at: tools.service.now(),
        request_id: None,
        principal_id: None,
        tenant_id: row.tenant.clone(),
        action: format!("reconcile:{}", name(step)),
        resource: format!("compute-cloud-resource/{}", row.id),
        outcome: AuditOutcome::Done,
        detail: json!({"run": row.last_run, "state": row.state, "providerId": row.provider_id}),
    }]
}

/// One line for a step that changed what the tenant sees.
pub(super) fn announce(step: &Step, before: &Resource, after: &Resource) {
    if moved(before, after) {
        tracing::info!(step = name(step), from = %before.state, to = %after.state, reason = ?after.message.as_ref().map(|message| message.reason), "moved");
    }
}
