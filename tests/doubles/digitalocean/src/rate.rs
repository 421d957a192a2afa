//! The provider's rate limits: two sliding windows over the requests of the token.

use std::collections::VecDeque;

use http::{HeaderMap, HeaderValue};

use crate::config::RateLimits;

/// The requests that were let through, as points in real time (milliseconds since the epoch).
#[derive(Default)]
pub(crate) struct Windows {
    hour: VecDeque<u64>,
    minute: VecDeque<u64>,
    refused: u64,
}

/// What the limits say of a request.
pub(crate) struct Verdict {
    pub(crate) allowed: bool,
    limit: usize,
    remaining: usize,
    /// Seconds since the epoch at which the oldest request leaves the long window.
    reset: u64,
    /// Seconds to wait, given for the short window only, as the provider does.
    retry_after: Option<u64>,
}

impl Windows {
    /// Counts a request at `now`, unless a window is full.
    pub(crate) fn take(&mut self, limits: &RateLimits, now: u64) -> Verdict {
        expire(&mut self.hour, now, limits.hour_ms);
        expire(&mut self.minute, now, limits.minute_ms);
        let burst = self.minute.len() >= limits.per_minute;
        let allowed = !burst && self.hour.len() < limits.per_hour;
        let retry_after = burst.then(|| {
            let oldest = self.minute.front().copied().unwrap_or(now);
            oldest
                .saturating_add(limits.minute_ms)
                .saturating_sub(now)
                .div_ceil(1000)
                .max(1)
        });
        if allowed {
            self.hour.push_back(now);
            self.minute.push_back(now);
        } else {
            self.refused += 1;
        }
        let oldest = self.hour.front().copied().unwrap_or(now);
        Verdict {
            allowed,
            limit: limits.per_hour,
            remaining: limits.per_hour.saturating_sub(self.hour.len()),
            reset: oldest.saturating_add(limits.hour_ms).div_ceil(1000),
            retry_after,
        }
    }

    /// How many requests were refused so far.
    pub(crate) fn refused(&self) -> u64 {
        self.refused
    }

    /// Forgets all requests.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn expire(window: &mut VecDeque<u64>, now: u64, length: u64) {
    while window
        .front()
        .is_some_and(|then| then.saturating_add(length) <= now)
    {
        window.pop_front();
    }
}

impl Verdict {
    /// Writes the headers that every answer carries.
    pub(crate) fn write(&self, headers: &mut HeaderMap) {
        headers.insert("ratelimit-limit", HeaderValue::from(self.limit));
        headers.insert("ratelimit-remaining", HeaderValue::from(self.remaining));
        headers.insert("ratelimit-reset", HeaderValue::from(self.reset));
        if let Some(seconds) = self.retry_after {
            headers.insert("retry-after", HeaderValue::from(seconds));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_leave_the_windows_one_by_one() {
        let limits = RateLimits {
            enabled: true,
            per_minute: 2,
            per_hour: 3,
            ..RateLimits::default()
        };
        let mut windows = Windows::default();
        assert!(windows.take(&limits, 1_000).allowed);
        assert!(windows.take(&limits, 2_000).allowed);
        let burst = windows.take(&limits, 3_000);
        assert!(!burst.allowed);
        assert_eq!(burst.retry_after, Some(58));
        assert!(windows.take(&limits, 61_000).allowed);
        let hourly = windows.take(&limits, 62_000);
        assert!(!hourly.allowed);
        assert_eq!((hourly.retry_after, hourly.reset), (None, 3_601));
        assert_eq!(windows.refused(), 2);
    }
}
