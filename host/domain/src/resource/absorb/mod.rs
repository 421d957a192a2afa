//! What a step's outcome makes of a row.

mod adopting;
mod call_error;
mod changing;
mod creating;
mod deleting;
mod metering;
mod observing;
mod releasing;

use super::event::{EventDraft, EventType};
use super::row::{Desired, Message, Reason, Resource, State};
use super::schedule::Jitter;
use super::step::{Facts, Looked, Progress, Step};
use crate::id::ResourceId;
use crate::manifest::Kind;
use crate::metering::MeterSpan;
use crate::provider::{Observation, ProviderError, SecretOutput};
use crate::time::{Millis, Span};

pub use call_error::{CallError, CallFault};
pub use metering::end_meters;
use metering::is_billable;

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
    /// A meter began to run, or ended: the span as it now is.
    Meter(MeterSpan),
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
    /// `observe`, `create`, `update` or `label`.
    Observed(Result<Observation, CallError>),
    /// An object was found, made or to be taken over that this other row has already.
    Taken(ResourceId),
    /// `delete` or `unlabel`.
    Accepted(Result<(), CallError>),
    /// The parent was observed: proven ours or not; `None`: it is gone.
    ParentProven(Result<Option<bool>, CallError>),
}

/// Turns a row and an outcome into the next row.
///
/// `asked` is the row that the step was decided on and the call was made with; `row` is the row as
/// it is now. A wish that landed between the two was unknown to the provider, so the outcome says
/// nothing about it. `jitter` spreads what would otherwise come at once.
#[must_use]
pub fn absorb(
    row: Resource,
    asked: &Resource,
    progress: &mut Progress,
    step: &Step,
    outcome: Outcome,
    facts: &Facts<'_>,
    jitter: Jitter,
) -> Transition {
    let billed_before = is_billable(&row);
    let mut next = Next {
        row,
        asked,
        effects: Vec::new(),
        is_applied: false,
        progress,
        facts,
        jitter,
    };
    match (step, outcome) {
        // It ended meanwhile: nothing touches it any more.
        _ if !next.row.is_live() => next.done(),
        (Step::Stop, _) => next.stop(),
        (Step::Wait(message), _) => next.wait(message.clone()),
        (Step::Condemn, _) => next.condemn(),
        (Step::End, _) => next.end(),
        (Step::OpenIntent, _) => next.open_intent(),
        (Step::ProveParent, Outcome::ParentProven(result)) => next.parent(result),
        (Step::Find, Outcome::Found(result)) => next.found(result),
        (Step::Find, Outcome::Taken(by)) => next.found_taken(&by),
        (Step::Observe, Outcome::Observed(result)) => next.observed(result),
        (Step::Create, Outcome::Observed(result)) => next.created(result),
        (Step::Create, Outcome::Taken(by)) => next.created_taken(&by),
        (Step::Update(fields), Outcome::Observed(result)) => next.updated(fields, result),
        (Step::Delete(_), Outcome::Accepted(result)) => next.delete_accepted(result),
        (Step::Observe | Step::Label(_), Outcome::Taken(by)) => next.created_taken(&by),
        (Step::Label(_), Outcome::Observed(result)) => next.labelled(result),
        (Step::Unlabel, Outcome::Accepted(result)) => next.unlabelled(result),
        // A service that answers a step with another step's outcome is a defect of ours: look again later.
        (_, _) => next.retry_quietly(),
    }
    next.meter(billed_before);
    Transition {
        row: next.row,
        effects: next.effects,
    }
}

/// What an observation answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked<'a> {
    /// Nothing was to change.
    Look,
    /// The object was asked for, with the whole spec.
    Create,
    /// These fields were written.
    Update(&'a [String]),
}

struct Next<'a, 'f> {
    row: Resource,
    asked: &'a Resource,
    effects: Vec<Effect>,
    /// The provider runs the row's spec, all of it.
    is_applied: bool,
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

    fn is_condemned(&self) -> bool {
        self.row.desired == Desired::Deleted
    }

