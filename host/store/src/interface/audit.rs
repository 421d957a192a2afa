//! The audit and the seals that chain it: both are only ever appended to.

use async_trait::async_trait;
use berth_domain::audit::chain::{RawRow, Seal};
use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::{PrincipalId, RequestId, TenantId};

use crate::StoreError;

/// Which rows of the audit. Fields that are given all hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// In this tenant.
    pub tenant: Option<TenantId>,
    /// On this, such as `compute-cloud-resource/crs_…`.
    pub resource: Option<String>,
    /// This was asked, such as `compute:secrets:reveal`.
    pub action: Option<String>,
    /// By this principal.
    pub principal: Option<PrincipalId>,
    /// In this request.
    pub request: Option<RequestId>,
    /// It ended so.
    pub outcome: Option<AuditOutcome>,
    /// Before this sequence.
    pub before: Option<u64>,
    /// Not before this sequence.
    pub from: Option<u64>,
}

/// A row with its place.
#[derive(Debug, Clone, PartialEq)]
pub struct AuditEntry {
    /// Rises with each row.
    pub sequence: u64,
    /// What it says.
    pub row: AuditRow,
}

/// The highest sequences that are there, and that were ever given: where these differ, the last ones
/// were removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AuditMarks {
    /// Of the rows that are there; 0: none is.
    pub row: u64,
    /// Of all rows ever; `None` where the engine can't tell.
    pub row_given: Option<u64>,
    /// Of the seals that are there; 0: none is.
    pub seal: u64,
    /// Of all seals ever.
    pub seal_given: Option<u64>,
}

/// The audit.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Appends rows by themselves, for a refusal that stores nothing else.
    async fn append_audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError>;

    /// Rows that pass a filter, newest first.
    async fn find_audit(
        &self,
        filter: &AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;

    /// The newest rows, at most `limit`, optionally of one tenant.
    async fn list_audit(
        &self,
        tenant: Option<&TenantId>,
        limit: u32,
    ) -> Result<Vec<AuditRow>, StoreError> {
        let filter = AuditFilter {
            tenant: tenant.cloned(),
            ..AuditFilter::default()
        };
        let entries = self.find_audit(&filter, limit).await?;
        Ok(entries.into_iter().map(|entry| entry.row).collect())
    }

    /// Rows after one sequence and up to another, oldest first, letter by letter. Once a row was shown
    /// here, none appears before it any more.
    async fn raw_audit(
        &self,
        after: u64,
        up_to: u64,
        limit: u32,
    ) -> Result<Vec<RawRow>, StoreError>;

    /// The newest seal.
    async fn last_seal(&self) -> Result<Option<Seal>, StoreError>;

    /// Seals after a sequence, oldest first.
    async fn seals(&self, after: u64, limit: u32) -> Result<Vec<Seal>, StoreError>;

    /// Appends a seal; `false` if it does not follow the newest one: another host sealed meanwhile.
    async fn put_seal(&self, seal: &Seal) -> Result<bool, StoreError>;

    /// The highest sequences.
    async fn audit_marks(&self) -> Result<AuditMarks, StoreError>;
}
