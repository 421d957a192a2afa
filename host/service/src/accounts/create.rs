//! `accounts/create`: registers a credential at a provider.

use berth_domain::id::{AccountId, TenantId};
use berth_domain::input::Title;
use berth_domain::platform::{Account, Egress};
use berth_store::Created;
use serde::Deserialize;
use serde_json::json;

use super::{AccountView, check_regions, credential, egress, only_operators_set_egress};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::secrets::SecretValue;
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Who owns it: `root` for the platform's own.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// The provider's short name, which is its plugin's.
    pub provider: String,
    /// The credential itself, or a SecretRef to a secret of the owner that holds it.
    pub credential: SecretValue,
    /// Regions that may be used; none: any.
    #[serde(default)]
    pub regions: Vec<String>,
    /// Preview kinds may be used.
    #[serde(default)]
    pub previews: bool,
    /// How requests leave the host. Operators only.
    #[serde(default, deserialize_with = "given")]
    pub egress: Option<Egress>,
}

/// The account, without its credential.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`; `NOT_FOUND` for a tenant that is not there; `UNSUPPORTED` on a
/// deployment without a secret store.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<AccountView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::AccountsWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
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
    service.must_have_tenant(&input.tenant_id).await?;
    check_provider(&input.provider)?;
    check_regions(&input.regions)?;
    let egress = input.egress.unwrap_or_default();
    egress::check(service, &input.provider, &egress)?;
    let value = credential::given(service, caller, &input.tenant_id, input.credential).await?;
    let now = service.now();
    let account = Account {
        id: AccountId::generate(now, service.entropy().id_seed()),
        tenant_id: input.tenant_id,
        title: input.title,
        provider: input.provider,
        regions: input.regions,
        previews: input.previews,
        egress,
        created_at: now,
    };
    credential::keep(service, &account.tenant_id, &account.id, &value).await?;
    let audit = attempt.done(
        now,
        json!({"accountId": account.id, "provider": account.provider}),
    );
    match service.store().create_account(&account, audit).await? {
        Created::New => Ok(AccountView::of(account, caller.is_operator())),
        Created::Taken => Err(ServiceError::internal(format!(
            "the fresh id {} is taken",
            account.id
        ))),
    }
}

fn check_provider(provider: &str) -> Result<(), ServiceError> {
    let fits = (1..=16).contains(&provider.len())
        && provider
            .bytes()
            .next()
            .is_some_and(|b| b.is_ascii_lowercase())
        && provider
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    if fits {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/provider",
        "expected a provider's short name: a lower-case letter, then up to 15 lower-case letters and digits, such as `do`",
    ))
}
