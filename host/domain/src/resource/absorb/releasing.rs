//! Letting go: the labels come off, and the object lives on.

use super::{CallError, CallFault, Next};
use crate::label;
use crate::manifest::Ownership;
use crate::provider::{Observation, ProviderError};
use crate::resource::ownership::Claim;
use crate::resource::row::{Desired, Message, Reason};

impl Next<'_, '_> {
    pub(super) fn unlabelled(&mut self, result: Result<(), CallError>) {
        if self.row.is_being_adopted() {
            return self.yielded(result);
        }
        if !self.row.is_releasing() {
            // A delete overrode the release: what is left of the labels is for its proof to say.
            return self.look_anew();
        }
        match result {
            Ok(()) => self.end(),
            Err(error) if error.is_not_found() => self.end(),
            // It was there before us: nobody has to ask for it to be let go of.
            Err(error) if error.is_refusal() && self.row.adoption.is_some() => self.end(),
            Err(error) if error.is_refusal() => self.withdraw(&error),
            Err(error) => self.release_waits(&error),
        }
    }

    /// Its state is kept while it waits, and its message says for what.
    fn release_waits(&mut self, error: &CallError) {
        let text = format!("not released yet: {}", error.fault);
        let retry_after = match &error.fault {
            CallFault::Provider(
                ProviderError::Busy { retry_after, .. }
                | ProviderError::Throttled { retry_after, .. },
            )
            | CallFault::HostBusy { retry_after, .. } => *retry_after,
            _ => None,
        };
        let (reason, is_broken) = match &error.fault {
            _ if error.is_ambiguous() => (Reason::Waiting, false),
            CallFault::Provider(_) | CallFault::HostBusy { .. } => (Reason::Waiting, false),
            CallFault::Plugin(_) | CallFault::SecretInPlain(_) => (Reason::Plugin, true),
            CallFault::Host(_) | CallFault::Secret(_) | CallFault::Network(_) => {
                (Reason::Host, true)
            }
        };
        self.row.message = Some(Message::new(reason, text));
        if is_broken {
            self.row
                .look_at_refresh(self.facts.now, self.facts.timing, self.jitter);
        } else {
            self.row
                .retry(self.facts.now, self.facts.timing, self.jitter, retry_after);
        }
        self.done();
    }

    /// Managed as before. Some of its labels may be off by now: they are put on again in this run, or
    /// at the next look.
    fn withdraw(&mut self, error: &CallError) {
        self.row.desired = Desired::Present;
        self.fail(Message::new(
            Reason::ReleaseRefused,
            format!(
                "{}; it was not released and is managed as before; release it again once that is mended",
                error.fault
            ),
        ));
        self.progress.to_label = Claim::of_own(&self.row);
        self.progress.withdrawn = true;
        self.progress.done = self.progress.to_label.is_none();
    }

    /// Whether a withdrawn release left the object without one of its labels, and nobody else took it.
    pub(super) fn is_to_be_restored(&self, observation: &Observation) -> bool {
        self.shows_the_refusal()
            && !self.progress.labelled
            && self.kind().ownership == Ownership::Labels
            && label::manager(&observation.labels, self.facts.deployment)
                != Some(label::Manager::Other)
            && self.lacks_labels(observation)
    }

    fn shows_the_refusal(&self) -> bool {
        let message = self.row.message.as_ref();
        message.is_some_and(|message| message.reason == Reason::ReleaseRefused)
    }

    pub(super) fn labels_restored(&mut self, result: Result<(), CallError>) {
        match result {
            // A wish that landed meanwhile goes before.
            _ if self.row.is_going() || !self.shows_the_refusal() => self.look_anew(),
            // It shows why it was not released until the next refresh.
            Ok(()) if self.progress.withdrawn => self.done(),
            Ok(()) => self.look_anew(),
            Err(error) if error.is_refusal() || error.is_not_found() => {
                self.row
                    .look_at_refresh(self.facts.now, self.facts.timing, self.jitter);
                self.done();
            }
            Err(_) => self.retry_quietly(),
        }
    }
}