    fn publish(&mut self, event: EventType) {
        self.effects
            .push(Effect::Publish(EventDraft::about(event, &self.row)));
    }

    fn done(&mut self) {
        self.progress.done = true;
    }

    /// The row was changed under the call: what to do is decided anew, with a look of its own.
    fn look_anew(&mut self) {
        self.progress.looked = Looked::No;
    }

    /// Ends the run. Whatever brought it here, a live row is looked at again.
    fn stop(&mut self) {
        let is_scheduled = self
            .row
            .schedule
            .next_run_at
            .is_some_and(|at| at > self.now());
        if is_scheduled {
            self.done();
        } else {
            self.look_soon(None);
        }
    }

    fn look_soon(&mut self, poll_after: Option<Span>) {
        self.row
            .look_soon(self.facts.now, self.facts.timing, self.jitter, poll_after);
        self.done();
    }

    /// Tries again with growing waits. A failure that is shown already says more than a wait does.
    fn retry(&mut self, text: impl Into<String>, retry_after: Option<Span>) {
        let is_worth_showing = match self.row.state {
            State::Ready => false,
            State::Error => self.row.message.is_none(),
            _ => true,
        };
        if is_worth_showing {
            self.row.message = Some(Message::new(Reason::Waiting, text));
        }
        self.row
            .retry(self.facts.now, self.facts.timing, self.jitter, retry_after);
        self.done();
    }

    fn retry_quietly(&mut self) {
        self.row
            .retry(self.facts.now, self.facts.timing, self.jitter, None);
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

    /// A call that failed, where the operation has nothing more particular to say about it.
    fn call_failed(&mut self, error: CallError) {
        // Nobody knows whether the object was there just now: an absence that counts is unbroken.
        self.row.missing_since = None;
        let text = error.fault.to_string();
        if error.is_ambiguous() {
            return self.retry(text, None);
        }
        let reason = match error.fault {
            CallFault::Provider(
                ProviderError::Busy { retry_after, .. }
                | ProviderError::Throttled { retry_after, .. },
            )
            | CallFault::HostBusy { retry_after, .. } => return self.retry(text, retry_after),
            CallFault::Provider(ProviderError::Unavailable(_)) => return self.retry(text, None),
            CallFault::Plugin(_) => return self.not_seen(Message::new(Reason::Plugin, text)),
            CallFault::Host(_) => return self.not_seen(Message::new(Reason::Host, text)),
            CallFault::Provider(ProviderError::Invalid(_)) => Reason::Invalid,
            CallFault::Provider(ProviderError::Conflict(_)) => Reason::Exists,
            CallFault::Provider(ProviderError::Denied(_)) => Reason::Denied,
            CallFault::Provider(_) => Reason::Failed,
            CallFault::SecretInPlain(_) => Reason::SecretInPlain,
            CallFault::Secret(_) => Reason::Secret,
            CallFault::Network(_) => Reason::Network,
        };
        let text = match reason {
            Reason::Invalid if !self.is_condemned() => {
                format!("{text}; change the spec with an update, or delete the resource")
            }
            _ => text,
        };
        self.fail(Message::new(reason, text));
    }

    /// The host could not look: that says nothing against a resource that serves.
    fn not_seen(&mut self, message: Message) {
        if self.row.state == State::Ready {
            self.row.message = Some(message);
            self.row
                .look_at_refresh(self.facts.now, self.facts.timing, self.jitter);
            self.done();
        } else {
            self.fail(message);
        }
    }

    fn wait(&mut self, message: Message) {
        if self.is_condemned() {
            self.row.state = State::Deleting;
            if self.facts.live_children > 0 {
                self.effects.push(Effect::CondemnChildren);
            }
        } else if self.row.is_releasing() {
            // They see that it goes, and go.
            self.effects.push(Effect::WakeChildren);
        }
        if self.row.state != State::Error || self.row.message.is_none() {
            self.row.message = Some(message);
        }
        if self.progress.looked == Looked::Absent {
            // An object that may turn up any moment is looked for more often than one that converges.
            self.retry_quietly();
        } else {
            self.look_soon(None);
        }
    }
}
