//! Taking in what the provider shows.

use super::{Asked, CallError, Effect, Next};
use crate::provider::{Observation, Phase, SecretOutput};
use crate::resource::drift::drift;
use crate::resource::event::EventType;
use crate::resource::given::{of_fields, renewed};
use crate::resource::ownership::Claim;
use crate::resource::row::{Message, Reason, State};
use crate::resource::step::Looked;
use crate::secret::{SecretName, SecretRef};
use crate::spec::changed_fields;
use crate::time::Span;

impl Next<'_, '_> {
    pub(super) fn observed(&mut self, result: Result<Observation, CallError>) {
        match result {
            // A release needs no look, whatever this one shows.
            _ if self.row.is_releasing() => self.look_anew(),
            Ok(observation) => self.saw(observation, Asked::Look),
            Err(error) if error.is_not_found() => self.missing(),
            Err(error) => self.call_failed(error),
        }
    }

    /// An answer about the row's own object.
    pub(super) fn saw(&mut self, observation: Observation, asked: Asked<'_>) {
        if self.row.provider_id.as_ref() != Some(&observation.provider_id) {
            return self.not_seen(Message::new(
                Reason::Plugin,
                format!(
                    "the plugin answered about {:?}, which is not this resource's object; its answer was not stored",
                    observation.provider_id
                ),
            ));
        }
        if observation.phase == Phase::Gone {
            return self.missing();
        }
        self.progress.looked = Looked::Seen;
        self.row.missing_since = None;
        if self.row.is_being_adopted() {
            self.seen_before_takeover(observation);
        } else if self.is_to_be_restored(&observation) {
            self.note_to_label(Claim::of_own(&self.row));
        } else if self.is_condemned() {
            self.seen_before_delete(&observation);
        } else {
            self.take_in(observation, asked);
        }
    }

    /// The provider says that there is no such object. Right after a create that proves nothing, and
    /// absence between two presences has been seen in the field: it counts once it has lasted.
    pub(super) fn missing(&mut self) {
        let delete_was_accepted = self.is_condemned() && self.row.delete_sent_at.is_some();
        if delete_was_accepted {
            return self.end();
        }
        let young = self
            .row
            .accepted_at
            .is_some_and(|at| self.now() - at < self.facts.timing.missing_grace);
        if self.row.ready_at.is_none() && young {
            return self.retry("accepted by the provider, not visible there yet", None);
        }
        let is_known_gone = self.row.state == State::Error
            && self
                .row
                .message
                .as_ref()
                .is_some_and(|message| message.reason == Reason::GoneAtProvider);
        let lasted = self.row.missing_since.map(|since| self.now() - since);
        let timing = self.facts.timing;
        let unwatched = timing
            .steady
            .max(Span(timing.converging.0.saturating_mul(4)));
        match lasted {
            Some(lasted) if lasted < timing.converging => self.retry_quietly(),
            // After a longer gap (the host was down) one more absence says as little as the first.
            Some(lasted) if lasted <= unwatched && self.is_condemned() => self.end(),
            Some(lasted) if lasted <= unwatched => self.vanished(),
            _ if is_known_gone => self.vanished(),
            _ => {
                self.row.missing_since = Some(self.now());
                self.retry_quietly();
            }
        }
    }

    fn vanished(&mut self) {
        self.fail(Message::new(
            Reason::GoneAtProvider,
            "it vanished at the provider; nothing is created in its place, since its data would be missing: delete the resource and create a new one",
        ));
    }

    fn take_in(&mut self, observation: Observation, asked: Asked<'_>) {
        let after_write = asked != Asked::Look;
        self.note_given(asked);
        self.note_renewed();
        if let Some(found) = &observation.spec {
            self.follow(found);
        }
        let had_unapplied = !self.row.unapplied.is_empty();
        self.settle(&observation, asked);
        self.record(&observation);
        self.seal(observation.secret_outputs);
        let to_write: Vec<String> = self.row.unapplied.iter().cloned().collect();
        let was_changing = had_unapplied || after_write;
        match observation.phase {
            Phase::Converging => {
                self.progress.to_update.clear();
                self.converging(was_changing, after_write);
                self.look_soon(observation.poll_after);
            }
            _ if !to_write.is_empty() => {
                let progressed = to_write != self.progress.to_update;
                self.progress.to_update = to_write;
                self.converging(was_changing, after_write);
                self.row.look_soon(
                    self.facts.now,
                    self.facts.timing,
                    self.jitter,
                    observation.poll_after,
                );
                if self.progress.updates > 0 && !progressed {
                    self.done();
                }
            }
            Phase::Failed(text) => self.fail(Message::new(Reason::Failed, text)),
            Phase::Ready | Phase::Gone => self.ready(had_unapplied),
        }
    }

