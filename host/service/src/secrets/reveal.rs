//! `secrets/reveal`: the value of a secret. Decided by an action of its own, and audited before it is told.

use berth_domain::id::TenantId;
use berth_domain::secret::SecretName;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{SecretView, is_credential, missing, open, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Its name: the part of a SecretRef behind the tenant.
    pub name: SecretName,
}

/// A secret with its value. The only answer of the API that holds a secret's value.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Revealed {
    /// The value.
    pub value: String,
    /// What is known of it.
    #[serde(flatten)]
    pub info: SecretView,
}

impl std::fmt::Debug for Revealed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Revealed")
            .field("info", &self.info)
            .finish_non_exhaustive()
    }
}

/// The value.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`; `INVALID_INPUT` for the credential of an account.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Revealed, ServiceError> {
    let target = target(&input.tenant_id, &input.name);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::SecretsReveal, &target);
    let result = reveal(service, &attempt, &target, &input).await;
    attempt.settle(service, result).await
}

async fn reveal(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: &Input,
) -> Result<Revealed, ServiceError> {
    service
        .decide(attempt.caller, Action::SecretsReveal, target)
        .await?;
    if is_credential(&input.name) {
        return Err(ServiceError::invalid(
            "/name",
            "is the credential of an account, which is never shown; the provider can issue a new one",
        ));
    }
    let stored = service
        .store()
        .secret(&input.tenant_id, &input.name)
        .await?;
    let stored = stored.ok_or_else(|| missing(&input.tenant_id, &input.name))?;
    let value = open(service, &stored)?;
    // First the audit, then the answer: a value that can't be audited isn't told.
    service
        .store()
        .append_audit(attempt.done(service.now(), json!({"version": stored.info.version})))
        .await?;
    Ok(Revealed {
        value: value.expose().to_owned(),
        info: stored.info.into(),
    })
}
