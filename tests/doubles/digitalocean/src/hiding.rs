//! Objects that are there and can't be seen yet, or for a while.

use serde::{Deserialize, Serialize};

use crate::config::Visibility;
use crate::error::ApiError;

/// For how long reads of an object answer 404.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Hiding {
    pub(crate) reads: u32,
    pub(crate) until: u64,
    pub(crate) in_lists: bool,
}

impl Hiding {
    /// How a new object hides at first.
    pub(crate) fn at_first(visibility: &Visibility, now: u64) -> Self {
        Self {
            reads: visibility.not_found_reads,
            until: match visibility.not_found_ms {
                0 => 0,
                ms => now.saturating_add(ms),
            },
            in_lists: visibility.hidden_in_lists,
        }
    }

    /// Refuses this read if it answers 404. It counts as one.
    pub(crate) fn check_read(&mut self, now: u64) -> Result<(), ApiError> {
        if self.hides_read(now) {
            return Err(ApiError::not_found());
        }
        Ok(())
    }

    fn is_hidden(&self, now: u64) -> bool {
        self.reads > 0 || now < self.until
    }

    /// Whether a list leaves the object out now.
    pub(crate) fn hides_in_list(&self, now: u64) -> bool {
        self.in_lists && self.is_hidden(now)
    }

    fn hides_read(&mut self, now: u64) -> bool {
        let hidden = self.is_hidden(now);
        self.reads = self.reads.saturating_sub(1);
        hidden
    }
}
