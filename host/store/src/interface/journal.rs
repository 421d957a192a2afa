//! The journal: every request that may change something at a provider, written before it is sent.

use async_trait::async_trait;
use berth_domain::id::{AccountId, EntryId, ResourceId, RunId};
use berth_domain::time::Millis;

use crate::StoreError;

/// A request that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// Its id.
    pub id: EntryId,
    /// The run that sends it.
    pub run: RunId,
    /// For which resource.
    pub resource: ResourceId,
    /// On which account.
    pub account: AccountId,
    /// By which operation, in kebab case.
    pub operation: String,
    /// `POST`, `PUT`, …
    pub method: String,
    /// Host and path; the query is left out.
    pub target: String,
    /// The body as the plugin wrote it: SecretRefs stand in it, never their values. Capped.
    pub body: Option<String>,
    /// When it was written down.
    pub at: Millis,
    /// What became of it; `None`: not known (yet).
    pub outcome: Option<JournalOutcome>,
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalOutcome {
    /// The provider answered with this status.
    Answered(u16),
    /// It certainly never left.
    NotSent,
    /// No answer came.
    Lost,
}

/// The journal.
#[async_trait]
pub trait Journal: Send + Sync {
    /// Writes an entry, durably, before its request is sent.
    async fn journal_open(&self, entry: &JournalEntry) -> Result<(), StoreError>;
    /// Notes what became of it.
    async fn journal_close(
        &self,
        id: &EntryId,
        outcome: JournalOutcome,
        at: Millis,
    ) -> Result<(), StoreError>;
    /// A resource's newest entries.
    async fn journal_of(
        &self,
        resource: &ResourceId,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StoreError>;
    /// Drops closed entries that are older than this; returns how many. Bounds the journal.
    async fn journal_prune(&self, before: Millis, limit: u32) -> Result<u64, StoreError>;
}
