//! What the plugin remembers of a cluster between calls.

use std::collections::BTreeMap;

use berth_sdk::{Call, digest};
use serde::{Deserialize, Serialize};

use crate::accepted::Accepted;
use crate::spec::pg::Spec;

/// Spec fields that the API takes but does not show.
pub(super) const UNSEEN: [&str; 4] = ["maintenance", "config", "autoscale", "do_settings"];
/// Those of them that a create can say.
const SAID_BY_CREATE: [&str; 2] = ["autoscale", "do_settings"];

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Memo {
    /// When the cluster was asked for, or first seen.
    pub(super) since: u64,
    /// Digests of unseen fields as they were applied.
    #[serde(default)]
    applied: BTreeMap<String, String>,
    /// Changes that were accepted and are not visible yet.
    #[serde(default)]
    pub(super) asked: Accepted,
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

    /// When the newest thing was asked for.
    pub(super) fn newest(&self) -> u64 {
        self.asked.newest(self.since)
    }
}

fn wanted(call: &Call<'_, Spec>, field: &str) -> Option<String> {
    call.spec_field(field).map(|value| digest::of(&value))
}
