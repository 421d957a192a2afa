//! What a spec refers to beyond itself: secrets of the tenant.

use std::collections::BTreeMap;

use berth_domain::id::TenantId;
use berth_domain::secret::SecretRef;
use berth_policy::ResourceType;

use crate::decision::{Action, Judge, Target};
use crate::{Service, ServiceError};

/// Decides the use of each secret and proves that it is there.
///
/// The decision comes first, so that who may not use a secret does not learn whether it exists. A
/// reference into another tenant reads like one to a secret that is missing.
///
/// # Errors
/// `ACCESS_DENIED`; `INVALID_INPUT` at the reference.
pub(super) async fn check_secrets(
    service: &Service,
    judge: &Judge<'_>,
    tenant: &TenantId,
    references: &[(String, SecretRef)],
) -> Result<(), ServiceError> {
    let distinct: BTreeMap<&SecretRef, &str> = references
        .iter()
        .map(|(pointer, reference)| (reference, pointer.as_str()))
        .collect();
    let limit = service.settings().max_secret_refs;
    if distinct.len() > limit as usize {
        return Err(ServiceError::invalid(
            "/spec",
            format!(
                "refers to {} secrets; at most {limit} are taken (`service.maxSecretRefs`)",
                distinct.len()
            ),
        )
        .with("limit", limit));
    }
    for (reference, pointer) in distinct {
        let own = reference.tenant() == tenant;
        if own {
            let target = Target::new(ResourceType::Secret, tenant, reference.name().as_str())
                .named(reference.name());
            judge.require(Action::SecretsUse, &target)?;
        }
        let usable = own && !crate::secrets::is_credential(reference.name());
        if !usable
            || service
                .store()
                .secret(tenant, reference.name())
                .await?
                .is_none()
        {
            return Err(ServiceError::invalid(
                format!("/spec{pointer}"),
                format!("names no secret of tenant `{tenant}`; store it with `secrets/put`, or name one that `secrets/list` lists"),
            )
            .reason("secret"));
        }
    }
    Ok(())
}
