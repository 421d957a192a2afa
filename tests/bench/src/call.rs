//! A fresh-instance `check` through the runtime, beside the same call in bare wasmtime.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use async_trait::async_trait;
use berth_domain::id::{AccountId, EntryId, IdSeed};
use berth_domain::provider::AccountView;
use berth_domain::secret::{SecretRef, SecretText};
use berth_domain::spec::Spec;
use berth_domain::time::Millis;
use berth_runtime::{
    Budget, CallScope, Exchange, JournalEntry, PortError, Ports, Priority, RateHeaders, Runtime,
    RuntimeConfig,
};
use serde_json::json;
use wasmtime::component::{Component, HasSelf, Linker};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig, Store};

use crate::Subjects;
use crate::figures::{Figures, micros, percentile};

const WARM_UP: usize = 200;
const CALLS: usize = 4_000;
const KIND: &str = "do.database.pg";

mod bare {
    //! The host's side of the interface, with nothing behind it.
    wasmtime::component::bindgen!({ path: "../../wit/provider-0.1.0", world: "provider", exports: { default: async } });
}

/// `call.*`.
pub(crate) async fn measure(subjects: &Subjects, figures: &mut Figures) -> anyhow::Result<()> {
    let spec = json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1, "version": "16"});
    let spec: Spec = spec.as_object().cloned().context("an object")?;
    let bytes = std::fs::read(&subjects.component)
        .with_context(|| format!("can't read {}", subjects.component.display()))?;
    // In turns, so that a noisy minute hits both.
    let mut ours = Vec::new();
    let mut bare = Vec::new();
    let host = Ours::start(&bytes).await?;
    let reference = Bare::start(&subjects.component).map_err(bare_failed)?;
    for turn in 0..WARM_UP + CALLS {
        let (with_us, without) = (
            host.check(&spec).await?,
            reference.check(&spec).await.map_err(bare_failed)?,
        );
        if turn >= WARM_UP {
            ours.push(with_us);
            bare.push(without);
        }
    }
    let median = percentile(&mut ours, 0.5);
    let reference = percentile(&mut bare, 0.5);
    figures.add(
        "call.fresh_us",
        micros(median),
        "us",
        format!(
            "bare wasmtime, same component, fresh instance: {:.1} us",
            micros(reference)
        ),
    );
    figures.add(
        "call.fresh_p99_us",
        micros(percentile(&mut ours, 0.99)),
        "us",
        format!("bare: {:.1} us", micros(percentile(&mut bare, 0.99))),
    );
    figures.add(
        "call.fresh_over_bare",
        micros(median) / micros(reference),
        "",
        "bare wasmtime at the median",
    );
    Ok(())
}

fn bare_failed(error: wasmtime::Error) -> anyhow::Error {
    anyhow::anyhow!("bare wasmtime: {error:?}")
}

struct Ours {
    runtime: Runtime,
    generation: Arc<berth_runtime::Generation>,
    account: AccountView,
}

impl Ours {
    async fn start(bytes: &[u8]) -> anyhow::Result<Self> {
        let nothing = Arc::new(Nothing);
        let ports = Ports {
            secrets: nothing.clone(),
            journal: nothing.clone(),
            rate: nothing.clone(),
            clock: nothing.clone(),
            entropy: nothing.clone(),
            transactions: nothing,
        };
        let runtime = Runtime::start(RuntimeConfig::default(), ports)?;
        let generation = runtime.load(bytes).await?;
        let account = AccountView {
            id: AccountId::generate(Millis(0), IdSeed([0; 10])),
            shared: true,
            previews: false,
            regions: vec!["nyc3".to_owned()],
        };
        Ok(Self {
            runtime,
            generation,
            account,
        })
    }

    async fn check(&self, spec: &Spec) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        let checked = self
            .runtime
            .check(&self.generation, &self.account, KIND, spec, None)
            .await;
        let elapsed = begun.elapsed();
        checked.map_err(|failure| anyhow::anyhow!("check failed: {failure:?}"))?;
        Ok(elapsed)
    }
}

