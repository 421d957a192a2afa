//! What tenants do to a row: record it, amend it, condemn it.

use std::collections::{BTreeMap, BTreeSet};

use super::absorb::{Effect, Transition};
use super::demand::{Amounts, Demand};
use super::event::{EventDraft, EventType};
use super::row::{Adoption, Desired, Resource, Schedule, State};
use crate::id::{AccountId, PoolId, PrincipalId, ProjectId, ResourceId, TenantId};
use crate::input::{Description, KindId, ResourceName};
use crate::linked::Named;
use crate::manifest::Kind;
use crate::metering::Meters;
use crate::spec::{Spec, changed_fields, effective};
use crate::time::Millis;

/// All that a new row is made of, after every check has passed.
#[derive(Debug, Clone)]
pub struct NewResource {
    /// Derived.
    pub id: ResourceId,
    /// Whose.
    pub tenant: TenantId,
    /// In which project.
    pub project: Option<ProjectId>,
    /// In which pool.
    pub pool: PoolId,
    /// On which account.
    pub account: AccountId,
    /// Of which provider.
    pub provider: String,
    /// What.
    pub kind: KindId,
    /// Called so.
    pub name: ResourceName,
    /// Described so.
    pub description: Option<Description>,
    /// Living in it.
    pub parent: Option<ResourceId>,
    /// By whom.
    pub owner: PrincipalId,
    /// What the tenant wrote.
    pub spec: Spec,
    /// Defaults that `check` returned.
    pub defaults: Spec,
    /// The instances and networks that it names.
    pub named: Named,
    /// What `check` said that it takes.
    pub demand: Demand,
    /// The generation that judged the spec.
    pub generation: String,
    /// Digest of the canonical input.
    pub input_digest: String,
}

/// The row of a new resource, and the event that it exists.
#[must_use]
pub fn new_resource(new: NewResource, kind: &Kind, now: Millis) -> Transition {
    let whole = effective(&new.spec, &new.defaults);
    let identity = identity(kind, &whole);
    let provider_name = match kind.identity.as_slice() {
        [only] => whole
            .get(only)
            .and_then(|value| value.as_str())
            .map(str::to_owned),
        _ => None,
    }
    .unwrap_or_else(|| new.id.provider_name());
    let region = kind
        .regional
        .then(|| {
            whole
                .get("region")
                .and_then(|value| value.as_str())
                .map(str::to_owned)
        })
        .flatten();
    let row = Resource {
        id: new.id,
        tenant: new.tenant,
        project: new.project,
        pool: new.pool,
        account: new.account,
        provider: new.provider,
        kind: new.kind,
        family: kind.family,
        name: new.name,
        description: new.description,
        parent: new.parent,
        identity,
        provider_name,
        owner: new.owner,
        region,
        input_digest: new.input_digest,
        desired: Desired::Present,
        state: State::Pending,
        message: None,
        version: 1,
        spec: new.spec,
        defaults: new.defaults,
        spec_generation: new.generation,
        unapplied: BTreeSet::new(),
        given_secrets: BTreeMap::new(),
        provider_id: None,
        accepted_at: None,
        ready_at: None,
        adoption: None,
        named: new.named,
        held: new.demand.bookings.clone(),
        demand: new.demand,
        metering: Meters::new(),
        outputs: Spec::new(),
        secret_outputs: BTreeMap::new(),
        memo: None,
        drift: Spec::new(),
        intent: None,
        missing_since: None,
        delete_sent_at: None,
        schedule: Schedule::at_once(now),
        last_run: None,
        last_digest: None,
        created_at: now,
        updated_at: now,
        ended_at: None,
    };
    let effects = vec![Effect::Publish(EventDraft::about(EventType::Created, &row))];
    Transition { row, effects }
}

/// What names an object within its parent: canonical JSON of the identity fields.
#[must_use]
pub(super) fn identity(kind: &Kind, spec: &Spec) -> Option<String> {
    if !kind.has_identity() {
        return None;
    }
    // Sorted by name, whatever order a map of JSON keeps in this build: stored texts are compared.
    let fields: BTreeMap<&String, &serde_json::Value> = kind
        .identity
        .iter()
        .filter_map(|field| spec.get(field).map(|value| (field, value)))
        .collect();
    Some(serde_json::json!(fields).to_string())
}

/// A spec that every check has passed.
#[derive(Debug, Clone, PartialEq)]
pub struct Accepted {
    /// What the tenant wrote.
    pub spec: Spec,
    /// Defaults that `check` returned for it.
    pub defaults: Spec,
    /// The instances and networks that it names.
    pub named: Named,
    /// What `check` said that it takes.
    pub demand: Demand,
}

/// An update, merged and judged.
#[derive(Debug, Clone)]
pub struct Amendment {
    /// The merged spec, if a spec was given.
    pub spec: Option<Accepted>,
    /// The generation that judged it.
    pub generation: String,
    /// The new description, if one was given; `Some(None)` takes it away.
    pub description: Option<Option<Description>>,
}

