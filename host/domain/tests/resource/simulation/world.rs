//! Rows, tenants, outsiders, and the host that runs over the rows until it dies.

use std::collections::{BTreeMap, BTreeSet};

use berth_domain::id::{DeploymentId, ResourceId};
use berth_domain::manifest::Kind;
use berth_domain::resource::{
    Amendment, Desired, Effect, EventType, Facts, Jitter, Outcome, ParentFact, Progress, Reason,
    Resource, SecretVersions, State, Step, Timing, Transition, absorb, amend, condemn, next_step,
    prove,
};
use berth_domain::spec::{Spec, merge_patch};
use berth_domain::time::{Millis, Span};
use serde_json::{Value, json};

use super::laws;
use super::provider::{Mood, Provider, Wanted};
use super::random::Random;
use crate::kinds::{self, TOKEN, UPDATABLE};
use crate::scene::deployment;

/// Happenings of the troubled part of a life.
const TROUBLES: u32 = 60;
/// Runs after which everything must have come to rest.
const PATIENCE: u32 = 2_000;
const STEPS_PER_RUN: u32 = 60;

/// What the world knows of a row beside the row.
#[derive(Default)]
pub(crate) struct Tale {
    pub(crate) events: Vec<EventType>,
    /// Fields that a tenant wants and that the provider has not been told.
    untold: BTreeSet<String>,
    /// Fields that an outsider changed since.
    drifted: BTreeSet<String>,
    vanished: bool,
    stripped: bool,
}

pub(crate) struct World {
    random: Random,
    pub(crate) now: Millis,
    pub(crate) rows: BTreeMap<ResourceId, Resource>,
    pub(crate) tales: BTreeMap<ResourceId, Tale>,
    pub(crate) provider: Provider,
    pub(crate) log: Vec<String>,
    deployment: DeploymentId,
    kinds: BTreeMap<String, Kind>,
    timing: Timing,
    secret_versions: SecretVersions,
    /// Percent of calls that go wrong.
    trouble: u64,
    /// The row that is run over.
    running: Option<ResourceId>,
    broken: Option<String>,
}

