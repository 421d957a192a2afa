//! Persistence: one interface, an engine behind it.
//!
//! A method takes a whole change set and stores it in one transaction; no transaction leaves this
//! crate. Reads that a decision depends on (quota, name, identity, parent) happen in the transaction
//! that stores the result.

mod error;
mod interface;
mod sql;
mod sqlite;
mod transaction;

pub use error::StoreError;
pub use interface::{
    AccountChange, Accounts, AuditEntry, AuditFilter, AuditLog, AuditMarks, Budgets, Capacities,
    CapacityShortage, Claim, ClaimRequest, Committed, CreateChange, CreateOutcome, Created,
    DeploymentInfo, EventFilter, Events, Journal, JournalEntry, JournalOutcome, LinkedFilter,
    LinkedThings, ListCursor, ListFilter, MeteredSpan, Metering, NewSecret, Offers, Page, Plugins,
    Policies, Pools, Prices, Principals, Projects, PublishedEvent, RecordedObject, Resealed,
    Resources, RunChange, SealKey, SealKeys, SealedSecret, SecretChange, Secrets, SpanFilter,
    SpanPlace, Store, StoredResource, Tenants, UpdateChange, UpdateOutcome,
};
pub use sqlite::{SqliteConfig, SqliteStore};
pub use transaction::{in_transaction, inside_transaction};
