//! When the reconciler looks again.

use super::row::{Message, Reason, Resource, Schedule, State};
use crate::time::{Millis, Span};

/// How long the reconciler waits. Defaults are the contract's; tests shorten them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Timing {
    /// Longest wait while a resource converges, in milliseconds.
    pub converging: Span,
    /// Wait of ready and failed resources, in milliseconds.
    pub steady: Span,
    /// First wait after a failed try; it doubles up to `converging`. Also the shortest wait that a
    /// plugin can ask for.
    pub first_retry: Span,
    /// Longest wait that a provider can ask for.
    pub retry_after_max: Span,
    /// So long after a create may have been sent, an absent object may still show up. Longer than
    /// any call may take: a create that hangs must have ended before another is sent.
    pub absence_grace: Span,
    /// So many looks must have found nothing before a second create.
    pub absence_looks: u32,
    /// So long after it was accepted, an object that is not found is still expected.
    pub missing_grace: Span,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            converging: Span::seconds(30),
            steady: Span::minutes(5),
            first_retry: Span::seconds(1),
            retry_after_max: Span::minutes(60),
            absence_grace: Span::seconds(120),
            absence_looks: 3,
            missing_grace: Span::minutes(2),
        }
    }
}

/// A random number for one decision, drawn by the caller: spreads what would come at once.
#[derive(Debug, Clone, Copy)]
pub struct Jitter(pub u16);

impl Jitter {
    /// Shortens a wait by up to a tenth. Jitter never lengthens one: the contract's waits are the longest.
    #[must_use]
    pub fn shorten(self, wait: Span) -> Span {
        let tenth = wait.0 / 10;
        Span(wait.0 - tenth.saturating_mul(u64::from(self.0)) / u64::from(u16::MAX))
    }

    /// Full jitter: anything from a quarter of a wait to all of it.
    #[must_use]
    pub fn spread(self, wait: Span) -> Span {
        let floor = wait.0 / 4;
        Span(floor + (wait.0 - floor).saturating_mul(u64::from(self.0)) / u64::from(u16::MAX))
    }
}

impl Schedule {
    /// At once.
    #[must_use]
    pub fn at_once(now: Millis) -> Self {
        Self {
            next_run_at: Some(now),
            attempts: 0,
        }
    }

    /// Never by itself.
    #[must_use]
    pub fn never() -> Self {
        Self {
            next_run_at: None,
            attempts: 0,
        }
    }
}

impl Resource {
    /// Looks again while something is under way.
    pub(super) fn look_soon(
        &mut self,
        now: Millis,
        timing: &Timing,
        jitter: Jitter,
        poll_after: Option<Span>,
    ) {
        let wait = poll_after.map_or(timing.converging, |wish| wish.max(timing.first_retry));
        let wait = jitter.shorten(wait.min(timing.converging));
        self.schedule = Schedule {
            next_run_at: Some(now + wait),
            attempts: 0,
        };
    }

    /// Looks again at the ordinary refresh.
    pub(super) fn look_at_refresh(&mut self, now: Millis, timing: &Timing, jitter: Jitter) {
        self.schedule = Schedule {
            next_run_at: Some(now + jitter.shorten(timing.steady)),
            attempts: 0,
        };
    }

    /// Tries again: exponential with full jitter, capped; a provider's own wish is obeyed.
    pub(super) fn retry(
        &mut self,
        now: Millis,
        timing: &Timing,
        jitter: Jitter,
        retry_after: Option<Span>,
    ) {
        let attempts = self.schedule.attempts.saturating_add(1);
        let doubled = timing
            .first_retry
            .0
            .saturating_mul(1_u64 << attempts.min(20));
        let wait = jitter.spread(Span(doubled).min(timing.converging));
        let wait = retry_after.map_or(wait, |wish| wish.min(timing.retry_after_max).max(wait));
        self.schedule = Schedule {
            next_run_at: Some(now + wait),
            attempts,
        };
    }
}

/// The row when the host itself kept a run from its work: nothing is known that was not known before,
/// so it is tried again with growing waits.
#[must_use]
pub fn postpone(mut row: Resource, now: Millis, timing: &Timing, jitter: Jitter) -> Resource {
    if row.is_live() {
        row.retry(now, timing, jitter, None);
    }
    row
}

/// The row when this host can't work on it as it is set up: it says why, where that is news to
/// somebody, and is looked at again at the refresh.
#[must_use]
pub fn hold_back(
    mut row: Resource,
    why: String,
    now: Millis,
    timing: &Timing,
    jitter: Jitter,
) -> Resource {
    if row.is_live() {
        let serves = row.state == State::Ready && !row.is_going();
        if !serves {
            row.message = Some(Message::new(Reason::Host, why));
        }
        row.look_at_refresh(now, timing, jitter);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn jitter_only_shortens(wait in 0_u64..10_000_000, random: u16) {
            let short = Jitter(random).shorten(Span(wait));
            prop_assert!(short.0 <= wait && short.0 >= wait - wait / 10 - 1);
            let spread = Jitter(random).spread(Span(wait));
            prop_assert!(spread.0 <= wait && spread.0 >= wait / 4);
        }
    }
}
