//! A network as it is shown.

use std::collections::BTreeMap;

use berth_domain::id::{AccountId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::LinkedRow;
use berth_domain::time::Millis;
use serde::Serialize;

use crate::linked::LinkedState;

/// A network.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NetworkView {
    /// Its id: what a spec names.
    pub id: String,
    /// Whose it is.
    pub tenant_id: TenantId,
    /// The account that it is on.
    pub account_id: AccountId,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Title>,
    /// Its VPC in each of its regions: the provider's ids, by region.
    pub vpcs: BTreeMap<String, String>,
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

impl From<LinkedRow> for NetworkView {
    fn from(row: LinkedRow) -> Self {
        Self {
            state: LinkedState::of(&row),
            id: row.id.to_string(),
            tenant_id: row.tenant,
            account_id: row.account,
            title: row.title,
            vpcs: row.objects,
            created_at: row.created_at,
            updated_at: row.updated_at,
            gone_at: row.gone_at,
        }
    }
}
