//! `accounts/update`: title, regions, previews, egress, and a new credential.

use berth_domain::id::{AccountId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::Egress;
use berth_store::AccountChange;
use serde::Deserialize;
use serde_json::json;

use super::{
    AccountView, check_regions, credential, egress, existing, missing, only_operators_set_egress,
};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::secrets::SecretValue;
use crate::{Caller, Service, ServiceError};

/// What is asked for. What is left out stays.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who owns it.
    pub tenant_id: TenantId,
    /// Which one.
    pub account_id: AccountId,
    /// A new title.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// All regions that may be used.
    #[serde(default, deserialize_with = "given")]
    pub regions: Option<Vec<String>>,
    /// Whether preview kinds may be used.
    #[serde(default, deserialize_with = "given")]
    pub previews: Option<bool>,
    /// A new credential, or a SecretRef to a secret of the owner that holds it.
    #[serde(default, deserialize_with = "given")]
    pub credential: Option<SecretValue>,
    /// How requests leave the host. Operators only.
    #[serde(default, deserialize_with = "given")]
    pub egress: Option<Egress>,
}

/// The account as it now is, without its credential.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<AccountView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::AccountsWrite, &target);
    let result = update(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn update(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<AccountView, ServiceError> {
    let caller = attempt.caller;
    service
        .decide(caller, Action::AccountsWrite, target)
        .await?;
    if input.egress.is_some() {
        only_operators_set_egress(caller)?;
    }
    let mut account = existing(service, &input.tenant_id, &input.account_id).await?;
    if let Some(title) = input.title {
        account.title = title;
    }
    if let Some(regions) = input.regions {
        check_regions(&regions)?;
        account.regions = regions;
    }
    if let Some(previews) = input.previews {
        account.previews = previews;
    }
    if let Some(egress) = input.egress {
        egress::check(service, &account.provider, &egress)?;
        account.egress = egress;
    }
    let stored = match input.credential {
        Some(given) => {
            let value = credential::given(service, caller, &account.tenant_id, given).await?;
            credential::renew(service, attempt, &account, &value).await?
        }
        None => {
            let audit = attempt.done(
                service.now(),
                json!({"accountId": account.id, "credential": false}),
            );
            let change = service
                .store()
                .update_account(&account, None, audit)
                .await?;
            change == AccountChange::Stored
        }
    };
    if stored {
        Ok(AccountView::of(account, caller.is_operator()))
    } else {
        Err(missing(&input.tenant_id, &input.account_id))
    }
}
