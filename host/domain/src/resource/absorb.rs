//! What a step's outcome makes of a row.

use serde_json::Value;

use super::event::{EventDraft, EventType};
use super::ownership::prove;
use super::row::{Desired, Intent, Message, Reason, Resource, Schedule, State};
use super::schedule::Jitter;
use super::step::{Facts, Looked, Progress, Step};
use crate::manifest::{Kind, Ownership};
use crate::provider::{Observation, Phase, ProviderError, SecretOutput};
use crate::secret::{SecretName, SecretRef};
use crate::time::{Millis, Span};

/// A row and what is stored with it in one transaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Transition {
    /// The row.
    pub row: Resource,
    /// What goes with it.
    pub effects: Vec<Effect>,
}

/// What is stored with a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// An event for the outbox.
    Publish(EventDraft),
    /// Secret outputs to seal; the row has their references already.
    Seal(Vec<SecretOutput>),
    /// The sealed outputs of the row are destroyed.
    DestroySecrets,
    /// The row's authorization (its owner's right) ends.
    RemoveAuthorization,
    /// Resources living in it are marked for deletion.
    CondemnChildren,
    /// Resources living in it are looked at at once.
    WakeChildren,
    /// The resource it lives in is looked at at once.
    WakeParent,
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A step without a provider call: it is stored, nothing else.
    Stored,
    /// `find`: the object, or certainty that there is none.
    Found(Result<Option<Observation>, CallError>),
    /// `observe`, `create` or `update`.
    Observed(Result<Observation, CallError>),
    /// `delete`.
    Accepted(Result<(), CallError>),
    /// The parent was observed: proven ours or not; `None`: it is gone.
    ParentProven(Result<Option<bool>, CallError>),
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// How.
    pub fault: CallFault,
    /// Whether a write left the host before.
    pub wrote: bool,
}

/// How a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFault {
    /// The provider, through its plugin.
    Provider(ProviderError),
    /// The plugin broke.
    Plugin(String),
    /// A plain value held a secret.
    SecretInPlain(String),
    /// A secret that the spec names can't be read.
    Secret(String),
    /// The host has no room now.
    HostBusy {
        /// What is short.
        message: String,
        /// When to try again.
        retry_after: Option<Span>,
    },
    /// The host can't do it as it is configured.
    Host(String),
}

/// Turns a row and an outcome into the next row. `jitter` spreads what would otherwise come at once.
#[must_use]
pub fn absorb(
    row: Resource,
    progress: &mut Progress,
    step: &Step,
    outcome: Outcome,
    facts: &Facts<'_>,
    jitter: Jitter,
) -> Transition {
    let mut next = Next {
        row,
        effects: Vec::new(),
        progress,
        facts,
        jitter,
    };
    match (step, outcome) {
        (Step::Stop, _) => next.progress.done = true,
        (Step::Wait(message), _) => next.wait(message.clone()),
        (Step::Condemn, _) => next.condemn(),
        (Step::End, _) => next.end(),
        (Step::OpenIntent, _) => next.open_intent(),
        (Step::ProveParent, Outcome::ParentProven(result)) => next.parent(result),
        (Step::Find, Outcome::Found(result)) => next.found(result),
        (Step::Observe, Outcome::Observed(result)) => next.observed(result),
        (Step::Create, Outcome::Observed(result)) => next.created(result),
        (Step::Update(_), Outcome::Observed(result)) => next.updated(result),
        (Step::Delete(_), Outcome::Accepted(result)) => next.delete_accepted(result),
        (_, _) => {
            // A service that answers a step with another step's outcome is a defect of ours: look again later.
            next.row.retry(facts.now, facts.timing, jitter, None);
            next.progress.done = true;
        }
    }
    Transition {
        row: next.row,
        effects: next.effects,
    }
}

struct Next<'a, 'f> {
    row: Resource,
    effects: Vec<Effect>,
    progress: &'a mut Progress,
    facts: &'a Facts<'f>,
    jitter: Jitter,
}

