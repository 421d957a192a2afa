//! Changes that the API accepted and does not show yet.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// How long a change that was accepted may stay invisible before it is asked for again: an object
/// shows its old self, as settled, for seconds after the API accepted a new one.
const PATIENCE: u64 = 5 * 60 * 1000;

/// What was accepted, by the name of the change. It is a part of a memo.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Accepted(BTreeMap<String, Change>);

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Change {
    /// Digest of what was asked for.
    to: String,
    at: u64,
}

impl Accepted {
    /// Whether exactly this change was accepted not long ago.
    pub(crate) fn is_under_way(&self, change: &str, to: &str, now: u64) -> bool {
        self.0
            .get(change)
            .is_some_and(|accepted| accepted.to == to && now.saturating_sub(accepted.at) < PATIENCE)
    }

    pub(crate) fn note(&mut self, change: &str, to: String, now: u64) {
        self.0.insert(change.to_owned(), Change { to, at: now });
    }

    pub(crate) fn forget(&mut self, change: &str) {
        self.0.remove(change);
    }

    /// When the newest was accepted, or `since` if none was later.
    pub(crate) fn newest(&self, since: u64) -> u64 {
        self.0
            .values()
            .map(|accepted| accepted.at)
            .fold(since, u64::max)
    }
}
