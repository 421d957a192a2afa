//! Proves at the start that the master key is the one that the stored secrets were sealed with.
//!
//! A value of no worth is sealed beside the others at the first start; a vault that does not open it
//! opens none of them.

use berth_domain::id::TenantId;
use berth_domain::secret::SecretName;
use berth_store::{NewSecret, Store};
use berth_vault::{Context, Sealed, SecretBytes, Vault};

use crate::{Clock, Code, Entropy, ServiceError};

/// Where it stands in the store of the root tenant.
const NAME: &str = "deployment/master-key-proof";
const VALUE: &[u8] = b"opened with the right master key";

fn name() -> Result<SecretName, ServiceError> {
    NAME.parse()
        .map_err(|error| ServiceError::internal(format!("{NAME} is no name: {error}")))
}

/// Whether this store was used with a vault before.
///
/// # Errors
/// When the store fails.
pub async fn exists(store: &dyn Store) -> Result<bool, ServiceError> {
    Ok(store.secret(&TenantId::root(), &name()?).await?.is_some())
}

/// A key that opens everything may still be one that nothing is sealed with any more.
async fn must_be_in_force(store: &dyn Store, vault: &Vault) -> Result<(), ServiceError> {
    let key = vault.key_id();
    if store.is_retired(*key.as_bytes()).await? {
        return Err(ServiceError::new(
            Code::Unsupported,
            format!(
                "the master key {key} was retired by a rotation and seals nothing any more; start with the key file as `berth vault rotate` left it"
            ),
        ));
    }
    Ok(())
}

/// Opens the proof, or seals it at the first start.
///
/// # Errors
/// `UNSUPPORTED` when the vault's keys do not open it; when the store fails.
pub async fn check(
    store: &dyn Store,
    vault: &Vault,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<(), ServiceError> {
    let (root, name) = (TenantId::root(), name()?);
    let place = |version| Context {
        tenant: root.as_str(),
        name: name.as_str(),
        version,
    };
    if let Some(stored) = store.secret(&root, &name).await? {
        let opened = Sealed::from_bytes(&stored.sealed)
            .map_err(|error| error.to_string())
            .and_then(|sealed| {
                vault
                    .open(&place(stored.info.version), &sealed)
                    .map_err(|error| error.to_string())
            });
        return match opened {
            Ok(_) => must_be_in_force(store, vault).await,
            Err(text) => Err(ServiceError::new(
                Code::Unsupported,
                format!(
                    "the master key does not open the secrets of this database ({text}); start with the key that sealed them, or name it in `vault.previousKeyFiles`"
                ),
            )),
        };
    }
    let sealed = vault
        .seal(&place(1), &SecretBytes::new(VALUE.to_vec()), &mut |bytes| {
            entropy.fill(bytes)
        })
        .map_err(|error| {
            ServiceError::internal(format!(
                "the proof of the master key was not sealed: {error}"
            ))
        })?;
    let secret = NewSecret {
        tenant: root,
        name,
        version: 1,
        sealed: sealed.to_bytes(),
        resource: None,
        at: clock.now(),
    };
    // Another host that starts at this moment may have been first; its proof is checked at the next start.
    store.put_secret(secret, Vec::new()).await?;
    Ok(())
}
