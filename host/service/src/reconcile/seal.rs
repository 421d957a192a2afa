//! Sealing what a provider hands out.

use berth_domain::provider::{Observation, SecretOutput};
use berth_domain::resource::{Message, Reason, Resource};
use berth_domain::secret::SecretName;
use berth_store::{NewSecret, StoreError};
use berth_vault::{Context, Sealed, SecretBytes, Vault};

use crate::Service;

/// Without a secret store there is nowhere to keep secrets: they are dropped before anything sees
/// them, so that no reference is shown to what is not kept.
pub(super) fn drop_without_vault(service: &Service, seen: &mut Observation) {
    if service.vault().is_none() && !seen.secret_outputs.is_empty() {
        tracing::error!(
            "the provider hands out secrets and `vault.enabled` is false: they are dropped"
        );
        seen.secret_outputs.clear();
    }
}

/// Seals the values that differ from those that are sealed already. One that can't be sealed loses
/// its reference and the row says so: everything else that was learnt is stored all the same.
pub(super) async fn seal(
    service: &Service,
    row: &mut Resource,
    outputs: Vec<SecretOutput>,
) -> Result<Vec<NewSecret>, StoreError> {
    let Some(vault) = service.vault() else {
        return Ok(Vec::new());
    };
    let mut sealed = Vec::new();
    for output in outputs {
        match seal_one(service, vault, row, &output).await? {
            Ok(secret) => sealed.extend(secret),
            Err(why) => {
                tracing::error!(output = output.name, why, "a secret output was not sealed");
                row.secret_outputs.remove(&output.name);
                let text = format!("its secret output {} was not kept: {why}", output.name);
                row.message.get_or_insert(Message::new(Reason::Host, text));
            }
        }
    }
    Ok(sealed)
}

async fn seal_one(
    service: &Service,
    vault: &Vault,
    row: &Resource,
    output: &SecretOutput,
) -> Result<Result<Option<NewSecret>, String>, StoreError> {
    let name = SecretName::of_output(&row.id, &output.name);
    let value = SecretBytes::from(output.value.expose().to_owned());
    let current = service.store().secret(&row.tenant, &name).await?;
    let place = |version| Context {
        tenant: row.tenant.as_str(),
        name: name.as_str(),
        version,
    };
    if let Some(current) = &current {
        let opened = Sealed::from_bytes(&current.sealed)
            .ok()
            .and_then(|bytes| vault.open(&place(current.info.version), &bytes).ok());
        // One that does not open any more is replaced by the one that the provider shows.
        if opened.is_some_and(|opened| opened == value) {
            return Ok(Ok(None));
        }
    }
    let version = current.map_or(0, |current| current.info.version) + 1;
    let sealed = vault.seal(&place(version), &value, &mut |bytes| {
        service.entropy().fill(bytes);
    });
    Ok(sealed
        .map(|sealed| {
            Some(NewSecret {
                tenant: row.tenant.clone(),
                name: name.clone(),
                version,
                sealed: sealed.to_bytes(),
                resource: Some(row.id.clone()),
                at: service.now(),
            })
        })
        .map_err(|error| error.to_string()))
}
