//! What can go wrong with a store.

/// A failure of the store. Its text may name tables and files and is for operators' logs only.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The engine can't be reached, is shutting down, or has no room; the same call may work later.
    #[error("the store is unavailable: {0}")]
    Unavailable(String),
    /// The engine stayed busy for too long; the same call may work at once.
    #[error("the store was busy: {0}")]
    Busy(String),
    /// What was read does not parse: a newer host wrote it, or the database is damaged.
    #[error("the store holds what this host can't read: {0}")]
    Unreadable(String),
    /// Anything else; a defect.
    #[error("the store failed: {0}")]
    Failed(String),
}
