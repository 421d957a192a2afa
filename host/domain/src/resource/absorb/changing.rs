//! Changing what is there.

use super::{Asked, CallError, Next};
use crate::provider::Observation;
use crate::resource::row::{Message, Reason};

impl Next<'_, '_> {
    pub(super) fn updated(&mut self, fields: &[String], result: Result<Observation, CallError>) {
        self.progress.updates += 1;
        if self.row.is_going() {
            // Whatever came of the change, the object goes; the proof needs a look of its own.
            return self.look_anew();
        }
        match result {
            Ok(observation) => self.saw(observation, Asked::Update(fields)),
            Err(error) if error.is_not_found() => self.missing(),
            Err(error) if error.is_refusal() => self.fail(Message::new(
                Reason::UpdateRefused,
                format!(
                    "{}; what was there before still runs; change the spec, or wait for the next try",
                    error.fault
                ),
            )),
            Err(error) => self.call_failed(error),
        }
    }
}
