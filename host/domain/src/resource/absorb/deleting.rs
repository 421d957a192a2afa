//! Deleting what is proven ours.

use super::{CallError, Next, Transition};
use crate::manifest::Ownership;
use crate::provider::{Observation, Phase};
use crate::resource::command::condemn;
use crate::resource::ending::end;
use crate::resource::ownership::prove;
use crate::resource::row::{Message, Reason, State};

impl Next<'_, '_> {
    pub(super) fn condemn(&mut self) {
        let Transition { row, effects } = condemn(self.row.clone(), self.facts.now);
        self.row = row;
        self.effects.extend(effects);
    }

    pub(super) fn end(&mut self) {
        let Transition { row, effects } = end(self.row.clone(), self.facts.now);
        self.row = row;
        self.effects.extend(effects);
        self.done();
    }

    pub(super) fn parent(&mut self, result: Result<Option<bool>, CallError>) {
        match result {
            Ok(Some(proven)) => self.progress.parent_proven = Some(proven),
            // What it lived in is gone, and so is it.
            Ok(None) => self.missing(),
            Err(error) => self.call_failed(error),
        }
    }

    pub(super) fn seen_before_delete(&mut self, observation: &Observation) {
        if self.progress.delete_sent {
            self.row.state = State::Deleting;
            self.row.message = Some(Message::new(Reason::Waiting, "the provider is deleting it"));
            return self.look_soon(observation.poll_after);
        }
        if self.kind().ownership == Ownership::Parent && self.progress.parent_proven.is_none() {
            // Condemned while it was looked at: its parent is proven first.
            return self.look_anew();
        }
        let is_under_way = observation.phase == Phase::Converging
            && self
                .row
                .delete_sent_at
                .is_some_and(|at| self.now() - at < self.facts.timing.steady);
        if is_under_way {
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

    pub(super) fn delete_accepted(&mut self, result: Result<(), CallError>) {
        match result {
            Ok(()) => {
                self.row.delete_sent_at = Some(self.now());
                self.row.state = State::Deleting;
                self.row.message = None;
                self.look_after_delete();
            }
            // It was seen a moment ago: the look that follows, and one later, tell whether it is gone.
            Err(error) if error.is_not_found() => self.look_after_delete(),
            Err(error) if error.is_refusal() => self.fail(Message::new(
                Reason::DeleteRefused,
                format!("{}; it is tried again at the next refresh", error.fault),
            )),
            Err(error) => self.call_failed(error),
        }
    }

    fn look_after_delete(&mut self) {
        self.progress.delete_sent = true;
        self.progress.proof = None;
        self.look_anew();
        self.row
            .look_soon(self.facts.now, self.facts.timing, self.jitter, None);
    }
}