struct Bare {
    engine: Engine,
    instances: bare::ProviderPre<Idle>,
}

impl Bare {
    fn start(component: &Path) -> wasmtime::Result<Self> {
        let mut pool = PoolingAllocationConfig::default();
        pool.max_memory_size(64 << 20)
            .linear_memory_keep_resident(0)
            .table_keep_resident(0);
        let mut config = Config::new();
        config
            .memory_reservation(64 << 20)
            .memory_guard_size(64 << 10)
            .allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
        let engine = Engine::new(&config)?;
        let component = Component::from_binary(&engine, &std::fs::read(component)?)?;
        let mut linker = Linker::new(&engine);
        bare::Provider::add_to_linker::<_, HasSelf<_>>(&mut linker, |idle: &mut Idle| idle)?;
        let instances = bare::ProviderPre::new(linker.instantiate_pre(&component)?)?;
        Ok(Self { engine, instances })
    }

    async fn check(&self, spec: &Spec) -> wasmtime::Result<Duration> {
        use bare::berth::provider::types::Account;
        let begun = Instant::now();
        let account = Account {
            id: "acc".to_owned(),
            shared: true,
            previews: false,
            regions: vec!["nyc3".to_owned()],
        };
        let text = serde_json::to_string(spec)?;
        let mut store = Store::new(&self.engine, Idle);
        let provider = self.instances.instantiate_async(&mut store).await?;
        let checked = provider
            .berth_provider_adapter()
            .call_check(&mut store, &account, KIND, &text, None)
            .await?;
        let elapsed = begun.elapsed();
        checked.map_err(|error| wasmtime::Error::msg(format!("check failed: {error:?}")))?;
        Ok(elapsed)
    }
}

/// Capabilities that are never called: `check` has none to use.
struct Idle;

impl bare::berth::provider::http::Host for Idle {
    fn send(
        &mut self,
        _: bare::berth::provider::http::Request,
    ) -> Result<bare::berth::provider::http::Response, bare::berth::provider::http::HttpError> {
        Err(bare::berth::provider::http::HttpError::Refused(
            "not here".to_owned(),
        ))
    }
}

impl bare::berth::provider::log::Host for Idle {
    fn write(
        &mut self,
        _: bare::berth::provider::log::Level,
        _: String,
        _: Vec<bare::berth::provider::log::Field>,
    ) {
    }
}

impl bare::berth::provider::clock::Host for Idle {
    fn now(&mut self) -> u64 {
        0
    }
}

impl bare::berth::provider::random::Host for Idle {
    fn bytes(&mut self, len: u32) -> Vec<u8> {
        vec![0; len as usize]
    }
}

impl bare::berth::provider::types::Host for Idle {}

/// Ports that no `check` reaches.
struct Nothing;

#[async_trait]
impl berth_runtime::Secrets for Nothing {
    async fn credential(&self, _: &AccountId) -> Result<SecretText, PortError> {
        Err(PortError::NotFound("no credentials here".to_owned()))
    }

    async fn resolve(&self, _: &CallScope, _: &SecretRef) -> Result<SecretText, PortError> {
        Err(PortError::NotFound("no secrets here".to_owned()))
    }
}

#[async_trait]
impl berth_runtime::Journal for Nothing {
    async fn before_write(&self, _: &CallScope, _: JournalEntry) -> Result<EntryId, PortError> {
        Err(PortError::Denied("nothing is written here".to_owned()))
    }

    async fn after_write(&self, _: &CallScope, _: &EntryId, _: Exchange) -> Result<(), PortError> {
        Ok(())
    }
}

impl berth_runtime::RateBudget for Nothing {
    fn take(&self, _: &AccountId, _: Priority) -> Budget {
        Budget::Go
    }

    fn observe(&self, _: &AccountId, _: &RateHeaders) {}
}

impl berth_runtime::Transactions for Nothing {
    fn holds_one(&self) -> bool {
        false
    }
}

impl berth_runtime::Clock for Nothing {
    fn now(&self) -> Millis {
        Millis(0)
    }
}

impl berth_runtime::Entropy for Nothing {
    fn fill(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}
