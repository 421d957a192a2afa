//! Opens what a call needs: the account's credential, and secrets that the row's spec names.

use std::sync::Arc;

use async_trait::async_trait;
use berth_domain::id::{AccountId, TenantId};
use berth_domain::secret::{SecretName, SecretRef, SecretText};
use berth_runtime::{CallScope, PortError};
use berth_store::{Store, StoreError};
use berth_vault::{Context, Sealed, Vault};

use crate::accounts::credential_name;
use crate::secrets::is_credential;

/// Secrets of the store, opened for one call and kept nowhere.
pub(super) struct StoredSecrets {
    store: Arc<dyn Store>,
    vault: Option<Arc<Vault>>,
}

impl StoredSecrets {
    pub(super) fn new(store: Arc<dyn Store>, vault: Option<Arc<Vault>>) -> Self {
        Self { store, vault }
    }

    async fn open(&self, tenant: &TenantId, name: &SecretName) -> Result<SecretText, PortError> {
        let vault = self.vault.as_ref().ok_or_else(|| {
            PortError::Denied(
                "this deployment has no secret store (`vault.enabled` is off)".to_owned(),
            )
        })?;
        let reference = SecretRef::new(tenant.clone(), name.clone());
        let stored = self
            .store
            .secret(tenant, name)
            .await
            .map_err(|error| away(&error))?
            .ok_or_else(|| {
                PortError::NotFound(format!(
                    "{reference} does not exist (any more); store it again, or change the spec"
                ))
            })?;
        let place = Context {
            tenant: tenant.as_str(),
            name: name.as_str(),
            version: stored.info.version,
        };
        let sealed = Sealed::from_bytes(&stored.sealed)
            .map_err(|error| PortError::Denied(format!("{reference} does not open: {error}")))?;
        let value = vault
            .open(&place, &sealed)
            .map_err(|error| PortError::Denied(format!("{reference} does not open: {error}")))?;
        let text = value
            .expose_text()
            .map_err(|error| PortError::Denied(format!("{reference} can't be sent: {error}")))?;
        Ok(SecretText::new(text.to_owned()))
    }
}

fn away(error: &StoreError) -> PortError {
    tracing::warn!(%error, "a secret can't be read for a call");
    PortError::Unavailable("the secret store does not answer; the call is tried again".to_owned())
}

#[async_trait]
impl berth_runtime::Secrets for StoredSecrets {
    async fn credential(&self, account: &AccountId) -> Result<SecretText, PortError> {
        let found = self
            .store
            .account(account)
            .await
            .map_err(|error| away(&error))?;
        let owner = found
            .ok_or_else(|| {
                PortError::NotFound(format!("account {account} does not exist (any more)"))
            })?
            .tenant_id;
        let name = credential_name(account).map_err(|error| PortError::Denied(error.message))?;
        self.open(&owner, &name).await
    }

    async fn resolve(
        &self,
        scope: &CallScope,
        reference: &SecretRef,
    ) -> Result<SecretText, PortError> {
        // Checked when the spec was written; checked again where the value leaves.
        if scope.tenant.as_ref() != Some(reference.tenant()) || is_credential(reference.name()) {
            return Err(PortError::Denied(format!(
                "{reference} is not a secret that this resource may use"
            )));
        }
        self.open(reference.tenant(), reference.name()).await
    }
}
