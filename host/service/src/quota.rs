//! How many resources of a kind a tenant may have.

use std::collections::BTreeMap;

use berth_domain::id::TenantId;
use berth_domain::input::KindId;

use crate::{Service, ServiceError};

impl Service {
    /// The tenant's own quotas; every other kind has the host's `maxPerKind`.
    pub(crate) async fn quotas(
        &self,
        tenant: &TenantId,
    ) -> Result<BTreeMap<KindId, u32>, ServiceError> {
        Ok(self
            .store()
            .tenant(tenant)
            .await?
            .map(|tenant| tenant.quotas)
            .unwrap_or_default())
    }

    /// The tenant's quota of one kind.
    pub(crate) async fn quota(
        &self,
        tenant: &TenantId,
        kind: &KindId,
    ) -> Result<u32, ServiceError> {
        Ok(self
            .quotas(tenant)
            .await?
            .get(kind)
            .copied()
            .unwrap_or(self.settings().max_per_kind))
    }
}
