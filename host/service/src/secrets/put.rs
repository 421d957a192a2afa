//! `secrets/put`: seals a value, new or as the next version.

use berth_domain::id::TenantId;
use berth_domain::secret::SecretName;
use serde::Deserialize;

use super::wake::wake_users;
use super::{SecretValue, SecretView, missing, must_be_own, seal, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Its name: segments of letters, digits, `.`, `_`, `-` joined by `/`.
    pub name: SecretName,
    /// The value. It is sealed before anything is stored, and no answer but `reveal`'s shows it.
    pub value: SecretValue,
}

/// The secret without its value.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`; `UNSUPPORTED` on a deployment without a secret store.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<SecretView, ServiceError> {
    let target = target(&input.tenant_id, &input.name);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::SecretsWrite, &target);
    let result = put(service, &attempt, &target, &input).await;
    attempt.settle(service, result).await
}

async fn put(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: &Input,
) -> Result<SecretView, ServiceError> {
    service
        .decide(attempt.caller, Action::SecretsWrite, target)
        .await?;
    must_be_own(&input.name)?;
    service.must_have_tenant(&input.tenant_id).await?;
    if input.value.0.expose().is_empty() {
        return Err(ServiceError::invalid(
            "/value",
            "is empty; give a value, or delete the secret with `secrets/delete`",
        ));
    }
    seal(
        service,
        Some(attempt),
        &input.tenant_id,
        &input.name,
        &input.value.0,
    )
    .await?;
    let stored = service
        .store()
        .secret(&input.tenant_id, &input.name)
        .await?
        .ok_or_else(|| missing(&input.tenant_id, &input.name))?;
    if stored.info.version > 1 {
        wake_users(service, &input.tenant_id, &stored.info.reference).await;
    }
    Ok(stored.info.into())
}
