//! An account as it may be shown: never its credential.

use berth_domain::id::{AccountId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::{Account, Egress};
use berth_domain::time::Millis;
use serde::Serialize;

/// A provider account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountView {
    /// Its id.
    pub id: AccountId,
    /// Who owns it.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// The provider's short name.
    pub provider: String,
    /// Regions that may be used; empty: any.
    pub regions: Vec<String>,
    /// Preview kinds may be used.
    pub previews: bool,
    /// How requests leave the host; shown to operators only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub egress: Option<Egress>,
    /// When it was recorded, in epoch ms.
    pub created_at: Millis,
}

impl AccountView {
    pub(super) fn of(account: Account, for_operator: bool) -> Self {
        Self {
            id: account.id,
            tenant_id: account.tenant_id,
            title: account.title,
            provider: account.provider,
            regions: account.regions,
            previews: account.previews,
            egress: for_operator.then_some(account.egress),
            created_at: account.created_at,
        }
    }
}
