//! `accounts/get`.

use berth_domain::id::{AccountId, TenantId};
use serde::Deserialize;

use super::{AccountView, existing};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who owns it.
    pub tenant_id: TenantId,
    /// Which one.
    pub account_id: AccountId,
}

/// The account, without its credential.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<AccountView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::AccountsRead, &target);
    let result = async {
        service
            .decide(caller, Action::AccountsRead, &target)
            .await?;
        let account = existing(service, &input.tenant_id, &input.account_id).await?;
        Ok(AccountView::of(account, caller.is_operator()))
    };
    attempt.settle(service, result.await).await
}
