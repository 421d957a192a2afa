//! Between the vault and the store: values are sealed for their place, and opened there alone.

use berth_domain::id::TenantId;
use berth_domain::secret::{SecretName, SecretText};
use berth_store::{NewSecret, SealedSecret, SecretChange, StoreError};
use berth_vault::{Context, Sealed, SecretBytes, Vault, VaultError};
use serde_json::json;

use crate::attempt::Attempt;
use crate::vault_rotation::take_newer_key;
use crate::{Code, Service, ServiceError};

/// How often a value is sealed again because another version came first.
const TRIES: u32 = 8;

fn vault(service: &Service) -> Result<&Vault, ServiceError> {
    service.vault().map(|vault| &**vault).ok_or_else(|| {
        ServiceError::new(
            Code::Unsupported,
            "this deployment has no secret store (`vault.enabled` is off)",
        )
        .reason("secretStore")
    })
}

/// Seals a value as the next version of a secret; answers with that version. The audit is written with it,
/// unless whoever asks writes it with what the secret is for.
///
/// # Errors
/// `UNSUPPORTED` without a secret store; `INVALID_INPUT` for a value that is too large.
pub(crate) async fn seal(
    service: &Service,
    audit: Option<&Attempt<'_>>,
    tenant: &TenantId,
    name: &SecretName,
    value: &SecretText,
) -> Result<u64, ServiceError> {
    let store = service.store();
    seal_until_stored(service, tenant, name, value, |secret| async move {
        let version = secret.version;
        let audit = audit.map(|attempt| attempt.done(secret.at, json!({"version": version})));
        Ok(
            match store.put_secret(secret, audit.unwrap_or_default()).await? {
                SecretChange::Stored => Sealing::Stored(version),
                SecretChange::Stale(stored) => Sealing::Stale(stored),
                SecretChange::KeyRetired => Sealing::KeyRetired,
            },
        )
    })
    .await
}

/// What became of a sealed value.
pub(crate) enum Sealing<T> {
    /// It was stored.
    Stored(T),
    /// Another write came first: it must be sealed for the version after this one.
    Stale(u64),
    /// Its key was retired: it must be sealed with the one in force.
    KeyRetired,
}

/// Seals a value for the next version of a secret and has it stored, as often as others come first.
///
/// # Errors
/// As [`seal`], and what storing fails with.
pub(crate) async fn seal_until_stored<T, F>(
    service: &Service,
    tenant: &TenantId,
    name: &SecretName,
    value: &SecretText,
    store: impl Fn(NewSecret) -> F,
) -> Result<T, ServiceError>
where
    F: Future<Output = Result<Sealing<T>, ServiceError>>,
{
    let vault = vault(service)?;
    let plain = SecretBytes::new(value.expose().as_bytes().to_vec());
    let current = service.store().secret(tenant, name).await?;
    let mut version = current.map_or(0, |current| current.info.version) + 1;
    for _ in 0..TRIES {
        let place = Context {
            tenant: tenant.as_str(),
            name: name.as_str(),
            version,
        };
        let sealed = vault
            .seal(&place, &plain, &mut |bytes| service.entropy().fill(bytes))
            .map_err(|error| not_sealed(&error))?;
        let secret = NewSecret {
            tenant: tenant.clone(),
            name: name.clone(),
            version,
            sealed: sealed.to_bytes(),
            resource: None,
            at: service.now(),
        };
        match store(secret).await? {
            Sealing::Stored(answer) => return Ok(answer),
            Sealing::Stale(stored) => version = stored + 1,
            Sealing::KeyRetired => take_newer_key(service.store().as_ref(), vault)
                .await
                .map_err(no_newer_key)?,
        }
    }
    Err(ServiceError::new(
        Code::Unavailable,
        "others kept writing the same secret; nothing was stored: try again",
    )
    .with("retryAfterMs", 1_000))
}

fn no_newer_key(error: StoreError) -> ServiceError {
    let mut refusal = ServiceError::new(
        Code::Unavailable,
        "the host can't seal secrets right now, for its master key was replaced; nothing was stored: ask the operator to look at the host's log",
    );
    refusal.internal = Some(error.to_string());
    refusal
}

fn not_sealed(error: &VaultError) -> ServiceError {
    match error {
        VaultError::TooLarge { limit, .. } => {
            ServiceError::invalid("/value", error.to_string()).with("limit", *limit)
        }
        other => ServiceError::internal(format!("a secret was not sealed: {other}")),
    }
}

/// Opens a stored secret.
///
/// # Errors
/// `UNSUPPORTED` without a secret store; `INTERNAL` for one that does not open, with the cause in the log.
pub(crate) fn open(service: &Service, stored: &SealedSecret) -> Result<SecretText, ServiceError> {
    let reference = &stored.info.reference;
    let place = Context {
        tenant: reference.tenant().as_str(),
        name: reference.name().as_str(),
        version: stored.info.version,
    };
    let fault = |text: String| ServiceError::internal(format!("{reference} does not open: {text}"));
    let sealed = Sealed::from_bytes(&stored.sealed).map_err(|error| fault(error.to_string()))?;
    let opened = vault(service)?
        .open(&place, &sealed)
        .map_err(|error| fault(error.to_string()))?;
    let text = opened
        .expose_text()
        .map_err(|error| fault(error.to_string()))?;
    Ok(SecretText::new(text.to_owned()))
}
