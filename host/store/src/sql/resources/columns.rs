//! A row's columns: the one place that knows how a resource is spelled in a table.

use berth_domain::resource::{Resource, Schedule};

use super::super::row::read;
use super::super::statement::{json, optional_json, optional_text, text, word};
use super::super::{Datum, Row};
use crate::{StoreError, StoredResource};

/// The columns that a resource is read from.
macro_rules! resource_columns {
    () => {
        "id, tenant, project, pool, account, provider, kind, family, name, parent, identity, \
         provider_name, owner, input_digest, adopted, created_at, \
         description, region, desired, state, message, version, spec, defaults, spec_generation, \
         unapplied, given_secrets, provider_id, accepted_at, ready_at, outputs, secret_outputs, \
         memo, drift, intent, missing_since, delete_sent_at, next_run_at, attempts, last_run, last_digest, \
         updated_at, ended_at, adoption, demand, held, metering, named, revision"
    };
}
pub(crate) use resource_columns;

/// Stores a new row: [`fixed`], then [`changing`].
pub(super) const INSERT: &str = "INSERT INTO resources \
    (id, tenant, project, pool, account, provider, kind, family, name, parent, identity, \
     provider_name, owner, input_digest, adopted, created_at, \
     description, region, desired, state, message, version, spec, defaults, spec_generation, \
     unapplied, provider_id, accepted_at, ready_at, outputs, secret_outputs, memo, drift, \
     intent, missing_since, delete_sent_at, next_run_at, attempts, last_run, last_digest, \
     updated_at, ended_at, live, given_secrets, adoption, demand, held, metering, \
     named, revision, lease_host, lease_until, lease_epoch, woken) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, \
     $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37, $38, \
     $39, $40, $41, $42, $43, $44, $45, $46, $47, $48, $49, 1, NULL, NULL, 0, 0)";

/// Sets what changes, from `$1` ([`changing`]) to `$33`. Someone's wish that the row be looked at stands:
/// while it is open, a write may bring `next_run_at` forward and never back.
macro_rules! set_changing_columns {
    () => {
        "description = $1, region = $2, desired = $3, state = $4, message = $5, version = $6, \
         spec = $7, defaults = $8, spec_generation = $9, unapplied = $10, provider_id = $11, \
         accepted_at = $12, ready_at = $13, outputs = $14, secret_outputs = $15, memo = $16, \
         drift = $17, intent = $18, missing_since = $19, delete_sent_at = $20, \
         next_run_at = CASE \
             WHEN woken = 1 AND $27 = 1 AND next_run_at IS NOT NULL \
                 AND ($21 IS NULL OR $21 > next_run_at) THEN next_run_at \
             ELSE $21 END, \
         attempts = $22, last_run = $23, last_digest = $24, updated_at = $25, ended_at = $26, \
         live = $27, given_secrets = $28, adoption = $29, demand = $30, held = $31, \
         metering = $32, named = $33, revision = revision + 1"
    };
}
pub(super) use set_changing_columns;

/// What never changes in a resource's life.
pub(super) fn fixed(row: &Resource) -> Result<Vec<Datum>, StoreError> {
    Ok(vec![
        row.id.as_str().into(),
        row.tenant.as_str().into(),
        optional_text(row.project.as_ref()),
        row.pool.as_str().into(),
        row.account.as_str().into(),
        row.provider.as_str().into(),
        row.kind.as_str().into(),
        row.family.as_str().into(),
        row.name.as_str().into(),
        optional_text(row.parent.as_ref()),
        row.identity.as_deref().into(),
        row.provider_name.as_str().into(),
        row.owner.as_str().into(),
        row.input_digest.as_str().into(),
        row.adoption.is_some().into(),
        row.created_at.into(),
    ])
}

/// What changes; among it, whether the row is live.
pub(super) fn changing(row: &Resource) -> Result<Vec<Datum>, StoreError> {
    Ok(vec![
        optional_text(row.description.as_ref()),
        row.region.as_deref().into(),
        word(&row.desired)?,
        text(row.state),
        optional_json(row.message.as_ref())?,
        row.version.into(),
        json(&row.spec)?,
        json(&row.defaults)?,
        row.spec_generation.as_str().into(),
        json(&row.unapplied)?,
        row.provider_id.as_deref().into(),
        row.accepted_at.into(),
        row.ready_at.into(),
        json(&row.outputs)?,
        json(&row.secret_outputs)?,
        optional_json(row.memo.as_ref())?,
        json(&row.drift)?,
        optional_json(row.intent.as_ref())?,
        row.missing_since.into(),
        row.delete_sent_at.into(),
        row.schedule.next_run_at.into(),
        row.schedule.attempts.into(),
        optional_text(row.last_run.as_ref()),
        row.last_digest.as_deref().into(),
        row.updated_at.into(),
        row.ended_at.into(),
        row.is_live().into(),
        json(&row.given_secrets)?,
        match &row.adoption {
            Some(adoption) => word(adoption)?,
            None => Datum::from(None::<&str>),
        },
        json(&row.demand)?,
        json(&row.held)?,
        optional_json((!row.metering.is_empty()).then_some(&row.metering))?,
        json(&row.named)?,
    ])
}

/// Reads a resource.
pub(super) fn stored(row: &Row) -> Result<StoredResource, StoreError> {
    read("resources", row, |row| {
        Ok(StoredResource {
            row: resource(row)?,
            revision: row.count("revision")?,
        })
    })
}

fn resource(row: &Row) -> Result<Resource, StoreError> {
    Ok(Resource {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        project: row.optional_parsed("project")?,
        pool: row.parsed("pool")?,
        account: row.parsed("account")?,
        provider: row.text("provider")?,
        kind: row.parsed("kind")?,
        family: row.parsed("family")?,
        name: row.parsed("name")?,
        description: row.optional_parsed("description")?,
        parent: row.optional_parsed("parent")?,
        identity: row.optional_text("identity")?,
        provider_name: row.text("provider_name")?,
        owner: row.parsed("owner")?,
        region: row.optional_text("region")?,
        input_digest: row.text("input_digest")?,
        desired: row.word("desired")?,
        state: row.parsed("state")?,
        message: row.optional_json("message")?,
        version: row.count("version")?,
        spec: row.json("spec")?,
        defaults: row.json("defaults")?,
        spec_generation: row.text("spec_generation")?,
        unapplied: row.json("unapplied")?,
        given_secrets: row.json("given_secrets")?,
        provider_id: row.optional_text("provider_id")?,
        accepted_at: row.optional_millis("accepted_at")?,
        ready_at: row.optional_millis("ready_at")?,
        adoption: row.optional_word("adoption")?,
        demand: row.json("demand")?,
        held: row.json("held")?,
        metering: row.optional_json("metering")?.unwrap_or_default(),
        named: row.json("named")?,
        outputs: row.json("outputs")?,
        secret_outputs: row.json("secret_outputs")?,
        memo: row.optional_json("memo")?,
        drift: row.json("drift")?,
        intent: row.optional_json("intent")?,
        missing_since: row.optional_millis("missing_since")?,
        delete_sent_at: row.optional_millis("delete_sent_at")?,
        schedule: Schedule {
            next_run_at: row.optional_millis("next_run_at")?,
            attempts: row.count("attempts")?,
        },
        last_run: row.optional_parsed("last_run")?,
        last_digest: row.optional_text("last_digest")?,
        created_at: row.millis("created_at")?,
        updated_at: row.millis("updated_at")?,
        ended_at: row.optional_millis("ended_at")?,
    })
}
