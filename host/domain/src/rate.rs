//! What an account may still ask of its provider, learnt from the provider's own words.
//!
//! Until a provider speaks of a limit there is none. Once it does, what is left is counted down with
//! every request and corrected with every answer; the last tenth is kept for users' changes.

use crate::time::{Millis, Span};

/// A provider that throttles without a word is left alone for so long.
const SILENT_THROTTLE: Span = Span::seconds(10);
/// The longest that one answer can silence an account; a provider that says more is asked again then.
const THROTTLE_MAX: Span = Span::minutes(60);
/// With nothing left and the provider's time over, one request so often finds out.
const PROBE_EVERY: Span = Span::seconds(1);
/// The share of a limit that refreshes leave to users' changes: one in so many.
const KEPT_FOR_USERS: u64 = 10;

/// What an answer said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateWord {
    /// The provider refused for too many requests.
    pub throttled: bool,
    /// Requests in a window.
    pub limit: Option<u64>,
    /// Requests that are left in it.
    pub remaining: Option<u64>,
    /// When some come back.
    pub reset_at: Option<Millis>,
    /// How long to wait.
    pub retry_after: Option<Span>,
}

/// The budget of one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RateBucket {
    limit: u64,
    remaining: Option<u64>,
    reset_at: Option<Millis>,
    silent_until: Option<Millis>,
}

impl RateBucket {
    /// Takes a request out, or says how long to wait.
    ///
    /// # Errors
    /// How long until it is worth asking again.
    pub fn take(&mut self, now: Millis, for_a_user: bool) -> Result<(), Span> {
        if let Some(until) = self.silent_until {
            if until > now {
                return Err(until - now);
            }
            self.silent_until = None;
        }
        let Some(remaining) = self.remaining else { return Ok(()) };
        let kept = if for_a_user { 0 } else { self.limit / KEPT_FOR_USERS };
        if remaining > kept {
            self.remaining = Some(remaining - 1);
            return Ok(());
        }
        match self.reset_at {
            Some(reset) if reset > now => Err(reset - now),
            _ => {
                self.reset_at = Some(now + PROBE_EVERY);
                Ok(())
            }
        }
    }

    /// Learns from an answer. Answers overtake each other: what is left is only corrected upwards by
    /// a word about a later time.
    pub fn hear(&mut self, now: Millis, word: &RateWord) {
        if let Some(limit) = word.limit {
            self.limit = limit;
        }
        if let Some(remaining) = word.remaining {
            let later = word.reset_at > self.reset_at;
            self.remaining = Some(match self.remaining {
                Some(counted) if !later => counted.min(remaining),
                _ => remaining,
            });
        }
        if word.reset_at > self.reset_at {
            self.reset_at = word.reset_at;
        }
        if word.throttled {
            let told = word.retry_after.or_else(|| word.reset_at.map(|at| at - now)).filter(|wait| wait.0 > 0);
            self.silent_until = Some(now + told.unwrap_or(SILENT_THROTTLE).min(THROTTLE_MAX));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: Millis = Millis(1_000_000);

    fn told(limit: u64, remaining: u64) -> RateBucket {
        let mut bucket = RateBucket::default();
        let word = RateWord { limit: Some(limit), remaining: Some(remaining), reset_at: Some(NOW + Span::seconds(30)), ..RateWord::default() };
        bucket.hear(NOW, &word);
        bucket
    }

    #[test]
    fn a_provider_that_names_no_limit_is_not_limited() {
        let mut bucket = RateBucket::default();
        assert!((0..10_000).all(|_| bucket.take(NOW, false).is_ok()));
    }

    #[test]
    fn refreshes_leave_a_tenth_to_users() {
        let mut bucket = told(100, 20);
        assert_eq!((0..50).filter(|_| bucket.take(NOW, false).is_ok()).count(), 10);
        assert_eq!((0..50).filter(|_| bucket.take(NOW, true).is_ok()).count(), 10);
        assert_eq!(bucket.take(NOW, true), Err(Span::seconds(30)));
    }

    #[test]
    fn a_throttled_account_is_silent_for_as_long_as_the_provider_says() {
        let mut bucket = told(100, 50);
        bucket.hear(NOW, &RateWord { throttled: true, retry_after: Some(Span::seconds(7)), ..RateWord::default() });
        assert_eq!(bucket.take(NOW, true), Err(Span::seconds(7)));
        assert!(bucket.take(NOW + Span::seconds(7), true).is_ok());
    }

    #[test]
    fn with_nothing_left_one_request_a_second_finds_out() {
        let mut bucket = told(100, 0);
        let later = NOW + Span::seconds(31);
        assert!(bucket.take(later, true).is_ok());
        assert!(bucket.take(later, true).is_err());
        assert!(bucket.take(later + PROBE_EVERY, true).is_ok());
    }

    proptest! {
        #[test]
        fn no_more_is_taken_than_the_provider_left(limit in 1_u64..500, share in 0_u64..=100, asks in 0_usize..1_000) {
            let remaining = limit * share / 100;
            let mut bucket = told(limit, remaining);
            let taken = (0..asks).filter(|_| bucket.take(NOW, true).is_ok()).count() as u64;
            prop_assert!(taken <= remaining);
        }
    }
}