type Lawful = Result<(), String>;

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let trouble = random.below(50);
        Self {
            random,
            now: Millis(1_000_000),
            rows: BTreeMap::new(),
            tales: BTreeMap::new(),
            provider: Provider::default(),
            log: vec![],
            deployment: deployment(),
            kinds: [kinds::cluster(), kinds::app(), kinds::user()]
                .map(|kind| (kind.id.clone(), kind))
                .into(),
            timing: Timing::default(),
            secret_versions: [(kinds::token(), 1)].into(),
            trouble,
            running: None,
            broken: None,
        }
    }

    fn tell(&mut self, what: impl Into<String>) {
        self.log.push(format!("{:>9}  {}", self.now.0, what.into()));
    }

    /// Trouble, then peace in which every wish comes true, then the end of everything.
    pub(crate) fn live(&mut self) -> Lawful {
        for _ in 0..TROUBLES {
            if self.random.percent(40) {
                self.something_happens()?;
            }
            self.run_next(true)?;
        }
        self.tell("peace");
        self.trouble = 0;
        self.rest()?;
        self.wishes_came_true()?;
        let ids: Vec<ResourceId> = self.rows.keys().cloned().collect();
        for id in ids {
            self.condemn(&id)?;
        }
        self.rest()?;
        self.all_is_gone()
    }

    /// Runs until only refreshes are left.
    fn rest(&mut self) -> Lawful {
        let until = self.now + Span::minutes(120);
        for _ in 0..PATIENCE {
            if self.now > until || !self.rows.values().any(Resource::is_live) {
                return Ok(());
            }
            self.run_next(false)?;
        }
        Err("it never comes to rest".to_owned())
    }

    // ------------------------------------------------------------------- happenings

    fn something_happens(&mut self) -> Lawful {
        let ids: Vec<ResourceId> = self.rows.keys().cloned().collect();
        let Some(id) = self.random.pick(&ids).cloned() else {
            return self.record();
        };
        match self.random.below(20) {
            0..=4 if ids.len() < 5 => self.record(),
            0..=10 => self.amend(&id),
            11..=12 => self.condemn(&id),
            13..=15 => {
                self.twin_appears(&id);
                Ok(())
            }
            16 => {
                self.vanish(&id);
                Ok(())
            }
            17 => {
                self.strip(&id);
                Ok(())
            }
            _ => {
                self.autoscale(&id);
                Ok(())
            }
        }
    }

    fn record(&mut self) -> Lawful {
        let number = u8::try_from(self.rows.len()).unwrap();
        let parents: Vec<ResourceId> = self
            .rows
            .values()
            .filter(|row| row.kind.as_str() == "sim.cluster" && !row.is_going())
            .map(|row| row.id.clone())
            .collect();
        let parent = self.random.pick(&parents).cloned();
        let (kind, parent) = match self.random.below(3) {
            0 => (kinds::app(), None),
            1 if parent.is_some() => (kinds::user(), parent),
            _ => (kinds::cluster(), None),
        };
        let row = kinds::row(&kind, number, parent.as_ref(), self.now);
        self.tell(format!("tenant creates {} {}", kind.id, row.id));
        let tale = Tale {
            events: vec![EventType::Created],
            ..Tale::default()
        };
        self.tales.insert(row.id.clone(), tale);
        self.rows.insert(row.id.clone(), row);
        Ok(())
    }

    fn amend(&mut self, id: &ResourceId) -> Lawful {
        let row = self.rows[id].clone();
        let field = *self.random.pick(&UPDATABLE).unwrap();
        if field == TOKEN {
            self.renew_the_secret();
            return Ok(());
        }
        let value = match self.random.below(5) {
            0 => Value::Null,
            number => json!(number),
        };
        let spec = merge_patch(
            &row.spec,
            &Spec::from_iter([(field.to_owned(), value.clone())]),
        );
        let is_change = row.spec.get(field) != spec.get(field);
        let amendment = Amendment {
            spec: Some((spec, Spec::new())),
            generation: "digest".to_owned(),
            description: None,
        };
        let kind = &self.kinds[row.kind.as_str()];
        let Ok(transition) = amend(row, amendment, Some(kind), self.now) else {
            return Ok(());
        };
        self.tell(format!("tenant amends {id} {field}={value}"));
        if is_change {
            let tale = self.tales.get_mut(id).unwrap();
            tale.untold.insert(field.to_owned());
            tale.drifted.remove(field);
        }
        self.store(transition)
    }

    /// The secret that every spec names has a new version from now on.
    fn renew_the_secret(&mut self) {
        *self.secret_versions.get_mut(&kinds::token()).unwrap() += 1;
        self.tell("tenant renews the secret");
        for tale in self.tales.values_mut() {
            tale.untold.insert(TOKEN.to_owned());
        }
    }

    fn token_version(&self) -> u64 {
        self.secret_versions[&kinds::token()]
    }

    fn condemn(&mut self, id: &ResourceId) -> Lawful {
        if !self.rows[id].is_live() {
            return Ok(());
        }
        self.tell(format!("tenant deletes {id}"));
        let transition = condemn(self.rows[id].clone(), self.now);
        self.store(transition)
    }

    /// Somebody makes an object of the row's name, before one of ours may be there.
    fn twin_appears(&mut self, id: &ResourceId) {
        let row = self.rows[id].clone();
        let kind = self.kinds[row.kind.as_str()].clone();
        let parent = self.parent_object(&row);
        if self.provider.may_have_arrived.contains(id) || (kind.is_child() && parent.is_none()) {
            return;
        }
        let wanted = Wanted {
            row: &row,
            kind: &kind,
            parent: parent.as_deref(),
            deployment: &self.deployment,
            token_version: self.token_version(),
            now: self.now,
        };
        if self.provider.twin_of(&wanted).is_none() {
            self.provider.add_twin(&wanted);
            self.tell(format!("a twin appears of {id}"));
        }
    }

    fn own_object(&self, id: &ResourceId) -> Option<String> {
        self.provider
            .objects
            .iter()
            .find(|object| object.owner.as_ref() == Some(id) && object.gone_at.is_none())
            .map(|object| object.id.clone())
    }

    fn vanish(&mut self, id: &ResourceId) {
        let Some(object) = self.own_object(id) else {
            return;
        };
        if !self.random.percent(20) {
            return;
        }
        self.tell(format!("{object} of {id} vanishes"));
        self.provider.remove(&object);
        if self.rows[id].provider_id.is_none() {
            // Nobody ever knew it: another one is no replacement.
            self.provider.made_for.remove(id);
        }
        let rows: Vec<ResourceId> = self
            .rows
            .values()
            .filter(|row| row.parent.as_ref() == Some(id) || row.id == *id)
            .map(|row| row.id.clone())
            .collect();
        for id in rows {
            self.tales.get_mut(&id).unwrap().vanished = true;
        }
    }

    fn strip(&mut self, id: &ResourceId) {
        let Some(object) = self.own_object(id) else {
            return;
        };
        let row = &self.rows[id];
        // Between a proof and its delete nobody could see it.
        let is_run_over = self.running.as_ref() == Some(id);
        if is_run_over || row.kind.as_str() != "sim.cluster" || row.provider_id.is_none() {
            return;
        }
        self.tell(format!("the labels are stripped off {object} of {id}"));
        self.provider.object_mut(&object).unwrap().labels.clear();
        self.tales.get_mut(id).unwrap().stripped = true;
    }

    fn autoscale(&mut self, id: &ResourceId) {
        let tale = self.tales.get_mut(id).unwrap();
        let settled = tale.untold.is_empty()
            && self.rows[id].unapplied.is_empty()
            && self.rows[id].ready_at.is_some();
        let Some(object) = self.own_object(id) else {
            return;
        };
        if settled {
            let size = json!(100 + self.random.below(9));
            self.tales
                .get_mut(id)
                .unwrap()
                .drifted
                .insert("size".to_owned());
            self.provider
                .object_mut(&object)
                .unwrap()
                .fields
                .insert("size".to_owned(), size);
            self.tell(format!("an autoscaler resizes {object} of {id}"));
        }
    }

    // ------------------------------------------------------------------- the host

    /// Runs over the row that is due first.
    fn run_next(&mut self, may_die: bool) -> Lawful {
        let due = self
            .rows
            .values()
            .filter_map(|row| row.schedule.next_run_at.map(|at| (at, row.id.clone())))
            .min();
        let Some((at, id)) = due else { return Ok(()) };
        self.now = self.now.max(at);
        self.provider.tick(self.now);
        self.running = Some(id.clone());
        self.run(&id, may_die)?;
        self.running = None;
        self.broken.take().map_or(Ok(()), Err)
    }

    fn run(&mut self, id: &ResourceId, may_die: bool) -> Lawful {
        let mut progress = Progress::default();
        for _ in 0..STEPS_PER_RUN {
            let asked = self.rows[id].clone();
            let kind = self.kinds[asked.kind.as_str()].clone();
            // Read before the call: what comes later was not sent with it.
            let versions = self.secret_versions.clone();
            let step = next_step(&asked, &progress, &self.facts(&asked, &kind, &versions));
            if may_die && self.random.percent(3) {
                self.tell("the host dies before a step");
                return Ok(());
            }
            let outcome = self.perform(&asked, &kind, &step);
            self.tell(format!(
                "{id} {}: {}",
                told_step(&step),
                told_outcome(&outcome)
            ));
            if may_die && self.random.percent(4) {
                self.tell("the host dies before it stores what came of a step");
                self.now = self.now + Span(self.random.below(20_000));
                return Ok(());
            }
            if may_die && self.random.percent(10) {
                self.something_happens()?;
            }
            let row = self.rows[id].clone();
            if row != asked && outcome == Outcome::Stored {
                continue;
            }
            let mut after = progress.clone();
            let jitter = Jitter(u16::try_from(self.random.below(65_536)).unwrap());
            let facts = self.facts(&row, &kind, &versions);
            let transition = absorb(row, &asked, &mut after, &step, outcome, &facts, jitter);
            self.store(transition)?;
            progress = after;
            if progress.is_done() {
                let row = &self.rows[id];
                let is_scheduled = row.schedule.next_run_at.is_none_or(|at| at > self.now);
                return if is_scheduled {
                    Ok(())
                } else {
                    Err(format!("the run over {id} ended without a wait"))
                };
            }
        }
        Err(format!("the run over {id} does not end"))
    }

    fn facts<'a>(
        &'a self,
        row: &Resource,
        kind: &'a Kind,
        secret_versions: &'a SecretVersions,
    ) -> Facts<'a> {
        let live_children = self
            .rows
            .values()
            .filter(|child| child.parent.as_ref() == Some(&row.id) && child.is_live())
            .count();
        Facts {
            kind,
            deployment: &self.deployment,
            parent: row
                .parent
                .as_ref()
                .map(|parent| ParentFact::of(&self.rows[parent])),
            live_children: u32::try_from(live_children).unwrap(),
            no_create_arrived: !self.provider.may_have_arrived.contains(&row.id),
            secret_versions,
            timing: &self.timing,
            now: self.now,
        }
    }

    fn parent_object(&self, row: &Resource) -> Option<String> {
        self.rows[row.parent.as_ref()?].provider_id.clone()
    }

    fn perform(&mut self, row: &Resource, kind: &Kind, step: &Step) -> Outcome {
        if matches!(
            step,
            Step::Stop | Step::Wait(_) | Step::Condemn | Step::End | Step::OpenIntent
        ) {
            return Outcome::Stored;
        }
        let mood = Mood::draw(&mut self.random, self.trouble);
        let before = self.now;
        self.now = self.now + Span(self.random.below(2_000));
        self.provider.tick(self.now);
        let parent = self.parent_object(row);
        let deployment = self.deployment.clone();
        let wanted = Wanted {
            row,
            kind,
            parent: parent.as_deref(),
            deployment: &deployment,
            token_version: self.token_version(),
            now: before,
        };
        let id = row.provider_id.as_deref().unwrap_or_default();
        match step {
            Step::Find => Outcome::Found(self.provider.find(&wanted, mood)),
            Step::Observe => Outcome::Observed(self.provider.observe(&wanted, id, mood)),
            Step::Create => {
                let made = self.provider.made_for.get(&row.id).copied();
                let answer = self.provider.create(&wanted, mood, &mut self.random);
                if self.provider.made_for.get(&row.id).copied() != made {
                    self.log.push("           created".to_owned());
                    self.told(row, &UPDATABLE.map(str::to_owned));
                    self.tales
                        .get_mut(&row.id)
                        .unwrap()
                        .untold
                        .insert("rules".to_owned());
                }
                Outcome::Observed(answer)
            }
            Step::Update(fields) => {
                let untold = &self.tales[&row.id].untold;
                // What no observation shows (a secret's version, the absence of a field) is written
                // once more where nobody knows whether it arrived.
                let is_shown = |field: &String| field != TOKEN && row.spec.contains_key(field);
                let unasked = |field: &&String| is_shown(field) && !untold.contains(*field);
                if let Some(field) = fields.iter().find(unasked) {
                    self.broken = Some(format!("{field} of {} was written without a wish", row.id));
                }
                let values =
                    |provider: &Provider| provider.object(id).map(|object| object.fields.clone());
                let before = values(&self.provider);
                let answer = self
                    .provider
                    .update(&wanted, id, fields, mood, &mut self.random);
                if before != values(&self.provider) {
                    self.told(row, fields);
                }
                Outcome::Observed(answer)
            }
            Step::Delete(proof) => {
                self.judge_delete(row, proof.provider_id());
                Outcome::Accepted(self.provider.delete(
                    &wanted,
                    proof.provider_id(),
                    mood,
                    &mut self.random,
                ))
            }
            Step::ProveParent => Outcome::ParentProven(self.prove_parent(row, mood)),
            other => unreachable!("{other:?}"),
        }
    }

    fn prove_parent(
        &mut self,
        row: &Resource,
        mood: Mood,
    ) -> Result<Option<bool>, berth_domain::resource::CallError> {
        let parent = self.rows[row.parent.as_ref().unwrap()].clone();
        let Some(id) = parent.provider_id.clone() else {
            return Ok(None);
        };
        let kind = self.kinds[parent.kind.as_str()].clone();
        let deployment = self.deployment.clone();
        let wanted = Wanted {
            row: &parent,
            kind: &kind,
            parent: None,
            deployment: &deployment,
            token_version: self.token_version(),
            now: self.now,
        };
        match self.provider.observe(&wanted, &id, mood) {
            Ok(observed) => Ok(Some(
                prove(&parent, &kind, &observed, &deployment, false).is_ok(),
            )),
            Err(error) if format!("{error:?}").contains("NotFound") => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The provider was told these fields, as the row had them.
    fn told(&mut self, asked: &Resource, fields: &[String]) {
        let spec_now = self.rows[&asked.id].effective_spec();
        let spec_told = asked.effective_spec();
        let tale = self.tales.get_mut(&asked.id).unwrap();
        for field in fields {
            if spec_now.get(field) == spec_told.get(field) {
                tale.untold.remove(field);
            }
        }
    }

    fn judge_delete(&mut self, row: &Resource, id: &str) {
        let owner = self.provider.owners.get(id).cloned().flatten();
        let children = self.provider.objects.iter().filter(|object| {
            object.parent.as_deref() == Some(id)
                && object.owner.is_some()
                && object.gone_at.is_none()
        });
        let broken = if owner.as_ref() != Some(&row.id) {
            Some(format!("{} deletes {id}, which is not its own", row.id))
        } else if self.tales[&row.id].stripped
            && self
                .provider
                .object(id)
                .is_some_and(|object| object.labels.is_empty())
        {
            Some(format!("{} deletes {id}, which is not labelled", row.id))
        } else if children.count() > 0 {
            Some(format!("{} deletes {id} before what lives in it", row.id))
        } else {
            None
        };
        if broken.is_some() {
            self.broken = broken;
        }
    }

    // ------------------------------------------------------------------- the store

    fn store(&mut self, change: Transition) -> Lawful {
        let id = change.row.id.clone();
        let before = &self.rows[&id];
        laws::of_a_change(before, &change, &self.tales[&id])
            .map_err(|broken| format!("{id}: {broken}"))?;
        if before.state != change.row.state {
            let line = format!(
                "{id} {} -> {} {:?}",
                before.state, change.row.state, change.row.message
            );
            self.tell(line);
        }
        let parent = change.row.parent.clone();
        self.rows.insert(id.clone(), change.row);
        for effect in change.effects {
            match effect {
                Effect::Publish(draft) => self.tales.get_mut(&id).unwrap().events.push(draft.event),
                Effect::CondemnChildren => {
                    let children: Vec<Resource> = self
                        .rows
                        .values()
                        .filter(|row| row.parent.as_ref() == Some(&id))
                        .cloned()
                        .collect();
                    for child in children {
                        self.store(condemn(child, self.now))?;
                    }
                }
                Effect::WakeChildren => {
                    for row in self
                        .rows
                        .values_mut()
                        .filter(|row| row.parent.as_ref() == Some(&id) && row.is_live())
                    {
                        row.schedule.next_run_at = Some(self.now);
                    }
                }
                Effect::WakeParent => {
                    let parent = parent.as_ref().and_then(|parent| self.rows.get_mut(parent));
                    if let Some(row) = parent.filter(|row| row.is_live()) {
                        row.schedule.next_run_at = Some(self.now);
                    }
                }
                Effect::Seal(_) | Effect::DestroySecrets | Effect::RemoveAuthorization => {}
            }
        }
        laws::of_the_world(self)
    }

    // ------------------------------------------------------------------- the verdict

    fn has_twin(&self, row: &Resource) -> bool {
        let kind = &self.kinds[row.kind.as_str()];
        let parent = self.parent_object(row);
        let wanted = Wanted {
            row,
            kind,
            parent: parent.as_deref(),
            deployment: &self.deployment,
            token_version: self.token_version(),
            now: self.now,
        };
        self.provider.twin_of(&wanted).is_some()
    }

    fn wishes_came_true(&self) -> Lawful {
        for row in self
            .rows
            .values()
            .filter(|row| row.desired == Desired::Present)
        {
            let tale = &self.tales[&row.id];
            let reason = row.message.as_ref().map(|message| message.reason);
            let parent_is_lost = row
                .parent
                .as_ref()
                .is_some_and(|parent| self.rows[parent].state == State::Error);
            match (row.state, reason) {
                (State::Error, Some(Reason::GoneAtProvider)) if tale.vanished => continue,
                (State::Error, Some(Reason::Exists)) if self.has_twin(row) => continue,
                (State::Error, Some(Reason::Failed))
                    if self
                        .provider
                        .objects
                        .iter()
                        .any(|object| object.owner.as_ref() == Some(&row.id) && object.failed) =>
                {
                    continue;
                }
                (State::Pending | State::Error, _)
                    if row.provider_id.is_none() && parent_is_lost =>
                {
                    continue;
                }
                (State::Ready, _) => {}
                _ => {
                    return Err(format!(
                        "{} is {} ({:?}) in peace",
                        row.id, row.state, row.message
                    ));
                }
            }
            let object = row
                .provider_id
                .as_ref()
                .and_then(|id| self.provider.object(id))
                .ok_or("ready without an object")?;
            for field in UPDATABLE {
                if !tale.drifted.contains(field) && object.fields.get(field) != row.spec.get(field)
                {
                    return Err(format!(
                        "{field} of {} is {:?}, not as wanted",
                        row.id,
                        object.fields.get(field)
                    ));
                }
            }
            if object.token_version != self.token_version() {
                return Err(format!("{} has an old version of the secret", row.id));
            }
            if !row.unapplied.is_empty() {
                return Err(format!("{} is ready with unapplied fields", row.id));
            }
        }
        Ok(())
    }

    fn all_is_gone(&self) -> Lawful {
        for row in self.rows.values().filter(|row| row.is_live()) {
            let reason = row.message.as_ref().map(|message| message.reason);
            let stays = self.tales[&row.id].stripped
                || row
                    .parent
                    .as_ref()
                    .is_some_and(|parent| self.tales[parent].stripped)
                || self
                    .rows
                    .values()
                    .any(|child| child.parent.as_ref() == Some(&row.id) && child.is_live());
            if !(stays && matches!(reason, Some(Reason::NotManaged | Reason::Waiting))) {
                return Err(format!(
                    "{} is still {} ({:?})",
                    row.id, row.state, row.message
                ));
            }
        }
        for object in &self.provider.objects {
            let Some(owner) = &object.owner else { continue };
            if self.rows[owner].state == State::Deleted && object.gone_at.is_none() {
                return Err(format!("{} outlived {owner}", object.id));
            }
        }
        Ok(())
    }
}

fn told_step(step: &Step) -> String {
    match step {
        Step::Wait(message) => format!("waits, {}", message.text),
        Step::Update(fields) => format!("updates {}", fields.join(", ")),
        Step::Delete(proof) => format!("deletes {}", proof.provider_id()),
        other => format!("{other:?}"),
    }
}

fn told_outcome(outcome: &Outcome) -> String {
    let seen = |object: &berth_domain::provider::Observation| {
        format!(
            "{} {:?}, pending {:?}",
            object.provider_id, object.phase, object.pending
        )
    };
    match outcome {
        Outcome::Found(Ok(Some(object))) | Outcome::Observed(Ok(object)) => seen(object),
        Outcome::Found(Err(error))
        | Outcome::Observed(Err(error))
        | Outcome::Accepted(Err(error)) => {
            format!("{:?}, wrote: {}", error.fault, error.wrote)
        }
        other => format!("{other:?}"),
    }
}
