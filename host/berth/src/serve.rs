//! `berth serve`: puts the parts together and runs them until it is told to stop.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use berth_service::{Parts, Service, bootstrap};
use berth_store::{SqliteStore, Store};
use berth_vault::{TokenText, Vault};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::ambient::{SystemClock, SystemEntropy};
use crate::config::{Config, VaultConfig};
use crate::log::say;
use crate::master_keys::Places;
use crate::{ServeFlags, config, log};

/// How long a host that stops takes for sealing the end of its audit at most.
const SEALING: Duration = Duration::from_secs(2);

/// Runs the host.
///
/// # Errors
/// When the configuration is wrong, or a part does not start.
pub(crate) fn run(flags: &ServeFlags) -> anyhow::Result<()> {
    let config = config::load(flags)?;
    log::start(&config.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the async runtime did not start")?;
    runtime.block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<()> {
    make_private(&config.data_dir)?;
    // The address first: a host that can't listen leaves nothing behind.
    let listener = TcpListener::bind(config.listen).await.with_context(|| {
        format!(
            "can't listen on {}; is another host running there? `listen` sets another address",
            config.listen
        )
    })?;
    let address = listener.local_addr().context("no local address")?;
    let store = open_store(&config).await?;
    let vault = open_vault(&config.vault, &config.data_dir, store.as_ref()).await?;
    let root_token = config
        .root_token
        .as_deref()
        .map(parse_root_token)
        .transpose()?;
    let booted = bootstrap(store.as_ref(), &SystemClock, &SystemEntropy, root_token)
        .await
        .map_err(in_full)?;
    if let Some(token) = &booted.new_root_token {
        // Before anything else can fail: it is stored as a hash only.
        say(&format!(
            "root token (shown this once; BERTH_ROOT_TOKEN adds another at any start): {}",
            token.expose()
        ));
    }
    if let Some(vault) = &vault {
        berth_service::vault_proof::check(store.as_ref(), vault, &SystemClock, &SystemEntropy)
            .await
            .map_err(in_full)?;
    }
    let hangups = signal(SignalKind::hangup()).context("can't listen for SIGHUP")?;
    tokio::spawn(reload_keys(vault.clone(), hangups));
    let service = Arc::new(assemble(&config, store.clone(), vault, booted.deployment)?);
    service.load_plugins().await.map_err(in_full)?;
    install_configured(&service, &config.plugins).await?;

    let (stop, stopped) = watch::channel(false);
    let reconciler = tokio::spawn(berth_service::reconcile::run(
        service.clone(),
        stopped.clone(),
    ));
    let sealer = tokio::spawn(berth_service::audit::seal::run(
        service.clone(),
        stopped.clone(),
    ));
    let app = berth_api::router(service.clone(), config.api.clone());
    let api = config.api.clone();
    let server = tokio::spawn(async move { berth_api::serve(listener, app, &api, stopped).await });

    let address_file = config.data_dir.join("address");
    std::fs::write(&address_file, format!("{address}\n"))
        .with_context(|| format!("can't write {}", address_file.display()))?;
    say(&format!("listening on http://{address}"));
    tracing::info!(%address, version = env!("CARGO_PKG_VERSION"), "serving");
    asked_to_stop().await?;

    tracing::info!("stopping: no new requests; what is under way may finish");
    let _ = stop.send(true);
    let _ = std::fs::remove_file(&address_file);
    wind_down(
        reconciler,
        server,
        Duration::from_millis(config.stop_timeout_ms),
    )
    .await;
    // Nothing writes any longer: what is still unsealed is sealed with the rest.
    let _ = sealer.await;
    seal_the_rest(&service).await;
    store.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// Leaves nothing unsealed behind, unless the store keeps it from that.
async fn seal_the_rest(service: &Service) {
    match tokio::time::timeout(SEALING, service.seal_audit()).await {
        Ok(Ok(head)) => head.iter().for_each(berth_service::audit::seal::tell),
        Ok(Err(error)) => {
            tracing::warn!(cause = %in_full(error), "the end of the audit is not sealed; the next start does that");
        }
        Err(_) => tracing::warn!("the end of the audit is not sealed; the next start does that"),
    }
}

/// Waits for what is under way, for a time. A run that is cut off is like one of a killed host: the
/// next start finds out what became of it.
async fn wind_down(reconciler: JoinHandle<()>, server: JoinHandle<()>, patience: Duration) {
    let cut = (reconciler.abort_handle(), server.abort_handle());
    let both = async {
        for (part, ended) in [("reconciler", reconciler.await), ("server", server.await)] {
            if let Err(error) = ended {
                tracing::error!(part, %error, "broke off");
            }
        }
    };
    if tokio::time::timeout(patience, both).await.is_err() {
        tracing::warn!("`stopTimeoutMs` is over; what is still under way is cut off");
        cut.0.abort();
        cut.1.abort();
    }
}

fn assemble(
    config: &Config,
    store: Arc<dyn Store>,
    vault: Option<Arc<Vault>>,
    deployment: berth_store::DeploymentInfo,
) -> anyhow::Result<Service> {
    let clock: Arc<dyn berth_service::Clock> = Arc::new(SystemClock);
    let entropy: Arc<dyn berth_service::Entropy> = Arc::new(SystemEntropy);
    let ports =
        berth_service::ports::of(store.clone(), vault.clone(), clock.clone(), entropy.clone());
    let mut runtime = config.runtime.clone();
    if runtime.cache_dir.is_none() {
        let dir = config.data_dir.join("compiled");
        make_private(&dir)?;
        runtime.cache_dir = Some(dir);
    }
    let runtime = berth_runtime::Runtime::start(runtime, ports)
        .context("the plugin runtime did not start")?;
    Ok(Service::new(Parts {
        store,
        runtime: Arc::new(runtime),
        registry: Arc::new(berth_runtime::Registry::default()),
        vault,
        clock,
        entropy,
        deployment,
        settings: config.service.clone(),
    }))
}

async fn open_store(config: &Config) -> anyhow::Result<Arc<dyn Store>> {
    let config = config.store.sqlite(&config.data_dir);
    let path = config.path.display().to_string();
    let store = SqliteStore::open(config)
        .await
        .with_context(|| format!("can't open the database {path}"))?;
    Ok(Arc::new(store))
}

/// The vault with the master key in force.
async fn open_vault(
    config: &VaultConfig,
    data_dir: &Path,
    store: &dyn Store,
) -> anyhow::Result<Option<Arc<Vault>>> {
    if !config.enabled {
        return Ok(None);
    }
    let is_used = berth_service::vault_proof::exists(store)
        .await
        .map_err(in_full)?;
    let vault = Places::of(config, data_dir)?.open(is_used)?;
    Ok(Some(Arc::new(vault)))
}

/// Reads the master keys again on every SIGHUP. Nothing depends on that: a key that is needed and not known
/// is looked for by itself.
async fn reload_keys(vault: Option<Arc<Vault>>, mut asked: Signal) {
    while asked.recv().await.is_some() {
        let Some(vault) = &vault else { continue };
        match vault.reload() {
            Ok(current) => tracing::info!(%current, "read the master keys again"),
            Err(error) => {
                tracing::error!(%error, "can't read the master keys again; those that were known stay")
            }
        }
    }
}

fn parse_root_token(text: &str) -> anyhow::Result<TokenText> {
    TokenText::parse(text).context("`rootToken` (BERTH_ROOT_TOKEN) is no token")
}

async fn install_configured(service: &Service, components: &[PathBuf]) -> anyhow::Result<()> {
    for file in components {
        let bytes = std::fs::read(file)
            .with_context(|| format!("`plugins` names {}, which can't be read", file.display()))?;
        service
            .install_at_start(bytes)
            .await
            .map_err(in_full)
            .with_context(|| format!("`plugins` names {}, which was refused", file.display()))?;
    }
    Ok(())
}

fn make_private(dir: &Path) -> anyhow::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
        .with_context(|| format!("can't make the directory {}", dir.display()))
}

/// At the start the operator reads the log and the console alike: the inner text may be shown.
pub(crate) fn in_full(error: berth_service::ServiceError) -> anyhow::Error {
    match &error.internal {
        Some(text) => anyhow::anyhow!("{}: {text}", error.message),
        None => anyhow::anyhow!("{}", error.message),
    }
}

async fn asked_to_stop() -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate()).context("can't listen for SIGTERM")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("can't listen for SIGINT")?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
