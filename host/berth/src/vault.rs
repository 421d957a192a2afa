//! `berth vault`: the master key that secrets are sealed with.

use std::sync::Arc;

use anyhow::Context as _;
use berth_service::{Entropy as _, ServiceError, vault_proof, vault_rotation};
use berth_store::{SqliteStore, Store};
use berth_vault::{KeyFile, MasterKey, MasterKeys, Vault};
use clap::{Args, Subcommand};

use crate::ambient::{SystemClock, SystemEntropy};
use crate::config::Config;
use crate::log::say;
use crate::master_keys::Places;
use crate::{ServeFlags, config};

/// `berth vault …`.
#[derive(Debug, Args)]
pub(crate) struct VaultCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Replaces the master key: makes a new one, seals every secret with it, and takes the old one out of force.
    ///
    /// Hosts may run meanwhile and notice nothing: they read the key file again when they need the new key. Killed
    /// anywhere, the command goes on where it was when it is run again. At its end the old key lies beside the key
    /// file, named by its id: keep it as long as you keep backups of the database from before.
    Rotate {
        #[command(flatten)]
        flags: ServeFlags,
    },
    /// Seals every secret with the key in force that another key sealed, where keys are not in a file.
    ///
    /// For a key in `vault.masterKey`: have every host know the new key through `vault.previousKeyFiles` first, then
    /// set it as `vault.masterKey` and name the old one there, again on every host, then run this.
    Reseal {
        #[command(flatten)]
        flags: ServeFlags,
    },
    /// Says which keys there are, which is in force, and how many secrets each has sealed.
    Status {
        #[command(flatten)]
        flags: ServeFlags,
    },
}

/// Runs the command.
///
/// # Errors
/// When a key is wrong, or something does not open.
pub(crate) fn run(command: &VaultCommand) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")?;
    runtime.block_on(async {
        match &command.action {
            Action::Rotate { flags } => rotate(&config::load(flags)?).await,
            Action::Reseal { flags } => reseal(&config::load(flags)?).await,
            Action::Status { flags } => status(&config::load(flags)?).await,
        }
    })
}

fn places(config: &Config) -> anyhow::Result<Places> {
    anyhow::ensure!(
        config.vault.enabled,
        "this deployment has no secret store (`vault.enabled` is off), so no master key"
    );
    Places::of(&config.vault, &config.data_dir)
}

async fn rotate(config: &Config) -> anyhow::Result<()> {
    let places = places(config)?;
    let path = places.file().context(
        "the key is in `vault.masterKey`, which only you can change; `berth vault reseal --help` says how",
    )?;
    let store = open(config).await?;
    let file = KeyFile::lock(path)?;
    let mut keys = file.read()?;
    let is_resumed = !keys.previous().is_empty();
    let old = places.previous_keys().context("`vault.previousKeyFiles`")?;
    must_fit(store.as_ref(), &with(&keys, &old)).await?;
    if is_resumed {
        say("going on with the rotation that was begun before");
    } else {
        let new = MasterKey::generate(&mut |bytes| SystemEntropy.fill(bytes));
        keys = keys.succeeded_by(new);
        fail::fail_point!("vault::before-key");
        file.replace(&keys)?;
    }
    let current = keys.current().key_id();
    say(&format!("the new master key is {current}"));
    fail::fail_point!("vault::after-key");
    seal_all(store.as_ref(), &with(&keys, &old)).await?;

    let alone = MasterKeys::new(keys.current().clone(), Vec::new());
    must_fit(store.as_ref(), &Vault::of(alone.clone())).await?;
    fail::fail_point!("vault::before-drop");
    for key in keys.previous() {
        let aside = file.lay_aside(key)?;
        say(&format!(
            "the old master key {} is in {} now: keep it as long as you keep backups of the database from before, then delete it",
            key.key_id(),
            aside.display()
        ));
    }
    file.replace(&alone)?;
    store.close().await;
    Ok(())
}

async fn reseal(config: &Config) -> anyhow::Result<()> {
    let vault = Vault::of(places(config)?.read_for_people()?);
    let store = open(config).await?;
    must_fit(store.as_ref(), &vault).await?;
    seal_all(store.as_ref(), &vault).await?;
    store.close().await;
    say(
        "the keys in `vault.previousKeyFiles` open nothing any more that is stored; take them out of the configuration",
    );
    Ok(())
}

async fn status(config: &Config) -> anyhow::Result<()> {
    let keys = places(config)?.read_for_people()?;
    let store = SqliteStore::open_to_read(&config.store.sqlite(&config.data_dir))?;
    let mut usage = vault_rotation::usage(&store).await.map_err(in_full)?;
    store.close().await;
    let mut take = |id| {
        let at = usage.iter().position(|(key, _)| *key == id);
        at.map_or(0, |at| usage.swap_remove(at).1)
    };
    let current = keys.current().key_id();
    say(&format!(
        "{current} in force, seals {} secrets",
        take(current)
    ));
    for key in keys.previous() {
        let id = key.key_id();
        say(&format!("{id} opens, seals {} secrets", take(id)));
    }
    for (id, count) in usage {
        say(&format!("{id} is not known here, seals {count} secrets"));
    }
    Ok(())
}

/// Retires every key but the one in force and seals everything with that.
async fn seal_all(store: &dyn Store, vault: &Vault) -> anyhow::Result<()> {
    vault_rotation::retire(store, vault, &SystemClock)
        .await
        .map_err(in_full)?;
    fail::fail_point!("vault::after-retire");
    let walked = vault_rotation::reseal(store, vault, &SystemClock, &SystemEntropy)
        .await
        .map_err(in_full)?;
    say(&format!("{} secrets are sealed anew", walked.resealed));
    if walked.unopened == 0 {
        return Ok(());
    }
    let named: Vec<String> = walked.named.iter().map(ToString::to_string).collect();
    anyhow::bail!(
        "{} secrets open with none of the keys, and the old keys stay where they are: {}; write these secrets again or delete them, or add the key that sealed them to `vault.previousKeyFiles`, then run this again",
        walked.unopened,
        named.join(", ")
    )
}

/// A key that does not open what is stored must not seal anything there.
async fn must_fit(store: &dyn Store, vault: &Vault) -> anyhow::Result<()> {
    let is_used = vault_proof::exists(store).await.map_err(in_full)?;
    anyhow::ensure!(
        is_used,
        "nothing is sealed in this database yet; start the host once"
    );
    vault_proof::check(store, vault, &SystemClock, &SystemEntropy)
        .await
        .map_err(in_full)
}

fn with(keys: &MasterKeys, more: &[MasterKey]) -> Vault {
    let mut keys = keys.clone();
    keys.keep(more.iter().cloned());
    Vault::of(keys)
}

async fn open(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let config = config.store.sqlite(&config.data_dir);
    anyhow::ensure!(
        config.path.is_file(),
        "there is no database at {}; name the data directory, or the file in `store.path`",
        config.path.display()
    );
    Ok(Arc::new(SqliteStore::open(config).await?))
}

fn in_full(error: ServiceError) -> anyhow::Error {
    crate::serve::in_full(error)
}
