//! `secrets/get`: what is known of a secret, without its value.

use berth_domain::id::TenantId;
use berth_domain::secret::SecretName;
use serde::Deserialize;

use super::{SecretView, missing, target};
use crate::attempt::Attempt;
use crate::decision::Action;
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

/// The secret without its value.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<SecretView, ServiceError> {
    let target = target(&input.tenant_id, &input.name);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::SecretsRead, &target);
    let result = async {
        service.decide(caller, Action::SecretsRead, &target).await?;
        let stored = service
            .store()
            .secret(&input.tenant_id, &input.name)
            .await?;
        Ok(stored
            .ok_or_else(|| missing(&input.tenant_id, &input.name))?
            .info
            .into())
    };
    attempt.settle(service, result.await).await
}
