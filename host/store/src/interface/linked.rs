//! Instances and networks that specs may name.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{AccountId, TenantId};
use berth_domain::linked::{LinkedId, LinkedRow, Plan, Refusal, Registration, Sort};
use berth_domain::time::Millis;

use super::Page;
use crate::StoreError;

/// What narrows a list of instances or networks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedFilter {
    /// Which of the two.
    pub sort: Sort,
    /// On this account.
    pub account: Option<AccountId>,
    /// Those that are gone too.
    pub include_gone: bool,
}

/// Instances and networks.
#[async_trait]
pub trait LinkedThings: Send + Sync {
    /// Records a set, all of it or nothing. The audit row's detail is told what changed and what went.
    async fn register_linked(
        &self,
        registration: Registration,
        audit: AuditRow,
    ) -> Result<Result<Plan, Refusal>, StoreError>;
    /// Marks one as gone, and answers with it; one that is gone already stays as it was. `None`: the
    /// tenant has none such.
    async fn end_linked(
        &self,
        tenant: &TenantId,
        id: &LinkedId,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<Option<LinkedRow>, StoreError>;
    /// Those with these ids, whosever and whether or not they live.
    async fn linked(&self, ids: &[LinkedId]) -> Result<Vec<LinkedRow>, StoreError>;
    /// A tenant's, in pages.
    async fn linked_of(
        &self,
        tenant: &TenantId,
        filter: &LinkedFilter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<LinkedRow>, StoreError>;
}