impl Next<'_, '_> {
    fn now(&self) -> Millis {
        self.facts.now
    }

    fn kind(&self) -> &Kind {
        self.facts.kind
    }

    fn publish(&mut self, event: EventType) {
        self.effects
            .push(Effect::Publish(EventDraft::about(event, &self.row)));
    }

    fn done(&mut self) {
        self.progress.done = true;
    }

    fn look_soon(&mut self, poll_after: Option<Span>) {
        self.row
            .look_soon(self.facts.now, self.facts.timing, self.jitter, poll_after);
        self.done();
    }

    fn retry(&mut self, message: Message, retry_after: Option<Span>) {
        if self.row.state != State::Ready {
            self.row.message = Some(message);
        }
        self.row
            .retry(self.facts.now, self.facts.timing, self.jitter, retry_after);
        self.done();
    }

    /// Enters `error`, or stays in it with the latest word. `failed` is published once an entry.
    fn fail(&mut self, message: Message) {
        let entered = self.row.state != State::Error;
        self.row.state = State::Error;
        self.row.message = Some(message);
        self.row
            .look_at_refresh(self.facts.now, self.facts.timing, self.jitter);
        if entered {
            self.publish(EventType::Failed);
        }
        self.done();
    }

    // ------------------------------------------------------- steps without a call

    fn wait(&mut self, message: Message) {
        if self.row.desired == Desired::Deleted {
            self.row.state = State::Deleting;
            self.effects.push(Effect::CondemnChildren);
        }
        self.row.message = Some(message);
        self.look_soon(None);
    }

    fn condemn(&mut self) {
        let Transition { row, effects } = super::command::condemn(self.row.clone(), self.facts.now);
        self.row = row;
        self.effects.extend(effects);
    }

    fn end(&mut self) {
        self.row.state = State::Deleted;
        self.row.message = None;
        self.row.intent = None;
        self.row.unapplied.clear();
        self.row.ended_at = Some(self.now());
        self.row.secret_outputs.clear();
        self.row.schedule = Schedule::never();
        self.publish(EventType::Deleted);
        self.effects
            .extend([Effect::DestroySecrets, Effect::RemoveAuthorization]);
        if self.row.parent.is_some() {
            self.effects.push(Effect::WakeParent);
        }
        self.done();
    }

    fn open_intent(&mut self) {
        let sends = self.row.intent.map_or(0, |intent| intent.sends);
        self.row.intent = Some(Intent {
            opened_at: self.now(),
            absent_looks: 0,
            sends: sends + 1,
        });
        // The create that follows carries the whole spec of this moment.
        self.row.unapplied.clear();
        self.progress.intent_is_fresh = true;
    }

    // ------------------------------------------------------------------- looking

    fn parent(&mut self, result: Result<Option<bool>, CallError>) {
        match result {
            Ok(Some(proven)) => self.progress.parent_proven = Some(proven),
            // What it lived in is gone, and so is it.
            Ok(None) => self.end(),
            Err(error) => self.call_failed(error),
        }
    }

    fn found(&mut self, result: Result<Option<Observation>, CallError>) {
        let observed = match result {
            Ok(observed) => observed,
            Err(CallError {
                fault: CallFault::Provider(ProviderError::NotFound(_)),
                ..
            }) => None,
            Err(error) => return self.call_failed(error),
        };
        match observed {
            None => self.saw_nothing(),
            Some(observation) if observation.phase == Phase::Gone => self.saw_nothing(),
            Some(observation) if self.is_ours(&observation) => {
                // `find` may answer from a list, which shows no secrets: an observe follows.
                self.accept(observation.provider_id);
            }
            // A stranger under the same name: nothing of ours is there to delete.
            Some(_) if self.row.desired == Desired::Deleted => self.saw_nothing(),
            Some(observation) => {
                let name = observation.name.unwrap_or(observation.provider_id);
                self.fail(Message::new(
                    Reason::Exists,
                    format!("{name} exists at the provider and is not this resource's; rename or remove it there, or delete this resource"),
                ));
            }
        }
    }

