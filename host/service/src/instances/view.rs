//! An instance as it is shown.

use berth_domain::id::{AccountId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::LinkedRow;
use berth_domain::time::Millis;
use serde::Serialize;

use crate::linked::LinkedState;

/// An instance.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstanceView {
    /// Its id: what a spec names.
    pub id: String,
    /// Whose it is.
    pub tenant_id: TenantId,
    /// The account that it is on.
    pub account_id: AccountId,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// The id of the object at the provider.
    pub provider_id: String,
    /// Its region.
    pub region: String,
    /// Whether it can be named.
    pub state: LinkedState,
    /// When it was recorded, in epoch ms.
    pub created_at: Millis,
    /// When it was last changed here, in epoch ms.
    pub updated_at: Millis,
    /// When it was found to be gone, in epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gone_at: Option<Millis>,
}

impl From<LinkedRow> for InstanceView {
    fn from(mut row: LinkedRow) -> Self {
        let (region, provider_id) = row.objects.pop_first().unwrap_or_default();
        Self {
            state: LinkedState::of(&row),
            id: row.id.to_string(),
            tenant_id: row.tenant,
            account_id: row.account,
            title: row.title,
            provider_id,
            region,
            created_at: row.created_at,
            updated_at: row.updated_at,
            gone_at: row.gone_at,
        }
    }
}
