//! The host: runs over rows, step by step, until it dies.

use std::collections::BTreeSet;

use berth_domain::id::ResourceId;
use berth_domain::input::MeterName;
use berth_domain::manifest::Kind;
use berth_domain::metering::Billing;
use berth_domain::platform::BillingMode;
use berth_domain::resource::{
    Facts, Jitter, Outcome, ParentFact, Progress, Resource, SecretVersions, Step, absorb,
    next_step, prove,
};
use berth_domain::time::Span;

use super::labelling::anothers_label;
use super::provider::{Mood, Provider, Wanted};
use super::world::{Lawful, World};
use crate::kinds::{TOKEN, UPDATABLE};

/// No kind of this world has meters of its own.
static NO_METERS: BTreeSet<MeterName> = BTreeSet::new();

const STEPS_PER_RUN: u32 = 60;

impl World {
    /// Runs over the row that is due first.
    pub(super) fn run_next(&mut self, may_die: bool) -> Lawful {
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

    pub(super) fn run(&mut self, id: &ResourceId, may_die: bool) -> Lawful {
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

    pub(super) fn facts<'a>(
        &'a self,
        row: &Resource,
        kind: &'a Kind,
        secret_versions: &'a SecretVersions,
    ) -> Facts<'a> {
        Facts {
            kind,
            deployment: &self.deployment,
            parent: row
                .parent
                .as_ref()
                .map(|parent| ParentFact::of(&self.rows[parent])),
            live_children: self.live_children(&row.id),
            no_create_arrived: !self.provider.may_have_arrived.contains(&row.id),
            secret_versions,
            create_accepted_at: None,
            billing: Billing::of(BillingMode::Metered, &NO_METERS),
            timing: &self.timing,
            now: self.now,
        }
    }

    pub(super) fn live_children(&self, id: &ResourceId) -> u32 {
        let children = self
            .rows
            .values()
            .filter(|child| child.parent.as_ref() == Some(id) && child.is_live());
        u32::try_from(children.count()).unwrap()
    }

    pub(super) fn parent_object(&self, row: &Resource) -> Option<String> {
        self.rows[row.parent.as_ref()?].provider_id.clone()
    }

    pub(super) fn perform(&mut self, row: &Resource, kind: &Kind, step: &Step) -> Outcome {
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
            Step::Label(claim) => {
                self.judge_label(row, claim.provider_id());
                Outcome::Observed(self.provider.label(&wanted, id, mood, &mut self.random))
            }
            Step::Unlabel => {
                let labels = |provider: &Provider| {
                    provider.object(id).map_or(0, |object| object.labels.len())
                };
                let had = labels(&self.provider);
                let answer = self.provider.unlabel(&wanted, id, mood, &mut self.random);
                if labels(&self.provider) < had {
                    // A delete that overrides the release from here on finds it let go.
                    self.tales.get_mut(&row.id).unwrap().stripped = true;
                }
                Outcome::Accepted(answer)
            }
            Step::ProveParent => Outcome::ParentProven(self.prove_parent(row, mood)),
            other => unreachable!("{other:?}"),
        }
    }

    pub(super) fn prove_parent(
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
    pub(super) fn told(&mut self, asked: &Resource, fields: &[String]) {
        let spec_now = self.rows[&asked.id].effective_spec();
        let spec_told = asked.effective_spec();
        let tale = self.tales.get_mut(&asked.id).unwrap();
        for field in fields {
            if spec_now.get(field) == spec_told.get(field) {
                tale.untold.remove(field);
            }
        }
    }

    pub(super) fn judge_delete(&mut self, row: &Resource, id: &str) {
        let owner = self.provider.owners.get(id).cloned().flatten();
        let children = self.provider.objects.iter().filter(|object| {
            object.parent.as_deref() == Some(id)
                && object.owner.is_some()
                && object.gone_at.is_none()
        });
        let broken = if owner.as_ref() != Some(&row.id) {
            Some(format!("{} deletes {id}, which is not its own", row.id))
        } else if self
            .provider
            .object(id)
            .is_some_and(|object| object.labels.contains(&anothers_label()))
        {
            Some(format!(
                "{} deletes {id}, which another deployment manages",
                row.id
            ))
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
