//! An hour of a meter of a resource.

use berth_domain::id::{PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::time::Millis;
use serde::Serialize;

/// What one meter of one resource ran in one hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageView {
    /// The hour's first millisecond, in epoch ms.
    pub hour: Millis,
    /// Whose.
    pub tenant_id: TenantId,
    /// In which project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// On which pool.
    pub pool_id: PoolId,
    /// Of which kind.
    pub kind: KindId,
    /// Which resource.
    pub resource_id: ResourceId,
    /// Which meter.
    pub meter: String,
    /// Units times milliseconds: 3,600,000 of them are one unit for an hour.
    pub unit_ms: u64,
}
