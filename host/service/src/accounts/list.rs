//! `accounts/list`.

use berth_domain::id::TenantId;
use serde::Deserialize;

use super::AccountView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who owns them.
    pub tenant_id: TenantId,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The tenant's accounts, without credentials.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<AccountView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::AccountsRead, &target);
    let result = async {
        service
            .decide(caller, Action::AccountsRead, &target)
            .await?;
        let after = input.cursor.as_ref().map(Cursor::as_str);
        let page = service
            .store()
            .accounts(Some(&input.tenant_id), after, ITEMS_MAX)
            .await?;
        Ok(Items::of(page, |account| {
            AccountView::of(account, caller.is_operator())
        }))
    };
    attempt.settle(service, result.await).await
}
