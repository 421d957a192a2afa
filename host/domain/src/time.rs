//! Time as a value: milliseconds since the Unix epoch, handed in by the caller.

use std::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

/// A point in time, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(pub i64);

/// A length of time in milliseconds, never negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

impl Span {
    /// A span of so many seconds.
    #[must_use]
    pub const fn seconds(seconds: u64) -> Self {
        Self(seconds * 1_000)
    }

    /// A span of so many minutes.
    #[must_use]
    pub const fn minutes(minutes: u64) -> Self {
        Self(minutes * 60_000)
    }
}

impl Add<Span> for Millis {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(span.0).unwrap_or(i64::MAX)),
        )
    }
}

impl Sub for Millis {
    type Output = Span;
    /// How long ago `earlier` was; nothing if it lies ahead.
    fn sub(self, earlier: Self) -> Span {
        Span(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}
