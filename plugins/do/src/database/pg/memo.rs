//! What the plugin remembers of a cluster between calls.

use std::collections::BTreeMap;

use berth_sdk::{Call, digest};
use serde::{Deserialize, Serialize};

use crate::spec::pg::Spec;

/// Spec fields that the API takes but does not show.
pub(super) const UNSEEN: [&str; 4] = ["maintenance", "config", "autoscale", "do_settings"];
/// Those of them that a create can say.
const SAID_BY_CREATE: [&str; 2] = ["autoscale", "do_settings"];

/// How long a change that was accepted may stay invisible before it is asked for again: a cluster
/// shows its old size, as `online`, for seconds after the API accepted a new one.
const PATIENCE: u64 = 5 * 60 * 1000;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Memo {
    /// When the cluster was asked for, or first seen.
    pub(super) since: u64,
    /// Digests of unseen fields as they were applied.
    #[serde(default)]
    applied: BTreeMap<String, String>,
    /// Changes that were accepted and are not visible yet.
    #[serde(default)]
    asked: BTreeMap<String, Asked>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Asked {
    /// Digest of what was asked for.
    to: String,
    at: u64,
}

impl Memo {
    pub(super) fn of(call: &Call<'_, Spec>) -> Self {
        call.memo().unwrap_or_else(|| Self {
            since: call.now(),
            ..Self::default()
        })
    }

    /// After a create was accepted.
    pub(super) fn created(call: &Call<'_, Spec>) -> Self {
        let mut memo = Self {
            since: call.now(),
            ..Self::default()
        };
        for field in SAID_BY_CREATE {
            memo.set_applied(call, field);
        }
        memo
    }

    /// Whether an unseen field is as the spec wants it.
    pub(super) fn is_applied(&self, call: &Call<'_, Spec>, field: &str) -> bool {
        match wanted(call, field) {
            None => true,
            Some(digest) => self.applied.get(field) == Some(&digest),
        }
    }

    pub(super) fn set_applied(&mut self, call: &Call<'_, Spec>, field: &str) {
        match wanted(call, field) {
            None => self.applied.remove(field),
            Some(digest) => self.applied.insert(field.to_owned(), digest),
        };
    }

    /// Whether exactly this change was accepted not long ago.
    pub(super) fn is_under_way(&self, change: &str, to: &str, now: u64) -> bool {
        self.asked
            .get(change)
            .is_some_and(|asked| asked.to == to && now.saturating_sub(asked.at) < PATIENCE)
    }

    pub(super) fn set_asked(&mut self, change: &str, to: String, now: u64) {
        self.asked.insert(change.to_owned(), Asked { to, at: now });
    }

    pub(super) fn forget_asked(&mut self, change: &str) {
        self.asked.remove(change);
    }

    /// When the newest thing was asked for.
    pub(super) fn newest(&self) -> u64 {
        self.asked
            .values()
            .map(|asked| asked.at)
            .fold(self.since, u64::max)
    }
}

fn wanted(call: &Call<'_, Spec>, field: &str) -> Option<String> {
    call.spec_field(field).map(|value| digest::of(&value))
}
