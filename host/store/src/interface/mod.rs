//! The interface of every engine, one trait an aggregate.
//!
//! All methods are atomic. A method that changes something also appends the audit rows that it is
//! given, in the same transaction. Lists are ordered by (creation, id) and paged by id.

mod journal;
mod platform;
mod plugins;
mod resources;
mod secrets;

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::DeploymentId;
use berth_domain::time::Millis;

pub use journal::{Journal, JournalEntry, JournalOutcome};
pub use platform::{Accounts, Offers, Policies, Pools, Principals, Projects, Tenants};
pub use plugins::Plugins;
pub use resources::{
    Claim, ClaimRequest, Committed, CreateChange, CreateOutcome, EventFilter, Events, ListCursor,
    ListFilter, PublishedEvent, RecordedObject, Resources, RunChange, StoredResource, UpdateChange,
    UpdateOutcome,
};
pub use secrets::{NewSecret, SealedSecret, SecretChange, Secrets};

use crate::StoreError;

/// A part of a list and where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// At most as many as were asked for.
    pub items: Vec<T>,
    /// The id after which the next page begins; `None`: this was the last.
    pub next: Option<String>,
}

/// Whether a record is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Created {
    /// It was stored.
    New,
    /// Its id is taken.
    Taken,
}

/// What is fixed about a deployment, once it has started for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentInfo {
    /// What `better-compute-managed` says.
    pub id: DeploymentId,
    /// When it started for the first time.
    pub created_at: Millis,
}

/// The audit: rows are only ever appended.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Appends rows by themselves, for a refusal that stores nothing else.
    async fn append_audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError>;
    /// The newest rows, at most `limit`, optionally of one tenant.
    async fn list_audit(
        &self,
        tenant: Option<&berth_domain::id::TenantId>,
        limit: u32,
    ) -> Result<Vec<AuditRow>, StoreError>;
}

/// A whole store.
#[async_trait]
pub trait Store:
    Tenants
    + Projects
    + Principals
    + Policies
    + Accounts
    + Pools
    + Offers
    + Secrets
    + Resources
    + Events
    + Journal
    + Plugins
    + AuditLog
{
    /// The deployment, made with `fresh` if the store is new.
    async fn deployment(&self, fresh: DeploymentInfo) -> Result<DeploymentInfo, StoreError>;
    /// Whether the store answers: a trivial read.
    async fn ping(&self) -> Result<(), StoreError>;
    /// Proves that a write becomes durable, by making one; says how many proofs there were so far.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] on a full disk, among others.
    async fn prove_writable(&self, at: Millis) -> Result<u64, StoreError>;
    /// Finishes what is under way and closes; later calls fail with `Unavailable`.
    async fn close(&self);
}