    fn saw_nothing(&mut self) {
        if let Some(intent) = &mut self.row.intent {
            intent.absent_looks = intent.absent_looks.saturating_add(1);
        }
        self.progress.looked = Looked::Absent;
    }

    /// Labels prove; a name or a place proves only with an open intent of ours.
    fn is_ours(&self, observation: &Observation) -> bool {
        match self.kind().ownership {
            Ownership::Labels => prove(
                &self.row,
                self.kind(),
                observation,
                self.facts.deployment,
                false,
            )
            .is_ok(),
            Ownership::Name => {
                self.row.intent.is_some()
                    && prove(
                        &self.row,
                        self.kind(),
                        observation,
                        self.facts.deployment,
                        false,
                    )
                    .is_ok()
            }
            Ownership::Parent => self.row.intent.is_some(),
        }
    }

    fn accept(&mut self, provider_id: String) {
        let accepted_at = self
            .row
            .intent
            .map_or(self.now(), |intent| intent.opened_at);
        self.row.provider_id = Some(provider_id);
        self.row.accepted_at.get_or_insert(accepted_at);
        self.row.intent = None;
        if matches!(self.row.state, State::Pending | State::Error)
            && self.row.desired == Desired::Present
        {
            self.row.state = State::Provisioning;
            self.row.message = None;
        }
    }

    fn observed(&mut self, result: Result<Observation, CallError>) {
        match result {
            Ok(observation) if observation.phase == Phase::Gone => self.missing(),
            Ok(observation) => {
                self.progress.looked = Looked::Seen;
                self.row.missing_since = None;
                if self.row.desired == Desired::Deleted {
                    self.seen_before_delete(&observation);
                } else {
                    self.take_in(observation);
                }
            }
            Err(CallError {
                fault: CallFault::Provider(ProviderError::NotFound(_)),
                ..
            }) => self.missing(),
            Err(error) => self.call_failed(error),
        }
    }

    /// The provider says that there is no such object. Right after a create that proves nothing.
    fn missing(&mut self) {
        let now = self.now();
        let never_seen = self.row.ready_at.is_none() && self.row.delete_sent_at.is_none();
        let young = self
            .row
            .accepted_at
            .is_some_and(|at| now - at < self.facts.timing.missing_grace);
        if never_seen && young {
            self.row.message = Some(Message::new(
                Reason::Waiting,
                "accepted by the provider, not visible there yet",
            ));
            return self.retry_quietly();
        }
        if self.row.desired == Desired::Deleted {
            return self.end();
        }
        match self.row.missing_since {
            // One absence between two presences has been seen in the field: look once more.
            None => {
                self.row.missing_since = Some(now);
                self.retry_quietly();
            }
            Some(_) => self.fail(Message::new(
                Reason::GoneAtProvider,
                "it vanished at the provider; nothing is created in its place, since its data would be missing: delete the resource and create a new one",
            )),
        }
    }

    fn retry_quietly(&mut self) {
        self.row
            .retry(self.facts.now, self.facts.timing, self.jitter, None);
        self.done();
    }

    // ------------------------------------------------------------------ creating

    fn created(&mut self, result: Result<Observation, CallError>) {
        self.progress.intent_is_fresh = false;
        match result {
            Ok(observation) => {
                self.accept(observation.provider_id.clone());
                self.progress.looked = Looked::Seen;
                if self.row.desired == Desired::Deleted {
                    // Deleted while it was being created: the proof needs an observation of its own.
                    self.progress.looked = Looked::No;
                    return;
                }
                self.row
                    .unapplied
                    .extend(observation.pending.iter().cloned());
                self.take_in(observation);
            }
            Err(error) if is_ambiguous(&error) => {
                let text = format!(
                    "{}; the object is looked for before another is asked for",
                    describe(&error.fault)
                );
                self.retry(Message::new(Reason::Waiting, text), None);
            }
            Err(error) => {
                // The provider said no, or nothing was sent. An earlier create that may have been
                // accepted still counts, so only a first intent is closed.
                if self.row.intent.is_some_and(|intent| intent.sends <= 1) {
                    self.row.intent = None;
                }
                self.call_failed(error);
            }
        }
    }

