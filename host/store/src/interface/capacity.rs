//! Capacity that tenants book on pools.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::CapacityName;
use berth_domain::platform::CapacityQuota;
use berth_domain::resource::Amounts;

use super::Page;
use crate::StoreError;

/// Quotas of capacity, and what is booked of them.
///
/// What is booked is the sum of what a tenant's live resources on a pool hold: it stands nowhere else.
#[async_trait]
pub trait Capacities: Send + Sync {
    /// Stores a quota, new or changed; `false` if there is no such tenant or pool.
    async fn put_quota(
        &self,
        quota: &CapacityQuota,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// Deletes a quota; `false` if there is none such.
    async fn delete_quota(
        &self,
        tenant: &TenantId,
        pool: &PoolId,
        capacity: &CapacityName,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// One quota.
    async fn quota(
        &self,
        tenant: &TenantId,
        pool: &PoolId,
        capacity: &CapacityName,
    ) -> Result<Option<CapacityQuota>, StoreError>;
    /// Quotas of a tenant, or all, by tenant, pool and capacity.
    async fn quotas(
        &self,
        tenant: Option<&TenantId>,
        pool: Option<&PoolId>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<CapacityQuota>, StoreError>;
    /// What a tenant's live resources hold on a pool.
    async fn booked(&self, tenant: &TenantId, pool: &PoolId) -> Result<Amounts, StoreError>;
}
