//! What an operator can set about the service. Every limit has a name, a default and an error that mentions it.

use std::collections::BTreeSet;

use berth_domain::input::MeterName;
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
    /// Instances or networks that one `sync` may tell of.
    pub max_synced: u32,
    /// Answers about whole accounts, which their tenants share.
    pub answers: AnswerSettings,
    /// The audit's chain.
    pub audit: AuditSettings,
    /// What `/readyz` rests on.
    pub readiness: ReadinessSettings,
    /// What a tenant may book of each capacity on each pool, unless a quota of its own says otherwise.
    pub default_capacity: u64,
    /// Those of the kinds' own meters that bill, on pools of mode `metered`.
    pub kind_meters: BTreeSet<MeterName>,
    /// Rows of one part of a usage export, 1 to 20,000.
    pub export_rows: u32,
    /// The reconciler.
    pub reconcile: ReconcileSettings,
}

/// Settings of what is asked of an account once and told to every tenant: catalogs and signals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AnswerSettings {
    /// How long an answer is used again, in milliseconds.
    pub reuse: Span,
    /// Answers that are kept of each sort; the oldest makes place for a new one.
    pub kept: u32,
}

/// Settings of the audit's chain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct AuditSettings {
    /// How long a row waits for its seal at most, in milliseconds, while the store keeps up.
    pub seal_every: Span,
    /// Rows that one seal covers at most.
    pub seal_batch: u32,
    /// How often the newest seal is told to the log at most, in milliseconds.
    pub witness_every: Span,
}

impl Default for AuditSettings {
    fn default() -> Self {
        Self {
            seal_every: Span::seconds(1),
            seal_batch: 1_000,
            witness_every: Span::minutes(60),
        }
    }
}

/// Settings of the proof that the store takes writes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct ReadinessSettings {
    /// How long one proof answers all who ask, in milliseconds.
    pub keep: Span,
    /// How long who asks waits for a proof at most, in milliseconds.
    pub wait: Span,
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
            max_synced: 2_000,
            answers: AnswerSettings::default(),
            audit: AuditSettings::default(),
            readiness: ReadinessSettings::default(),
            default_capacity: 0,
            kind_meters: BTreeSet::new(),
            export_rows: 5_000,
            reconcile: ReconcileSettings::default(),
        }
    }
}

impl Default for AnswerSettings {
    fn default() -> Self {
        Self {
            reuse: Span::seconds(30),
            kept: 256,
        }
    }
}

impl Default for ReadinessSettings {
    fn default() -> Self {
        Self {
            keep: Span::seconds(1),
            wait: Span::seconds(2),
        }
    }
}

impl Default for ReconcileSettings {
    fn default() -> Self {
        Self {
            timing: Timing::default(),
            concurrency: 64,
            per_account: 16,
            lease: Span::seconds(20),
            poll: Span::seconds(5),
            journal_keep: Span::minutes(60 * 24 * 30),
        }
    }
}

impl Settings {
    /// The first setting that can't work, and what would. Waits may be shorter than the contract's, never longer.
    ///
    /// # Errors
    /// Its key and the values that are taken.
    pub fn check(&self) -> Result<(), String> {
        let reconcile = &self.reconcile;
        let timing = &reconcile.timing;
        let hour = Span::minutes(60).0;
        let spans = [
            ("maxSynced", u64::from(self.max_synced), 1, 20_000),
            (
                "answers.reuse",
                self.answers.reuse.0,
                0,
                Span::seconds(30).0,
            ),
            ("answers.kept", u64::from(self.answers.kept), 1, 1 << 16),
            ("audit.sealEvery", self.audit.seal_every.0, 10, hour),
            (
                "audit.sealBatch",
                u64::from(self.audit.seal_batch),
                1,
                10_000,
            ),
            (
                "audit.witnessEvery",
                self.audit.witness_every.0,
                0,
                u64::MAX,
            ),
            ("readiness.keep", self.readiness.keep.0, 100, hour),
            (
                "readiness.wait",
                self.readiness.wait.0,
                10,
                Span::minutes(1).0,
            ),
            ("reconcile.lease", reconcile.lease.0, 500, hour),
            ("reconcile.poll", reconcile.poll.0, 10, Span::minutes(1).0),
            (
                "reconcile.journalKeep",
                reconcile.journal_keep.0,
                hour,
                u64::MAX,
            ),
            (
                "reconcile.timing.converging",
                timing.converging.0,
                10,
                Span::seconds(30).0,
            ),
            (
                "reconcile.timing.steady",
                timing.steady.0,
                10,
                Span::minutes(5).0,
            ),
            (
                "reconcile.timing.firstRetry",
                timing.first_retry.0,
                1,
                Span::seconds(30).0,
            ),
            (
                "reconcile.timing.absenceGrace",
                timing.absence_grace.0,
                0,
                hour,
            ),
            (
                "reconcile.timing.missingGrace",
                timing.missing_grace.0,
                0,
                hour,
            ),
            (
                "reconcile.perAccount",
                u64::from(reconcile.per_account),
                1,
                1 << 20,
            ),
            ("exportRows", u64::from(self.export_rows), 1, 20_000),
            // 0: a host that only serves the API.
            (
                "reconcile.concurrency",
                u64::from(reconcile.concurrency),
                0,
                1 << 16,
            ),
        ];
        match spans
            .into_iter()
            .find(|(_, value, least, most)| value < least || value > most)
        {
            Some((key, value, least, most)) => Err(format!(
                "`service.{key}` is {value}; {least} to {most} are taken"
            )),
            None => Ok(()),
        }
    }
}
