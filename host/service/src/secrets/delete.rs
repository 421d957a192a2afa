//! `secrets/delete`: destroys every version of a secret. A resource that refers to it goes on until
//! its next write, which then says that the secret is missing.

use berth_domain::id::TenantId;
use berth_domain::secret::SecretName;
use serde::Deserialize;
use serde_json::json;

use super::{SecretView, missing, must_be_own, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Its name.
    pub name: SecretName,
}

/// The secret as it was, without its value.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`; `INVALID_INPUT` for one that the host keeps itself.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<SecretView, ServiceError> {
    let target = target(&input.tenant_id, &input.name);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::SecretsWrite, &target);
    let result = delete(service, &attempt, &target, &input).await;
    attempt.settle(service, result).await
}

async fn delete(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: &Input,
) -> Result<SecretView, ServiceError> {
    service
        .decide(attempt.caller, Action::SecretsWrite, target)
        .await?;
    must_be_own(&input.name)?;
    let none = || missing(&input.tenant_id, &input.name);
    let stored = service
        .store()
        .secret(&input.tenant_id, &input.name)
        .await?
        .ok_or_else(none)?;
    let audit = attempt.done(
        service.now(),
        json!({"deleted": true, "version": stored.info.version}),
    );
    if service
        .store()
        .delete_secret(&input.tenant_id, &input.name, audit)
        .await?
    {
        Ok(stored.info.into())
    } else {
        Err(none())
    }
}
