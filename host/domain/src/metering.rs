//! Metering: what runs, since when, and what that comes to.
//!
//! A meter that runs is a [`MeterSpan`] from a time until a time, at a rate of whole units an hour. Usage
//! is a pure function of spans and a window: both are half-open, hours are those of UTC, and quantities are
//! counted in unit-milliseconds, of which [`HOUR`] make one unit. So parts of a window add up to the
//! whole, a life and its usage are equal to the millisecond, and asking twice says the same twice.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::id::ResourceId;
use crate::input::MeterName;
use crate::platform::BillingMode;
use crate::time::Millis;

/// The meter that every resource has that lives in no other: one unit an hour.
pub const HOURS: &str = "cloud.resource.hours";
/// The milliseconds of an hour: so many unit-milliseconds are one unit.
pub const HOUR: i64 = 3_600_000;

/// A meter that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Running {
    /// Since when at this rate.
    pub since: Millis,
    /// Units an hour, never none.
    pub rate: u64,
}

/// Meters that run, by name.
pub type Meters = BTreeMap<String, Running>;

/// A time in which a meter ran at one rate, half-open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeterSpan {
    /// Which meter.
    pub meter: String,
    /// Units an hour.
    pub rate: u64,
    /// Its first millisecond.
    pub from: Millis,
    /// The first one after it; `None`: it still runs.
    pub until: Option<Millis>,
}

/// What a pool's billing mode and the operator's settings let run.
#[derive(Debug, Clone, Copy)]
pub struct Billing<'a> {
    /// `cloud.resource.hours` of what lives in no other resource.
    pub hours: bool,
    /// Those of the kinds' own meters that bill.
    pub kind_meters: &'a BTreeSet<MeterName>,
}

static NO_METERS: BTreeSet<MeterName> = BTreeSet::new();

impl<'a> Billing<'a> {
    /// Nothing bills.
    pub const NONE: Billing<'static> = Billing {
        hours: false,
        kind_meters: &NO_METERS,
    };

    /// On a pool of this mode. Where the provider bills what a resource uses, only the hours do.
    #[must_use]
    pub fn of(mode: BillingMode, kind_meters: &'a BTreeSet<MeterName>) -> Self {
        match mode {
            BillingMode::Metered => Self {
                hours: true,
                kind_meters,
            },
            BillingMode::PlatformFee => Self {
                hours: true,
                kind_meters: &NO_METERS,
            },
            BillingMode::None => Self::NONE,
        }
    }

    /// Whether a kind's own meter bills.
    #[must_use]
    pub fn names(&self, meter: &str) -> bool {
        self.kind_meters.iter().any(|named| named.as_str() == meter)
    }
}

/// Turns what runs into what shall run at a moment, and says which spans ended and began.
///
/// A meter that goes on at its rate is left alone, so that a life is one span. The clock may have been set
/// back since a span began: it ends where it began then, and never before.
#[must_use]
pub fn turn(running: &mut Meters, wanted: &BTreeMap<String, u64>, at: Millis) -> Vec<MeterSpan> {
    let mut spans = Vec::new();
    let mut free = BTreeMap::new();
    running.retain(|meter, run| {
        let goes_on = wanted.get(meter) == Some(&run.rate);
        if !goes_on {
            let until = at.max(run.since);
            free.insert(meter.clone(), until);
            spans.push(MeterSpan {
                meter: meter.clone(),
                rate: run.rate,
                from: run.since,
                until: Some(until),
            });
        }
        goes_on
    });
    for (meter, &rate) in wanted.iter().filter(|(_, rate)| **rate > 0) {
        if running.contains_key(meter) {
            continue;
        }
        let since = free.get(meter).copied().unwrap_or(at);
        running.insert(meter.clone(), Running { since, rate });
        spans.push(MeterSpan {
            meter: meter.clone(),
            rate,
            from: since,
            until: None,
        });
    }
    spans
}

/// A half-open window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Its first millisecond.
    pub from: Millis,
    /// The first one after it.
    pub to: Millis,
}

impl Window {
    /// The milliseconds that two windows share.
    #[must_use]
    pub fn overlap(self, other: Self) -> u64 {
        (self.to.min(other.to) - self.from.max(other.from)).0
    }
}

impl MeterSpan {
    /// The time that it covers, as of a moment: a span that still runs ends there.
    #[must_use]
    pub fn window(&self, now: Millis) -> Window {
        Window {
            from: self.from,
            to: self.until.unwrap_or(now),
        }
    }
}

/// The first millisecond of an hour of UTC.
#[must_use]
pub fn hour_of(at: Millis) -> Millis {
    Millis(at.0.saturating_sub(at.0.rem_euclid(HOUR)))
}

/// One hour of one meter of one resource.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UsageKey {
    /// Whose.
    pub resource: ResourceId,
    /// Which meter.
    pub meter: String,
    /// The hour's first millisecond.
    pub hour: Millis,
}

/// Adds to `usage` what a span comes to in a window, hour by hour, at most `most` hours; answers where it
/// stopped. A quantity is never more than 2^63: a rate is bounded where it comes in.
pub fn add_usage(
    usage: &mut BTreeMap<UsageKey, u64>,
    resource: &ResourceId,
    span: &MeterSpan,
    window: Window,
    most: usize,
) -> Option<Millis> {
    let covered = span.window(window.to);
    let to = covered.to.min(window.to);
    let mut at = covered.from.max(window.from);
    for _ in 0..most {
        if at >= to {
            return None;
        }
        let hour = hour_of(at);
        let next = Millis(hour.0.saturating_add(HOUR));
        let live = next.min(to) - at;
        let quantity = live.0.saturating_mul(span.rate);
        let key = UsageKey {
            resource: resource.clone(),
            meter: span.meter.clone(),
            hour,
        };
        let sum = usage.entry(key).or_default();
        *sum = sum.saturating_add(quantity);
        at = next;
    }
    (at < to).then_some(at)
}

#[cfg(test)]
mod tests;
