//! An account's credential: sealed when it comes in, and never shown again.

use berth_domain::id::{AccountId, TenantId};
use berth_domain::platform::Account;
use berth_domain::secret::{SecretName, SecretRef, SecretText};
use berth_policy::ResourceType;
use berth_store::{AccountChange, SecretChange};
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::secrets::{Sealing, SecretValue, open, seal, seal_until_stored};
use crate::{Caller, Service, ServiceError};

/// Where an account's credential is sealed in its owner's store.
///
/// # Errors
/// Never, for an id that was made here.
pub fn credential_name(account: &AccountId) -> Result<SecretName, ServiceError> {
    format!("{}{account}", crate::secrets::CREDENTIAL_PREFIX)
        .parse()
        .map_err(|error| {
            ServiceError::internal(format!("no name for the credential of {account}: {error}"))
        })
}

/// The value that was given: the credential itself, or a reference to a secret of the owner that
/// holds it now. Later versions of that secret are not followed: give it again.
pub(super) async fn given(
    service: &Service,
    caller: &Caller,
    owner: &TenantId,
    credential: SecretValue,
) -> Result<SecretText, ServiceError> {
    let Ok(reference) = credential.0.expose().parse::<SecretRef>() else {
        return plain(credential);
    };
    let none = || {
        ServiceError::invalid(
            "/credential",
            format!(
                "names no secret of tenant `{owner}`; store it with `secrets/put`, or give the credential itself"
            ),
        )
    };
    if reference.tenant() != owner || crate::secrets::is_credential(reference.name()) {
        return Err(none());
    }
    let target =
        Target::new(ResourceType::Secret, owner, reference.name().as_str()).named(reference.name());
    service.decide(caller, Action::SecretsUse, &target).await?;
    let sealed = service
        .store()
        .secret(owner, reference.name())
        .await?
        .ok_or_else(none)?;
    open(service, &sealed)
}

/// A credential goes into a header, so it has no spaces and nothing that is not seen; and whatever
/// looks like a reference was meant as one.
fn plain(credential: SecretValue) -> Result<SecretText, ServiceError> {
    let text = credential.0.expose();
    if text.starts_with("secret:") {
        return Err(ServiceError::invalid(
            "/credential",
            "looks like a SecretRef and is none: expected `secret://<tenant>/<name>`, or the credential itself",
        ));
    }
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ServiceError::invalid(
            "/credential",
            "expected the credential as the provider gave it: visible ASCII characters, without spaces and line ends",
        ));
    }
    Ok(credential.0)
}

/// Seals it as a new account's, before that is recorded: a crash in between leaves a sealed secret that
/// nothing points to, and never an account without a credential.
pub(super) async fn keep(
    service: &Service,
    owner: &TenantId,
    account: &AccountId,
    value: &SecretText,
) -> Result<(), ServiceError> {
    must_not_be_empty(value)?;
    seal(service, None, owner, &credential_name(account)?, value).await?;
    Ok(())
}

/// Stores an account as it now is together with its new credential; `false`: the account is gone.
pub(super) async fn renew(
    service: &Service,
    attempt: &Attempt<'_>,
    account: &Account,
    value: &SecretText,
) -> Result<bool, ServiceError> {
    must_not_be_empty(value)?;
    let name = credential_name(&account.id)?;
    let store = service.store();
    seal_until_stored(service, &account.tenant_id, &name, value, |secret| async {
        let audit = attempt.done(
            secret.at,
            json!({"accountId": account.id, "credential": true, "version": secret.version}),
        );
        let change = store.update_account(account, Some(secret), audit).await?;
        Ok(match change {
            AccountChange::Stored => Sealing::Stored(true),
            AccountChange::Missing => Sealing::Stored(false),
            AccountChange::Unsealed(SecretChange::Stale(stored)) => Sealing::Stale(stored),
            AccountChange::Unsealed(SecretChange::KeyRetired) => Sealing::KeyRetired,
            AccountChange::Unsealed(SecretChange::Stored) => {
                return Err(ServiceError::internal(
                    "a credential that was stored is not refused",
                ));
            }
        })
    })
    .await
}

fn must_not_be_empty(value: &SecretText) -> Result<(), ServiceError> {
    if value.expose().is_empty() {
        return Err(ServiceError::invalid(
            "/credential",
            "is empty; give the token that the provider issued",
        ));
    }
    Ok(())
}
