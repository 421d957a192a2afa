//! What ran, and when. Spans are written with their row; here they are read.

use async_trait::async_trait;
use berth_domain::id::{PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::{KindId, MeterName};
use berth_domain::metering::{MeterSpan, Window};
use berth_domain::money::Ran;
use berth_domain::time::Millis;

use crate::StoreError;

/// A span with the resource that it is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeteredSpan {
    /// Which resource.
    pub resource: ResourceId,
    /// Whose.
    pub tenant: TenantId,
    /// In which project.
    pub project: Option<ProjectId>,
    /// On which pool.
    pub pool: PoolId,
    /// Of which kind.
    pub kind: KindId,
    /// The span.
    pub span: MeterSpan,
}

/// What narrows a list of spans.
#[derive(Debug, Clone)]
pub struct SpanFilter {
    /// Of this tenant.
    pub tenant: Option<TenantId>,
    /// Of this resource.
    pub resource: Option<ResourceId>,
    /// Of this meter.
    pub meter: Option<MeterName>,
    /// Those that share time with it; a span that runs shares all time from its start.
    pub window: Window,
    /// Those behind this place.
    pub after: Option<SpanPlace>,
}

/// A place in a list of spans: everything of a meter of a resource before a time lies before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanPlace {
    /// The resource.
    pub resource: ResourceId,
    /// The meter.
    pub meter: MeterName,
    /// The time.
    pub at: Millis,
}

/// Spans of meters.
#[async_trait]
pub trait Metering: Send + Sync {
    /// Spans by resource, meter and start, at most so many.
    async fn meter_spans(
        &self,
        filter: &SpanFilter,
        limit: u32,
    ) -> Result<Vec<MeteredSpan>, StoreError>;
    /// What a tenant, or a project of it, ran in a window, by pool, kind, meter and rate. What still runs
    /// counts up to the window's end.
    async fn ran(
        &self,
        tenant: &TenantId,
        project: Option<&ProjectId>,
        window: Window,
    ) -> Result<Vec<Ran>, StoreError>;
}