    /// The provider took these fields, and with them the secrets of that moment.
    fn note_given(&mut self, asked: Asked<'_>) {
        if let Asked::Update(fields) = asked {
            let is_written = |field: &str| fields.iter().any(|written| written == field);
            let spec = self.asked.effective_spec();
            let given = of_fields(&spec, self.facts.secret_versions, is_written);
            self.row.given_secrets.extend(given);
        }
    }

    /// A newer version of a secret is a change of the fields that name it.
    fn note_renewed(&mut self) {
        let spec = self.row.effective_spec();
        let stored = self.facts.secret_versions;
        let renewed = renewed(&spec, &self.row.given_secrets, stored);
        let mut is_news = false;
        for field in renewed {
            is_news |= self.row.unapplied.insert(field);
        }
        // Before it was ready once it changes without a word, like any change.
        if is_news && self.row.ready_at.is_some() {
            self.row.state = State::Updating;
            self.row.message = None;
            self.publish(EventType::Updating);
        }
    }

    /// Keeps as unapplied what the observation calls pending, and what it can't know of: a change
    /// that landed meanwhile, and one that only a write settles.
    fn settle(&mut self, observation: &Observation, asked: Asked<'_>) {
        if self.row.ready_at.is_none() && self.row.adoption.is_none() {
            // Until it was ready once, all that is pending is what its create could not say. (Later,
            // what differs without a change of ours is drift, and not ours to write.)
            self.row
                .unapplied
                .extend(observation.pending.iter().cloned());
        }
        let spec = self.row.effective_spec();
        let amended = changed_fields(&self.asked.effective_spec(), &spec);
        let renewed = renewed(&spec, &self.row.given_secrets, self.facts.secret_versions);
        let was_written = |field: &String| match asked {
            Asked::Look => false,
            Asked::Create => true,
            Asked::Update(fields) => fields.contains(field),
        };
        // A field that was taken out of the spec is no wanted field, so no plugin calls it pending.
        let is_removed = |field: &String| !spec.contains_key(field) && !was_written(field);
        self.row.unapplied.retain(|field| {
            observation.pending.contains(field)
                || amended.contains(field)
                || renewed.contains(field)
                || is_removed(field)
        });
    }

    fn record(&mut self, observation: &Observation) {
        self.row.outputs.clone_from(&observation.outputs);
        if observation.memo.is_some() {
            self.row.memo.clone_from(&observation.memo);
        }
        if let Some(found) = &observation.spec {
            self.row.drift = drift(&self.row.effective_spec(), found, &self.row.unapplied);
        }
    }

    /// An empty value is no value: it never replaces a good one.
    fn seal(&mut self, outputs: Vec<SecretOutput>) {
        let outputs: Vec<SecretOutput> = outputs
            .into_iter()
            .filter(|output| !output.value.expose().is_empty())
            .collect();
        for output in &outputs {
            let reference = SecretRef::new(
                self.row.tenant.clone(),
                SecretName::of_output(&self.row.id, &output.name),
            );
            self.row
                .secret_outputs
                .insert(output.name.clone(), reference);
        }
        if !outputs.is_empty() {
            self.effects.push(Effect::Seal(outputs));
        }
    }

    /// `updating` always answers an accepted change of spec; all else that is under way is `provisioning`.
    fn converging(&mut self, was_changing: bool, after_write: bool) {
        let is_applied = self.row.unapplied.is_empty();
        self.row.state = match self.row.state {
            // The provider's own maintenance.
            State::Ready if is_applied && !after_write => State::Ready,
            // A refused change that is tried again is the same failure until the provider takes it.
            State::Error if !is_applied && !after_write => return,
            State::Updating => State::Updating,
            _ if self.row.ready_at.is_some() && was_changing => State::Updating,
            _ => State::Provisioning,
        };
        self.row.message = None;
    }

    fn ready(&mut self, had_unapplied: bool) {
        let is_first = self.row.ready_at.is_none();
        let was_updating = self.row.state == State::Updating
            || (self.row.state == State::Error && had_unapplied && !is_first);
        let secrets_lost =
            !self.kind().secret_outputs.is_empty() && self.row.secret_outputs.is_empty();
        self.row.state = State::Ready;
        self.row.message = secrets_lost.then(|| {
            Message::new(
                Reason::SecretLost,
                "the provider shows none of its secrets: either they were handed out once and lost, or the account's credential may not read them",
            )
        });
        self.row.ready_at.get_or_insert(self.facts.now);
        self.row.accepted_at.get_or_insert(self.facts.now);
        // The spec is applied: what a larger one before it held is free again.
        self.row.held.clone_from(&self.row.demand.bookings);
        self.is_applied = true;
        self.progress.to_update.clear();
        if is_first {
            self.publish(EventType::Ready);
            self.effects.push(Effect::WakeChildren);
        }
        if was_updating {
            self.publish(EventType::Updated);
        }
        self.row
            .look_at_refresh(self.facts.now, self.facts.timing, self.jitter);
        self.done();
    }
}
