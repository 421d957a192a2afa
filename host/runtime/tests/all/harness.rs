//! A host around the runtime: its ports record, its account is granted the provider on loopback.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use berth_domain::id::{AccountId, EntryId, IdSeed, ResourceId, RunId};
use berth_domain::provider::{AccountView, Observation, ParentView, Wanted};
use berth_domain::secret::{SecretRef, SecretText};
use berth_domain::time::Millis;
use berth_runtime::*;
use serde_json::{Value, json};

use crate::provider::Provider;

/// The account's credential, which must be seen nowhere but on the wire.
pub(crate) const CREDENTIAL: &str = "credential-canary-4711";
/// The time that the host's clock tells.
pub(crate) const NOW: Millis = Millis(1_700_000_000_000);
/// The provider id of the object that calls are about.
pub(crate) const OWN: &str = "own-id";

/// Ports that record.
#[derive(Default)]
pub(crate) struct Recorded {
    pub(crate) secrets: Mutex<BTreeMap<String, Result<String, PortError>>>,
    pub(crate) writes: Mutex<Vec<(JournalEntry, Option<Exchange>)>>,
    pub(crate) refuse_writes: Mutex<Option<PortError>>,
    pub(crate) credential: Mutex<Option<PortError>>,
    pub(crate) budget: Mutex<Vec<Budget>>,
    pub(crate) rate: Mutex<Vec<RateHeaders>>,
    pub(crate) in_transaction: AtomicBool,
    drawn: AtomicU64,
}

#[async_trait]
impl Secrets for Recorded {
    async fn credential(&self, _account: &AccountId) -> Result<SecretText, PortError> {
        match &*self.credential.lock().unwrap() {
            Some(error) => Err(error.clone()),
            None => Ok(SecretText::new(CREDENTIAL.to_owned())),
        }
    }

    async fn resolve(
        &self,
        _scope: &CallScope,
        reference: &SecretRef,
    ) -> Result<SecretText, PortError> {
        let known = self
            .secrets
            .lock()
            .unwrap()
            .get(&reference.to_string())
            .cloned();
        known
            .unwrap_or_else(|| {
                Err(PortError::NotFound(format!(
                    "there is no secret `{reference}`"
                )))
            })
            .map(SecretText::new)
    }
}

#[async_trait]
impl Journal for Recorded {
    async fn before_write(
        &self,
        scope: &CallScope,
        entry: JournalEntry,
    ) -> Result<EntryId, PortError> {
        assert!(scope.operation.writes());
        if let Some(error) = &*self.refuse_writes.lock().unwrap() {
            return Err(error.clone());
        }
        let mut writes = self.writes.lock().unwrap();
        writes.push((entry, None));
        let mut seed = [0; 10];
        seed[0] = u8::try_from(writes.len()).unwrap();
        Ok(EntryId::generate(NOW, IdSeed(seed)))
    }

    async fn after_write(
        &self,
        _scope: &CallScope,
        _entry: &EntryId,
        end: Exchange,
    ) -> Result<(), PortError> {
        let mut writes = self.writes.lock().unwrap();
        writes.last_mut().unwrap().1 = Some(end);
        Ok(())
    }
}

impl RateBudget for Recorded {
    fn take(&self, _account: &AccountId, _priority: Priority) -> Budget {
        self.budget.lock().unwrap().pop().unwrap_or(Budget::Go)
    }

    fn observe(&self, _account: &AccountId, headers: &RateHeaders) {
        self.rate.lock().unwrap().push(headers.clone());
    }
}

impl Transactions for Recorded {
    fn holds_one(&self) -> bool {
        self.in_transaction.load(Ordering::Relaxed)
    }
}

impl Clock for Recorded {
    fn now(&self) -> Millis {
        NOW
    }
}

impl Entropy for Recorded {
    fn fill(&self, buffer: &mut [u8]) {
        self.drawn.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        buffer.fill(7);
    }
}

