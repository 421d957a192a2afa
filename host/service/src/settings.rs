//! What an operator can set about the service. Every limit has a name, a default and an error that mentions it.

use berth_domain::resource::Timing;
use berth_domain::time::Span;
use serde::{Deserialize, Serialize};

/// Settings of the service.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Settings {
    /// Live resources of a kind that a tenant may have, unless its own quotas say otherwise.
    pub max_per_kind: u32,
    /// Secrets that one spec may refer to.
    pub max_secret_refs: u32,
    /// The reconciler.
    pub reconcile: ReconcileSettings,
}

/// Settings of the reconciler.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReconcileSettings {
    /// How long it waits between looks, in milliseconds.
    pub timing: Timing,
    /// Runs at the same time on this host.
    pub concurrency: u32,
    /// Runs at the same time on one provider account.
    pub per_account: u32,
    /// How long a lease holds, in milliseconds; it is renewed at a third of it.
    pub lease: Span,
    /// Longest sleep between looks for due work, in milliseconds.
    pub poll: Span,
    /// How long closed journal entries are kept, in milliseconds.
    pub journal_keep: Span,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_per_kind: 20,
            max_secret_refs: 64,
            reconcile: ReconcileSettings::default(),
        }
    }
}

impl Default for ReconcileSettings {
    fn default() -> Self {
        Self {
            timing: Timing::default(),
            concurrency: 64,
            per_account: 16,
            lease: Span::seconds(60),
            poll: Span::seconds(5),
            journal_keep: Span::minutes(60 * 24 * 30),
        }
    }
}
