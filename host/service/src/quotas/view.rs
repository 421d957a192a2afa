//! A quota with what is booked of it.

use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::CapacityName;
use berth_domain::platform::CapacityQuota;
use berth_domain::resource::Amounts;
use berth_domain::time::Millis;
use serde::Serialize;

/// A quota of capacity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QuotaView {
    /// Whose.
    pub tenant_id: TenantId,
    /// On which pool.
    pub pool_id: PoolId,
    /// Of what.
    pub capacity: CapacityName,
    /// What the tenant may book.
    pub amount: u64,
    /// What its live resources hold.
    pub booked: u64,
    /// When it was last set; absent: nobody did, and `amount` is the host's `service.defaultCapacity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Millis>,
}

impl QuotaView {
    pub(super) fn of(quota: CapacityQuota, booked: &Amounts) -> Self {
        Self {
            booked: booked.get(quota.capacity.as_str()).copied().unwrap_or(0),
            tenant_id: quota.tenant_id,
            pool_id: quota.pool_id,
            capacity: quota.capacity,
            amount: quota.amount,
            updated_at: Some(quota.updated_at),
        }
    }
}