    // ------------------------------------------------------- what the provider shows

    fn take_in(&mut self, observation: Observation) {
        self.record(&observation);
        let had_unapplied = !self.row.unapplied.is_empty();
        self.row
            .unapplied
            .retain(|field| observation.pending.contains(field));
        let to_write: Vec<String> = self.row.unapplied.iter().cloned().collect();
        self.seal(observation.secret_outputs);
        match observation.phase {
            Phase::Converging => {
                self.progress.to_update.clear();
                self.converging();
                self.look_soon(observation.poll_after);
            }
            _ if !to_write.is_empty() => {
                let progressed = to_write != self.progress.to_update;
                self.progress.to_update = to_write;
                self.converging();
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
            _ => self.ready(had_unapplied),
        }
    }

    fn record(&mut self, observation: &Observation) {
        let wanted = self.row.effective_spec();
        self.row.outputs.clone_from(&observation.outputs);
        if observation.memo.is_some() {
            self.row.memo.clone_from(&observation.memo);
        }
        self.row.drift = observation
            .spec
            .iter()
            .flatten()
            .filter(|(field, found)| {
                wanted.get(*field).is_some_and(|value| value != *found)
                    && !self.row.unapplied.contains(*field)
            })
            .map(|(field, found): (&String, &Value)| (field.clone(), found.clone()))
            .collect();
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

    fn converging(&mut self) {
        let next = match self.row.state {
            State::Ready if self.row.unapplied.is_empty() => State::Ready,
            _ if self.row.ready_at.is_none() && self.row.state != State::Updating => {
                State::Provisioning
            }
            _ => State::Updating,
        };
        self.row.state = next;
        self.row.message = None;
    }

    fn ready(&mut self, had_unapplied: bool) {
        let was_updating = self.row.state == State::Updating || had_unapplied;
        let first = self.row.ready_at.is_none();
        self.row.state = State::Ready;
        self.row.message = (!self.kind().secret_outputs.is_empty() && self.row.secret_outputs.is_empty()).then(|| {
            Message::new(
                Reason::SecretLost,
                "the provider shows none of its secrets: either they were handed out once and lost, or the account's credential may not read them",
            )
        });
        self.row.ready_at.get_or_insert(self.facts.now);
        self.progress.to_update.clear();
        if first {
            self.publish(EventType::Ready);
            self.effects.push(Effect::WakeChildren);
        }
        if !first && was_updating {
            self.publish(EventType::Updated);
        }
        self.row
            .look_at_refresh(self.facts.now, self.facts.timing, self.jitter);
        self.done();
    }

    // ------------------------------------------------------------------ changing

    fn updated(&mut self, result: Result<Observation, CallError>) {
        self.progress.updates += 1;
        match result {
            Ok(observation) => self.take_in(observation),
            Err(CallError {
                fault: CallFault::Provider(error),
                ..
            }) if is_refusal(&error) => {
                let text = format!(
                    "{error}; what was there before still runs; change the spec, or wait for the next try"
                );
                self.fail(Message::new(Reason::UpdateRefused, text));
            }
            Err(CallError {
                fault: CallFault::Provider(ProviderError::NotFound(_)),
                ..
            }) => self.missing(),
            Err(error) => self.call_failed(error),
        }
    }

    // ------------------------------------------------------------------ deleting

    fn seen_before_delete(&mut self, observation: &Observation) {
        if self.progress.delete_sent {
            self.row.state = State::Deleting;
            self.row.message = Some(Message::new(Reason::Waiting, "the provider is deleting it"));
            return self.look_soon(observation.poll_after);
        }
        let under_way = observation.phase == Phase::Converging
            && self
                .row
                .delete_sent_at
                .is_some_and(|at| self.now() - at < self.facts.timing.steady);
        if under_way {
            return self.look_soon(observation.poll_after);
        }
        match prove(
            &self.row,
            self.kind(),
            observation,
            self.facts.deployment,
            self.progress.parent_proven == Some(true),
        ) {
            Ok(proof) => self.progress.proof = Some(proof),
            Err(unproven) => self.fail(Message::new(
                Reason::NotManaged,
                format!("nothing was deleted: {unproven}"),
            )),
        }
    }

    fn delete_accepted(&mut self, result: Result<(), CallError>) {
        match result {
            Ok(())
            | Err(CallError {
                fault: CallFault::Provider(ProviderError::NotFound(_)),
                ..
            }) => {
                self.row.delete_sent_at = Some(self.now());
                self.row.state = State::Deleting;
                self.row.message = None;
                self.progress.delete_sent = true;
                self.progress.proof = None;
                self.progress.looked = Looked::No;
                self.row
                    .look_soon(self.facts.now, self.facts.timing, self.jitter, None);
            }
            Err(CallError {
                fault: CallFault::Provider(error),
                ..
            }) if is_refusal(&error) => {
                self.fail(Message::new(
                    Reason::DeleteRefused,
                    format!("{error}; it is tried again at the next refresh"),
                ));
            }
            Err(error) => self.call_failed(error),
        }
    }

    // ------------------------------------------------------------------- failing

    fn call_failed(&mut self, error: CallError) {
        let text = describe(&error.fault);
        if is_ambiguous(&error) {
            return self.retry(Message::new(Reason::Waiting, text), None);
        }
        match error.fault {
            CallFault::Provider(
                ProviderError::Busy { retry_after, .. }
                | ProviderError::Throttled { retry_after, .. },
            ) => {
                self.retry(Message::new(Reason::Waiting, text), retry_after);
            }
            CallFault::Provider(ProviderError::Unavailable(_)) => {
                self.retry(Message::new(Reason::Waiting, text), None)
            }
            CallFault::HostBusy { retry_after, .. } => {
                self.retry(Message::new(Reason::Waiting, text), retry_after)
            }
            CallFault::Provider(ProviderError::Invalid(_)) => {
                self.fail(Message::new(Reason::Invalid, text))
            }
            CallFault::Provider(ProviderError::Conflict(_)) => {
                self.fail(Message::new(Reason::Exists, text))
            }
            CallFault::Provider(ProviderError::Denied(_)) => {
                self.fail(Message::new(Reason::Denied, text))
            }
            CallFault::Provider(_) => self.fail(Message::new(Reason::Failed, text)),
            CallFault::Plugin(_) => self.fail(Message::new(Reason::Plugin, text)),
            CallFault::SecretInPlain(_) => self.fail(Message::new(Reason::SecretInPlain, text)),
            CallFault::Secret(_) => self.fail(Message::new(Reason::Secret, text)),
            CallFault::Host(_) => self.fail(Message::new(Reason::Host, text)),
        }
    }
}

/// A write left the host and no answer says what became of it.
fn is_ambiguous(error: &CallError) -> bool {
    match &error.fault {
        CallFault::Provider(ProviderError::Ambiguous(_)) => true,
        CallFault::Provider(ProviderError::Unavailable(_))
        | CallFault::Plugin(_)
        | CallFault::SecretInPlain(_)
        | CallFault::HostBusy { .. }
        | CallFault::Host(_) => error.wrote,
        CallFault::Provider(_) | CallFault::Secret(_) => false,
    }
}

fn is_refusal(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Invalid(_)
            | ProviderError::Failed(_)
            | ProviderError::Denied(_)
            | ProviderError::Conflict(_)
            | ProviderError::Unsupported(_)
    )
}

fn describe(fault: &CallFault) -> String {
    match fault {
        CallFault::Provider(error) => error.to_string(),
        CallFault::Plugin(text)
        | CallFault::SecretInPlain(text)
        | CallFault::Secret(text)
        | CallFault::Host(text) => text.clone(),
        CallFault::HostBusy { message, .. } => message.clone(),
    }
}
