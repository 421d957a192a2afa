//! The real clock and the real randomness: the one place that asks the machine for either.

use berth_domain::time::Millis;

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemClock;

impl SystemClock {
    fn millis() -> Millis {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one clock that all others are handed"
        )]
        let now = std::time::SystemTime::now();
        let since = now
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap_or_default();
        Millis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

impl berth_service::Clock for SystemClock {
    fn now(&self) -> Millis {
        Self::millis()
    }
}

/// The machine's randomness.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SystemEntropy;

impl berth_service::Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        #[expect(
            clippy::disallowed_methods,
            reason = "the one source of randomness that all others are handed"
        )]
        let drawn = getrandom::fill(bytes);
        if drawn.is_err() {
            // Without randomness every id, key and token would be guessable: there is nothing to go on with.
            std::process::abort();
        }
    }
}