/// Why an update is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UpdateRefusal {
    /// On its way out.
    #[error("the resource is {0} and can't be changed any more; create a new one instead")]
    Going(State),
    /// Being let go.
    #[error(
        "the resource is being released and can't be changed any more; change its object at the provider"
    )]
    Releasing,
    /// Not taken over yet.
    #[error(
        "the resource is being adopted and its spec is not known yet; wait until it is `ready`, then change it"
    )]
    Adopting,
    /// Fields that can't be changed in place.
    #[error("can't be changed in place: {}; create a new resource with the new values, then delete this one", .0.join(", "))]
    ReplaceRequired(Vec<String>),
}

/// Whether a row takes an update, of its spec or of its description alone.
///
/// # Errors
/// When it is going, or its spec would change before its takeover is complete.
pub fn amendable(row: &Resource, of_spec: bool) -> Result<(), UpdateRefusal> {
    if !row.is_live() {
        return Err(UpdateRefusal::Going(row.state));
    }
    match row.desired {
        Desired::Deleted => Err(UpdateRefusal::Going(State::Deleting)),
        Desired::Released => Err(UpdateRefusal::Releasing),
        Desired::Present if of_spec && row.is_being_adopted() => Err(UpdateRefusal::Adopting),
        Desired::Present => Ok(()),
    }
}

/// Lays an update over a row.
///
/// # Errors
/// When the resource is going, or a field that is not updatable would change.
pub fn amend(
    mut row: Resource,
    amendment: Amendment,
    kind: Option<&Kind>,
    now: Millis,
) -> Result<Transition, UpdateRefusal> {
    amendable(&row, amendment.spec.is_some())?;
    let mut effects = Vec::new();
    if let Some(description) = amendment.description {
        row.description = description;
    }
    if let (Some(accepted), Some(kind)) = (amendment.spec, kind) {
        // Pinned defaults stay: a newer plugin's opinion must not change what runs.
        // What existed before us has no defaults of ours: what it is made of is its spec.
        let defaults = match row.adoption {
            Some(_) => row.defaults.clone(),
            None => effective(&row.defaults, &accepted.defaults),
        };
        let changed = changed_fields(&row.effective_spec(), &effective(&accepted.spec, &defaults));
        let fixed: Vec<String> = changed
            .iter()
            .filter(|field| !kind.updatable.contains(field))
            .cloned()
            .collect();
        if !fixed.is_empty() {
            return Err(UpdateRefusal::ReplaceRequired(fixed));
        }
        row.held = most(&row, &accepted.demand.bookings);
        row.demand = accepted.demand;
        row.named = accepted.named;
        row.spec = accepted.spec;
        row.defaults = defaults;
        row.spec_generation = amendment.generation;
        if kind.regional {
            row.region = row
                .effective_spec()
                .get("region")
                .and_then(|value| value.as_str())
                .map(str::to_owned);
        }
        if !changed.is_empty() {
            row.adoption = row.adoption.map(|_| Adoption::Managed);
            take_change(&mut row, changed, &mut effects, now);
        }
    }
    row.version += 1;
    row.updated_at = now;
    for effect in &mut effects {
        // The event tells the version that it announces.
        if let Effect::Publish(draft) = effect {
            *draft = EventDraft::about(draft.event, &row);
        }
    }
    Ok(Transition { row, effects })
}

/// What may be running while a change is not applied: of each capacity the larger amount.
fn most(row: &Resource, wanted: &Amounts) -> Amounts {
    let mut held = wanted.clone();
    if row.may_exist() {
        for (name, amount) in &row.held {
            let most = held.entry(name.clone()).or_default();
            *most = (*most).max(*amount);
        }
    }
    held
}

fn take_change(row: &mut Resource, changed: Vec<String>, effects: &mut Vec<Effect>, now: Millis) {
    // Until a create is sent it carries the whole spec; afterwards each field must be written.
    if row.may_exist() {
        row.unapplied.extend(changed);
    }
    let accepted = row.provider_id.is_some();
    match row.state {
        // It becomes what is wanted before anybody was told that it is ready.
        State::Pending | State::Provisioning if row.ready_at.is_none() => {}
        State::Error if !accepted => {
            row.state = State::Pending;
            row.message = None;
        }
        _ => {
            row.state = State::Updating;
            row.message = None;
            effects.push(Effect::Publish(EventDraft::about(EventType::Updating, row)));
        }
    }
    row.schedule = Schedule::at_once(now);
}

/// Marks a row for deletion, one that is being let go as well. One that is marked already stays as it
/// is, its next run included: asking again must not get round a wait that the provider asked for.
#[must_use]
pub fn condemn(mut row: Resource, now: Millis) -> Transition {
    if row.is_condemned() {
        return Transition {
            row,
            effects: Vec::new(),
        };
    }
    row.schedule = Schedule::at_once(now);
    row.desired = Desired::Deleted;
    row.state = State::Deleting;
    row.message = None;
    row.updated_at = now;
    let effects = vec![
        Effect::Publish(EventDraft::about(EventType::Deleting, &row)),
        Effect::CondemnChildren,
    ];
    Transition { row, effects }
}
