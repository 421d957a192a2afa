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
/// With nothing left and the provider's time far ahead, one request so often finds out whether it
/// meant that.
const PROBE_AHEAD_EVERY: Span = Span::minutes(1);
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
    /// When to find out whether a time far ahead was meant.
    probe_at: Option<Millis>,
    /// Such a request is on its way: no answer overtakes its own, so that one is believed whole.
    probing: bool,
}

impl RateBucket {
    /// Takes a request out, or says how long to wait: never longer than an hour, whatever a provider
    /// said, since one wrong word must not freeze an account.
    ///
    /// # Errors
    /// How long until it is worth asking again.
    pub fn take(&mut self, now: Millis, for_a_user: bool) -> Result<(), Span> {
        self.bound(now);
        if let Some(until) = self.silent_until {
            if until > now {
                return Err(until - now);
            }
            self.silent_until = None;
        }
        let Some(remaining) = self.remaining else {
            return Ok(());
        };
        let kept = if for_a_user {
            0
        } else {
            self.limit / KEPT_FOR_USERS
        };
        if remaining > kept {
            self.remaining = Some(remaining - 1);
            return Ok(());
        }
        match self.reset_at {
            Some(reset) if reset > now => self.probe(now, reset, remaining),
            _ => {
                self.reset_at = Some(now + PROBE_EVERY);
                Ok(())
            }
        }
    }

    /// Waits for the provider's time, if that is near; else one request so often goes nevertheless.
    /// What is left to users is not spent on it.
    fn probe(&mut self, now: Millis, reset: Millis, remaining: u64) -> Result<(), Span> {
        if remaining > 0 {
            return Err(reset - now);
        }
        let probe_at = *self.probe_at.get_or_insert(now + PROBE_AHEAD_EVERY);
        if probe_at > now {
            return Err(reset.min(probe_at) - now);
        }
        self.probe_at = Some(now + PROBE_AHEAD_EVERY);
        self.probing = true;
        Ok(())
    }

    /// Keeps every time near, also when the clock was set back since it was noted.
    fn bound(&mut self, now: Millis) {
        let near = |at: &mut Option<Millis>, most: Span| *at = at.map(|at| at.min(now + most));
        near(&mut self.silent_until, THROTTLE_MAX);
        near(&mut self.reset_at, THROTTLE_MAX);
        near(&mut self.probe_at, PROBE_AHEAD_EVERY);
    }

