//! Rotating the master key: everything that is sealed with other keys is sealed with the one in force.
//!
//! The order makes it safe beside running hosts, and to break off anywhere. The new key is where every host
//! reads its keys before anything is sealed with it; a host that meets a secret of a key it does not have reads
//! its keys again. Then the old keys are retired: the store takes nothing more that is sealed with them, and a
//! host that is refused reads its keys again and seals anew. Only then are the stored secrets walked, so that
//! after the walk nothing is sealed with an old key, or ever will be.

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::TenantId;
use berth_domain::secret::SecretRef;
use berth_store::{Resealed, SealedSecret, Store, StoreError};
use berth_vault::{Context, KeyId, MasterKey, Sealed, Vault};
use serde_json::{Value, json};

use crate::{Clock, Entropy, ServiceError};

/// Secrets that are sealed again in one write.
const BATCH: u32 = 100;
/// Names of secrets that do not open which are told at most.
const TOLD_MAX: usize = 20;

/// What became of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walked {
    /// Secrets that were sealed again.
    pub resealed: u64,
    /// Those that open with none of the keys, and so stay as they are.
    pub unopened: u64,
    /// The first of them.
    pub named: Vec<SecretRef>,
}

/// Reads the vault's keys again because one that sealed was retired. Of many who are refused at once the first
/// changes the key, and the others find it changed.
pub(crate) async fn take_newer_key(store: &dyn Store, vault: &Vault) -> Result<(), StoreError> {
    let before = vault.key_id();
    let current = vault.reload().map_err(|error| {
        StoreError::Unavailable(format!(
            "a master key was retired by a rotation, and the keys can't be read again: {error}"
        ))
    })?;
    if store.is_retired(*current.as_bytes()).await? {
        return Err(StoreError::Unavailable(format!(
            "the master key {current} was retired by a rotation, and this host's keys have no newer one: give it the key file as `berth vault rotate` left it"
        )));
    }
    if current != before {
        tracing::info!(retired = %before, %current, "the master key was rotated; the new one seals from now on");
    }
    Ok(())
}

/// Which keys seal how many secrets.
///
/// # Errors
/// When the store fails.
pub async fn usage(store: &dyn Store) -> Result<Vec<(KeyId, u64)>, ServiceError> {
    let usage = store.key_usage().await?;
    Ok(usage
        .into_iter()
        .map(|(key, count)| (KeyId::from_bytes(key), count))
        .collect())
}

/// Retires every key of the vault but the one in force.
///
/// # Errors
/// When the store fails.
pub async fn retire(
    store: &dyn Store,
    vault: &Vault,
    clock: &dyn Clock,
) -> Result<(), ServiceError> {
    let keys = vault.keys();
    let ids = || keys.previous().iter().map(MasterKey::key_id);
    let mut fresh = Vec::new();
    for id in ids() {
        if !store.is_retired(*id.as_bytes()).await? {
            fresh.push(id);
        }
    }
    if fresh.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = fresh.iter().map(ToString::to_string).collect();
    let audit = row(
        clock,
        json!({"current": vault.key_id().to_string(), "retired": names}),
    );
    let keys = fresh.iter().map(|id| *id.as_bytes()).collect();
    Ok(store.retire_keys(keys, clock.now(), audit).await?)
}

/// Seals everything again that is sealed with another key than the one in force, in small writes that leave
/// room for others. What is written meanwhile is sealed with the key in force already, if others are retired.
///
/// # Errors
/// When the store fails; what was sealed again until then stays so.
pub async fn reseal(
    store: &dyn Store,
    vault: &Vault,
    clock: &dyn Clock,
    entropy: &dyn Entropy,
) -> Result<Walked, ServiceError> {
    let current = *vault.key_id().as_bytes();
    let mut walked = Walked::default();
    let mut after: Option<SecretRef> = None;
    loop {
        let found = store
            .sealed_otherwise(current, after.as_ref(), BATCH)
            .await?;
        let Some(last) = found.last() else { break };
        after = Some(last.info.reference.clone());
        let mut again = Vec::with_capacity(found.len());
        for secret in found {
            match rewrap(vault, &secret, entropy) {
                Ok(sealed) => again.push(Resealed {
                    reference: secret.info.reference,
                    was: secret.sealed,
                    sealed,
                }),
                Err(why) => {
                    let reference = secret.info.reference;
                    tracing::error!(%reference, why, "a secret could not be sealed again");
                    walked.unopened += 1;
                    if walked.named.len() < TOLD_MAX {
                        walked.named.push(reference);
                    }
                }
            }
        }
        fail::fail_point!("vault::before-reseal");
        walked.resealed += store.reseal(again).await?;
        fail::fail_point!("vault::after-reseal");
    }
    if walked.resealed > 0 {
        let detail = json!({"current": vault.key_id().to_string(), "resealed": walked.resealed, "unopened": walked.unopened});
        store.append_audit(row(clock, detail)).await?;
    }
    Ok(walked)
}

fn rewrap(vault: &Vault, secret: &SealedSecret, entropy: &dyn Entropy) -> Result<Vec<u8>, String> {
    let reference = &secret.info.reference;
    let place = Context {
        tenant: reference.tenant().as_str(),
        name: reference.name().as_str(),
        version: secret.info.version,
    };
    let sealed = Sealed::from_bytes(&secret.sealed).map_err(|error| error.to_string())?;
    // Opened as well: a value that is damaged must not pass for one that was rotated.
    vault
        .open(&place, &sealed)
        .and_then(|_| vault.rewrap(&place, &sealed, &mut |bytes| entropy.fill(bytes)))
        .map(|sealed| sealed.to_bytes())
        .map_err(|error| error.to_string())
}

fn row(clock: &dyn Clock, detail: Value) -> Vec<AuditRow> {
    vec![AuditRow {
        at: clock.now(),
        request_id: None,
        principal_id: None,
        tenant_id: TenantId::root(),
        action: "vault:rotate".to_owned(),
        resource: "compute-tenant/root".to_owned(),
        outcome: AuditOutcome::Done,
        detail,
    }]
}
