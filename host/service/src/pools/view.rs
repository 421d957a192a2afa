//! A pool as a tenant that sees it may see it.

use berth_domain::id::{AccountId, PoolId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::{BillingMode, Pool, PoolType};
use berth_domain::time::Millis;
use serde::Serialize;

/// A pool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolView {
    /// Its id.
    pub id: PoolId,
    /// Who owns it: `root` for one that is offered.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// What it is.
    #[serde(rename = "type")]
    pub pool_type: PoolType,
    /// The account of a provider pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub account_id: Option<AccountId>,
    /// How it is charged.
    pub billing_mode: BillingMode,
    /// When it was recorded, in epoch ms.
    pub created_at: Millis,
}

impl From<Pool> for PoolView {
    fn from(pool: Pool) -> Self {
        Self {
            id: pool.id,
            tenant_id: pool.tenant_id,
            title: pool.title,
            pool_type: pool.pool_type,
            account_id: pool.account_id,
            billing_mode: pool.billing_mode,
            created_at: pool.created_at,
        }
    }
}
