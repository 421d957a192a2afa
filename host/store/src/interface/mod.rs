//! The interface of every engine, one trait an aggregate.
//!
//! All methods are atomic. A method that changes something also appends the audit rows that it is
//! given, in the same transaction. Lists are ordered by (creation, id) and paged by id.

mod audit;
mod capacity;
mod journal;
mod keys;
mod linked;
mod metering;
mod money;
mod platform;
mod plugins;
mod resources;
mod secrets;

use async_trait::async_trait;
use berth_domain::id::DeploymentId;
use berth_domain::time::Millis;

pub use audit::{AuditEntry, AuditFilter, AuditLog, AuditMarks};
pub use capacity::Capacities;
pub use journal::{Journal, JournalEntry, JournalOutcome};
pub use keys::{Resealed, SealKey, SealKeys};
pub use linked::{LinkedFilter, LinkedThings};
pub use metering::{MeteredSpan, Metering, SpanFilter, SpanPlace};
pub use money::{Budgets, Prices};
pub use platform::{
    AccountChange, Accounts, Offers, Policies, Pools, Principals, Projects, Tenants,
};
pub use plugins::Plugins;
pub use resources::{
    CapacityShortage, Claim, ClaimRequest, Committed, CreateChange, CreateOutcome, EventFilter,
    Events, ListCursor, ListFilter, PublishedEvent, RecordedObject, Resources, RunChange,
    StoredResource, UpdateChange, UpdateOutcome,
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
    + SealKeys
    + Resources
    + Events
    + Capacities
    + Metering
    + Prices
    + Budgets
    + Journal
    + Plugins
    + LinkedThings
    + AuditLog
{
    /// The deployment, made with `fresh` if the store is new.
    async fn deployment(&self, fresh: DeploymentInfo) -> Result<DeploymentInfo, StoreError>;
    /// The deployment, if the store has one.
    async fn known_deployment(&self) -> Result<Option<DeploymentInfo>, StoreError>;
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