    /// Learns from an answer. Answers overtake each other: what is left is only corrected upwards by
    /// a word about a later time, or by the answer to a probe. An earlier time counts too while it
    /// lies ahead: the one that was believed may have been wrong.
    pub fn hear(&mut self, now: Millis, word: &RateWord) {
        self.bound(now);
        let reset_at = word.reset_at.map(|at| at.min(now + THROTTLE_MAX));
        let later = reset_at > self.reset_at;
        if let Some(limit) = word.limit {
            self.limit = limit;
        }
        if let Some(remaining) = word.remaining {
            let probed = std::mem::take(&mut self.probing);
            self.remaining = Some(match self.remaining {
                Some(counted) if !later && !probed => counted.min(remaining),
                _ => remaining,
            });
            if remaining > 0 {
                self.probe_at = None;
            }
        }
        if later || reset_at > Some(now) {
            self.reset_at = reset_at;
        }
        if word.throttled {
            let told = word
                .retry_after
                .or_else(|| word.reset_at.map(|at| at - now))
                .filter(|wait| wait.0 > 0);
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
        let word = RateWord {
            limit: Some(limit),
            remaining: Some(remaining),
            reset_at: Some(NOW + Span::seconds(30)),
            ..RateWord::default()
        };
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
        assert_eq!(
            (0..50).filter(|_| bucket.take(NOW, false).is_ok()).count(),
            10
        );
        assert_eq!(
            (0..50).filter(|_| bucket.take(NOW, true).is_ok()).count(),
            10
        );
        assert_eq!(bucket.take(NOW, true), Err(Span::seconds(30)));
    }

    #[test]
    fn a_throttled_account_is_silent_for_as_long_as_the_provider_says() {
        let mut bucket = told(100, 50);
        bucket.hear(
            NOW,
            &RateWord {
                throttled: true,
                retry_after: Some(Span::seconds(7)),
                ..RateWord::default()
            },
        );
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

    fn absurd() -> RateWord {
        RateWord {
            remaining: Some(0),
            reset_at: Some(Millis(99_999_999_999_000)),
            ..RateWord::default()
        }
    }

    #[test]
    fn a_time_far_ahead_is_probed_once_a_minute_and_the_answer_believed() {
        let mut bucket = RateBucket::default();
        bucket.hear(NOW, &absurd());
        assert_eq!(bucket.take(NOW, true), Err(Span::minutes(1)));
        let probe = NOW + Span::minutes(1);
        assert!(bucket.take(probe, true).is_ok());
        assert_eq!(bucket.take(probe, true), Err(Span::minutes(1)));
        bucket.hear(
            probe,
            &RateWord {
                limit: Some(5_000),
                remaining: Some(4_000),
                reset_at: Some(probe + Span::minutes(10)),
                ..RateWord::default()
            },
        );
        assert!((0..4_000).all(|_| bucket.take(probe, true).is_ok()));
        assert!(bucket.take(probe, true).is_err());
    }

    #[test]
    fn a_time_that_was_wrong_gives_way_to_an_earlier_one() {
        let mut bucket = told(100, 50);
        bucket.hear(
            NOW,
            &RateWord {
                remaining: Some(1),
                ..absurd()
            },
        );
        bucket.hear(
            NOW,
            &RateWord {
                remaining: Some(0),
                reset_at: Some(NOW + Span::seconds(20)),
                ..RateWord::default()
            },
        );
        assert_eq!(bucket.take(NOW, true), Err(Span::seconds(20)));
    }

    fn words() -> impl Strategy<Value = RateWord> {
        let number = || proptest::option::of(prop_oneof![Just(0), 0_u64..10, any::<u64>()]);
        let time = prop_oneof![any::<i64>(), NOW.0..NOW.0 + 10_000_000];
        (
            any::<bool>(),
            number(),
            number(),
            proptest::option::of(time),
            number(),
        )
            .prop_map(|(throttled, limit, remaining, reset_at, wait)| RateWord {
                throttled,
                limit,
                remaining,
                reset_at: reset_at.map(Millis),
                retry_after: wait.map(Span),
            })
    }

    proptest! {
        #[test]
        fn no_word_silences_an_account_for_longer_than_the_longest_wait(
            heard in proptest::collection::vec((-5_000_000_i64..5_000_000, words(), any::<bool>()), 0..20),
            asks in proptest::collection::vec(any::<bool>(), 0..20),
        ) {
            let mut bucket = RateBucket::default();
            let mut now = NOW;
            // The clock may be set back, too.
            for (passed, word, for_a_user) in &heard {
                now = Millis(now.0 + passed);
                bucket.hear(now, word);
                let _ = bucket.take(now, *for_a_user);
            }
            for for_a_user in asks {
                if let Err(wait) = bucket.take(now, for_a_user) {
                    prop_assert!(wait.0 > 0 && wait <= THROTTLE_MAX, "{wait:?}");
                }
            }
            let mut asked = bucket;
            if let Err(wait) = asked.take(now, true) {
                prop_assert!(wait <= THROTTLE_MAX, "{wait:?}");
                prop_assert!(asked.take(now + THROTTLE_MAX, true).is_ok());
            }
            prop_assert!(bucket.take(now + THROTTLE_MAX, true).is_ok());
        }

        #[test]
        fn no_more_is_taken_than_the_provider_left(limit in 1_u64..500, share in 0_u64..=100, asks in 0_usize..1_000) {
            let remaining = limit * share / 100;
            let mut bucket = told(limit, remaining);
            let taken = (0..asks).filter(|_| bucket.take(NOW, true).is_ok()).count() as u64;
            prop_assert!(taken <= remaining);
        }
    }
}