pub(crate) fn component(name: &str) -> Vec<u8> {
    let folder = std::env::var_os("BERTH_COMPONENTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/components"),
        PathBuf::from,
    );
    let file = folder.join(name).with_extension("wasm");
    std::fs::read(&file)
        .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask test` builds it", file.display()))
}

/// A runtime with the hostile guest loaded.
pub(crate) struct Host {
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) ports: Arc<Recorded>,
    pub(crate) provider: Provider,
    pub(crate) generation: Arc<Generation>,
    pub(crate) grant: Arc<AccountGrant>,
}

pub(crate) fn ports(recorded: &Arc<Recorded>) -> Ports {
    Ports {
        secrets: recorded.clone(),
        journal: recorded.clone(),
        rate: recorded.clone(),
        clock: recorded.clone(),
        entropy: recorded.clone(),
        transactions: recorded.clone(),
    }
}

pub(crate) fn grant_config(base: &str) -> GrantConfig {
    serde_json::from_value(json!({
        "endpoints": [{"origin": "https://api.hostile.test", "baseUrl": base}],
        "allowPrivateNetwork": true, "allowPlainHttp": true
    }))
    .unwrap()
}

impl Host {
    pub(crate) async fn start() -> Self {
        Self::with(Limits::default()).await
    }

    pub(crate) async fn with(limits: Limits) -> Self {
        let recorded = Arc::new(Recorded::default());
        // Slots are address space, and many hosts run side by side here.
        let limits = Limits {
            concurrent_calls: limits.concurrent_calls.min(16),
            ..limits
        };
        let config = RuntimeConfig {
            guest_threads: 2,
            cache_dir: Some(std::env::temp_dir().join("berth-runtime-tests")),
            limits,
        };
        let runtime = Arc::new(Runtime::start(config, ports(&recorded)).unwrap());
        let provider = Provider::start().await;
        let generation = runtime.load(&component("guest-hostile")).await.unwrap();
        let grant = AccountGrant::build(
            generation.manifest(),
            &grant_config(&provider.base),
            runtime.limits(),
        )
        .unwrap();
        Self {
            runtime,
            ports: recorded,
            provider,
            generation,
            grant: Arc::new(grant),
        }
    }

    pub(crate) fn call(&self) -> Call {
        Call {
            account: account(),
            grant: self.grant.clone(),
            tenant: Some("acme".parse().unwrap()),
            resource: Some(resource_id()),
            run: Some(RunId::generate(NOW, IdSeed([2; 10]))),
            request: None,
            lease: Some(1),
            priority: Priority::User,
        }
    }

    /// Observes the own object by this script.
    pub(crate) async fn observe(&self, script: Value) -> Outcome<Observation> {
        self.runtime
            .observe(&self.generation, self.call(), wanted(script))
            .await
    }

    /// What the script of an observe reported.
    pub(crate) async fn report(&self, steps: Value) -> Value {
        report(&self.observe(json!({"steps": steps})).await.result.unwrap())
    }

    /// What one request of an observe came to.
    pub(crate) async fn sent(&self, method: &str, url: &str) -> Value {
        self.report(json!([{"send": {"method": method, "url": url}}]))
            .await[0]
            .clone()
    }
}

pub(crate) fn account() -> AccountView {
    AccountView {
        id: AccountId::generate(NOW, IdSeed([1; 10])),
        shared: true,
        previews: false,
        regions: Vec::new(),
    }
}

fn resource_id() -> ResourceId {
    ResourceId::generate(NOW, IdSeed([3; 10]))
}

/// The own object, known at the provider, with a script in its spec.
pub(crate) fn wanted(script: Value) -> Wanted {
    Wanted {
        id: resource_id(),
        kind: "hostile.db".to_owned(),
        name: "bc-r-own".to_owned(),
        spec: json!({"script": script}).as_object().unwrap().clone(),
        labels: Vec::new(),
        provider_id: Some(OWN.to_owned()),
        parent: None,
        instances: Vec::new(),
        networks: Vec::new(),
        memo: None,
    }
}

/// The same, not yet known at the provider.
pub(crate) fn unknown(script: Value) -> Wanted {
    Wanted {
        provider_id: None,
        ..wanted(script)
    }
}

/// A user of the own database.
pub(crate) fn user(script: Value) -> Wanted {
    let parent = ParentView {
        kind: "hostile.db".to_owned(),
        provider_id: OWN.to_owned(),
        name: "bc-r-own".to_owned(),
        outputs: serde_json::Map::new(),
    };
    Wanted {
        kind: "hostile.db.user".to_owned(),
        name: "app".to_owned(),
        provider_id: Some("app".to_owned()),
        parent: Some(parent),
        ..wanted(script)
    }
}

pub(crate) fn report(observation: &Observation) -> Value {
    serde_json::from_str(observation.outputs["report"].as_str().unwrap()).unwrap()
}

/// One request as a script's step.
pub(crate) fn send(method: &str, path: &str, body: Value) -> Value {
    json!({"send": {"method": method, "url": format!("https://api.hostile.test{path}"), "body": body}})
}

pub(crate) fn get(path: &str) -> Value {
    json!({"send": {"method": "GET", "url": format!("https://api.hostile.test{path}")}})
}

/// Headers of a report's entry by name.
pub(crate) fn headers(entry: &Value) -> HashMap<String, String> {
    serde_json::from_value::<Vec<(String, String)>>(entry["headers"].clone())
        .unwrap()
        .into_iter()
        .collect()
}
