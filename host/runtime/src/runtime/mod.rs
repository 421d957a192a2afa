//! The runtime: loads components and calls them.

mod calls;
mod errand;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use berth_domain::manifest::validate;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use wasmtime::Store;

use crate::bindings::berth::provider::types as wit;
use crate::bindings::{Provider, ProviderPre};
use crate::call::{CallFailure, CallState, Findings, Granted, HeldLog, Slots, Speaker, Stage};
use crate::capability;
use crate::convert;
use crate::engine;
use crate::limits::{Limits, RuntimeConfig};
use crate::load::{self, Digest, Generation, LoadError, WorldFault};
use crate::ports::Ports;

/// Why the runtime can't start.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// A setting can't work.
    #[error("`runtime.limits.{setting}`: {text}")]
    Limit {
        /// The setting.
        setting: &'static str,
        /// What is wrong with it.
        text: String,
    },
    /// No thread to run guests.
    #[error("`runtime.guestThreads` must be 1 to 1024")]
    Threads,
    /// It was started outside of tokio.
    #[error("the runtime must be started within a tokio runtime, which drives its requests")]
    NoTokio,
    /// The engine refuses its settings.
    #[error("the WebAssembly engine can't be set up with these limits: {0}")]
    Engine(String),
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// Loads components and calls them. Cheap to share behind an [`Arc`].
pub struct Runtime {
    stage: Stage,
    io: Handle,
    cache_dir: Option<PathBuf>,
    guests: Option<tokio::runtime::Runtime>,
}

impl Runtime {
    /// Sets up the engine, its ticker and the threads that run guests. Requests of guests are driven
    /// by the tokio runtime from which this is called.
    ///
    /// # Errors
    /// When a limit can't work or a thread can't be started.
    pub fn start(config: RuntimeConfig, ports: Ports) -> Result<Self, RuntimeError> {
        if let Some((setting, text)) = config.limits.unusable() {
            return Err(RuntimeError::Limit { setting, text });
        }
        if !(1..=1024).contains(&config.guest_threads) {
            return Err(RuntimeError::Threads);
        }
        let io = Handle::try_current().map_err(|_| RuntimeError::NoTokio)?;
        let engine = engine::build(&config.limits)
            .map_err(|error| RuntimeError::Engine(format!("{:#}", error)))?;
        engine::start_ticker(&engine)?;
        let guests = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(config.guest_threads)
            .thread_name("berth-guest")
            .enable_all()
            .build()?;
        let limits = Arc::new(config.limits);
        let stage = Stage {
            engine,
            guests: guests.handle().clone(),
            slots: Arc::new(Slots::new(&limits)),
            limits,
            ports,
        };
        Ok(Self {
            stage,
            io,
            cache_dir: config.cache_dir,
            guests: Some(guests),
        })
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.stage.limits
    }

    /// Compiles a component, checks its world, asks it what it is, and checks every rule of that.
    ///
    /// # Errors
    /// The first of these that fails, with what would be right.
    pub async fn load(&self, bytes: &[u8]) -> Result<Arc<Generation>, LoadError> {
        let limit = self.stage.limits.component_bytes;
        if bytes.len() > limit {
            return Err(LoadError::TooLarge {
                bytes: bytes.len(),
                limit,
            });
        }
        load::sniff(bytes)?;
        let digest = Digest::of(bytes);
        let pre = self.prepare(bytes.to_vec(), digest.clone()).await?;
        let share = Arc::new(Semaphore::new(
            usize::try_from(self.stage.limits.concurrent_calls_per_plugin).unwrap_or(usize::MAX),
        ));
        let described = self
            .describe(&share, pre.clone(), &digest)
            .await
            .map_err(LoadError::Describe)?;
        let manifest = convert::manifest(described).map_err(LoadError::Manifest)?;
        validate(&manifest).map_err(LoadError::Manifest)?;
        Generation::new(digest, manifest, pre, share)
            .map(Arc::new)
            .map_err(LoadError::Manifest)
    }

    /// Compiles and links, off the threads that serve requests.
    async fn prepare(
        &self,
        bytes: Vec<u8>,
        digest: Digest,
    ) -> Result<ProviderPre<CallState>, LoadError> {
        let engine = self.stage.engine.clone();
        let cache = self.cache_dir.clone();
        let prepared = self.io.spawn_blocking(move || {
            let component = load::compile(&engine, &bytes, &digest, cache.as_deref())?;
            let faults = load::check_world(&component, &engine);
            if !faults.is_empty() {
                return Err(LoadError::World(faults));
            }
            let with_wasi = load::wants_wasi(&component, &engine);
            let linker = capability::linker(&engine, with_wasi)
                .map_err(|error| LoadError::Host(format!("{:#}", error)))?;
            // Names fit by now: what is left is a function of another type.
            let mistyped = |error: wasmtime::Error| {
                LoadError::World(vec![WorldFault::new(format!(
                    "a function has another type than in `wit/provider-0.1.0`: {:#}",
                    error
                ))])
            };
            linker
                .instantiate_pre(&component)
                .and_then(ProviderPre::new)
                .map_err(mistyped)
        });
        prepared
            .await
            .map_err(|error| LoadError::Host(error.to_string()))?
    }

    async fn describe(
        &self,
        share: &Arc<Semaphore>,
        pre: ProviderPre<CallState>,
        digest: &Digest,
    ) -> Result<wit::Manifest, CallFailure> {
        let granted = self.pure_grant();
        let log = granted.log.clone();
        let entry = |provider: Provider, mut store: Store<CallState>| async move {
            provider
                .berth_provider_adapter()
                .call_describe(&mut store)
                .await
        };
        let described = self.stage.run(share, pre, granted, entry).await;
        let speaker = Speaker {
            plugin: "being installed",
            generation: digest.as_str(),
            function: "describe",
            kind: None,
            scope: None,
        };
        HeldLog::publish(&log, &Findings::default().everything(), &speaker);
        described
    }

    /// What a call gets that sends nothing and stands in the path of a request.
    fn pure_grant(&self) -> Granted {
        let limits = &self.stage.limits;
        Granted {
            http: None,
            log: HeldLog::sink(limits.log_bytes, limits.log_lines),
            wall: (Duration::from_millis(limits.check_wall_ms), "checkWallMs"),
        }
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // Dropping a tokio runtime where one runs would panic; its guests are cut off instead.
        if let Some(guests) = self.guests.take() {
            guests.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Runtime(…)")
    }
}
