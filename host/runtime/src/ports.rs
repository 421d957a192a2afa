//! What the runtime needs of the rest of the host.

use std::sync::Arc;

use async_trait::async_trait;
use berth_domain::id::{AccountId, EntryId};
use berth_domain::secret::{SecretRef, SecretText};
use berth_domain::time::{Millis, Span};
use bytes::Bytes;

use crate::call::{CallScope, Priority};

/// Why a port could not do what it was asked.
///
/// No secret in the text. That of [`PortError::NotFound`] from [`Secrets::resolve`] is shown to the
/// tenant whose secret is missing; all others go to the host's log alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// It may not be used here.
    #[error("{0}")]
    Denied(String),
    /// It can't be reached now.
    #[error("{0}")]
    Unavailable(String),
}

/// Secrets, opened for one call.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The credential of a provider account.
    async fn credential(&self, account: &AccountId) -> Result<SecretText, PortError>;

    /// The value behind a reference that stands in the row's spec.
    async fn resolve(
        &self,
        scope: &CallScope,
        reference: &SecretRef,
    ) -> Result<SecretText, PortError>;
}

/// A write that is about to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalEntry {
    /// `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// The origin that the manifest names, not the operator's override of it.
    pub origin: String,
    /// The path as sent, without the query.
    pub path: String,
    /// The body as the plugin wrote it: SecretRefs, not values.
    pub body: Bytes,
    /// SHA-256 of that body, in hexadecimal.
    pub body_sha256: String,
}

/// How a journalled request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exchange {
    /// The provider answered with this status.
    Answered(u16),
    /// No connection came about: the provider can't have seen it.
    NotSent,
    /// The answer was lost or cut: the provider may have acted.
    Lost,
}

/// The journal of writes. An entry without an end counts as [`Exchange::Lost`].
#[async_trait]
pub trait Journal: Send + Sync {
    /// Records a write. It is sent only after this returned Ok, and never if it failed.
    async fn before_write(
        &self,
        scope: &CallScope,
        entry: JournalEntry,
    ) -> Result<EntryId, PortError>;

    /// Records how it ended.
    async fn after_write(
        &self,
        scope: &CallScope,
        entry: &EntryId,
        end: Exchange,
    ) -> Result<(), PortError>;
}

/// Whether a request may go now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Budget {
    /// It may.
    Go,
    /// Not before so long.
    WaitFor(Span),
}

/// What a provider said about its rate limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RateHeaders {
    /// The answer's status.
    pub status: u16,
    /// `ratelimit-limit`.
    pub limit: Option<u64>,
    /// `ratelimit-remaining`.
    pub remaining: Option<u64>,
    /// `ratelimit-reset`, as the provider gave it (DigitalOcean: seconds since the epoch).
    pub reset: Option<u64>,
    /// `retry-after`, given in seconds.
    pub retry_after: Option<Span>,
}

/// The token bucket of each provider account.
pub trait RateBudget: Send + Sync {
    /// Takes one request out of the account's budget. Must not block.
    fn take(&self, account: &AccountId, priority: Priority) -> Budget;

    /// Learns from an answer. Must not block.
    fn observe(&self, account: &AccountId, headers: &RateHeaders);
}

/// The time.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Millis;
}

/// Randomness.
pub trait Entropy: Send + Sync {
    /// Fills the buffer with random bytes.
    fn fill(&self, buffer: &mut [u8]);
}

/// The store's transactions.
pub trait Transactions: Send + Sync {
    /// Whether the task that asks is inside of one. A call waits for a provider: none may wait in there,
    /// so debug builds panic where one begins.
    fn holds_one(&self) -> bool;
}

/// All ports.
#[derive(Clone)]
pub struct Ports {
    /// Secrets.
    pub secrets: Arc<dyn Secrets>,
    /// The journal.
    pub journal: Arc<dyn Journal>,
    /// Rate budgets.
    pub rate: Arc<dyn RateBudget>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Transactions.
    pub transactions: Arc<dyn Transactions>,
}
