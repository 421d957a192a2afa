//! A service on a real SQLite store, a real vault and the real component, without any network.

mod calls;
mod rows;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use berth_domain::id::{AccountId, PoolId, PrincipalId, TenantId};
use berth_domain::time::Millis;
use berth_runtime::{Limits, Registry, Runtime, RuntimeConfig};
use berth_service::{
    Caller, Clock, Code, Entropy, Parts, Service, ServiceError, Settings, accounts, bootstrap,
    offers, plugins, policies, pools, ports, principals, secrets, tenants,
};
use berth_store::{SqliteConfig, SqliteStore, Store};
use berth_vault::{MasterKey, TokenText, Vault};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// A clock that tests move. It moves by itself a little with every look, so that rows have an order.
pub(crate) struct TestClock(AtomicI64);

impl TestClock {
    pub(crate) fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Millis {
        Millis(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

/// Bytes that differ each time and are the same in every run of a test.
#[derive(Default)]
struct TestEntropy(AtomicU64);

impl Entropy for TestEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(32) {
            let count = self.0.fetch_add(1, Ordering::SeqCst);
            let hash = Sha256::digest(count.to_be_bytes());
            chunk.copy_from_slice(&hash[..chunk.len()]);
        }
    }
}

/// What a test may choose.
#[derive(Default)]
pub(crate) struct Choices {
    pub(crate) settings: Settings,
    pub(crate) no_vault: bool,
    pub(crate) limits: Limits,
}

/// A deployment with an operator, the plugin `do`, and the platform's pool.
pub(crate) struct World {
    pub(crate) service: Arc<Service>,
    pub(crate) clock: Arc<TestClock>,
    pub(crate) root: Caller,
    /// The platform's account.
    pub(crate) account: AccountId,
    /// A pool on it.
    pub(crate) pool: PoolId,
    /// Holds the database, `berth.db`.
    pub(crate) files: TempDir,
}

/// A tenant with a caller who may do everything.
#[derive(Clone)]
pub(crate) struct Tenant {
    pub(crate) id: TenantId,
    pub(crate) admin: Caller,
}

/// The text of a body as a method's input: tests write what callers write.
pub(crate) fn input<T: DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).expect("an input that parses")
}

/// The bytes of a built component.
pub(crate) fn component(name: &str) -> Vec<u8> {
    let folder = std::env::var_os("BERTH_COMPONENTS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/components"),
        PathBuf::from,
    );
    let file = folder.join(name);
    std::fs::read(&file).unwrap_or_else(|error| {
        panic!(
            "{} can't be read ({error}); `cargo xtask test` builds it",
            file.display()
        )
    })
}

/// A policy that allows everything.
pub(crate) fn everything() -> Value {
    allow(&["compute:*"])
}

/// A policy that allows these actions on everything.
pub(crate) fn allow(actions: &[&str]) -> Value {
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]})
}

/// The same, narrowed by a condition.
pub(crate) fn allow_if(actions: &[&str], condition: Value) -> Value {
    json!({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": actions, "Resource": "*", "Condition": condition}]})
}

/// A policy that forbids these actions on everything.
pub(crate) fn deny(actions: &[&str]) -> Value {
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": actions, "Resource": "*"}]})
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(Choices::default()).await
    }

    pub(crate) async fn with(choices: Choices) -> Self {
        let bare = Self::bare(choices).await;
        bare.furnish().await
    }

    /// A deployment right after its first start: no plugin, no account.
    pub(crate) async fn bare(choices: Choices) -> Self {
        let files = tempfile::tempdir().expect("a folder");
        let clock = Arc::new(TestClock(AtomicI64::new(1_800_000_000_000)));
        let entropy = Arc::new(TestEntropy::default());
        let store: Arc<dyn Store> = Arc::new(
            SqliteStore::open(SqliteConfig::at(files.path().join("berth.db")))
                .await
                .expect("a store"),
        );
        let key = MasterKey::generate(&mut |bytes| entropy.fill(bytes));
        let vault = (!choices.no_vault).then(|| Arc::new(Vault::new(key, Vec::new())));
        let booted = bootstrap(store.as_ref(), clock.as_ref(), entropy.as_ref(), None)
            .await
            .expect("a first start");
        let ports = ports::of(store.clone(), vault.clone(), clock.clone(), entropy.clone());
        let config = RuntimeConfig {
            limits: choices.limits,
            cache_dir: compile_cache(),
            ..RuntimeConfig::default()
        };
        let service = Service::new(Parts {
            runtime: Arc::new(Runtime::start(config, ports).expect("a runtime")),
            registry: Arc::new(Registry::default()),
            store,
            vault,
            clock: clock.clone(),
            entropy,
            deployment: booted.deployment,
            settings: choices.settings,
        });
        let token = booted.new_root_token.expect("a new root token");
        let root = service
            .authenticate(token.expose(), service.new_request_id(), None)
            .await
            .expect("the root token");
        let nowhere = "acc_00000000000000000000000000".parse().expect("an id");
        let nothing = "pool_00000000000000000000000000".parse().expect("an id");
        Self {
            service: Arc::new(service),
            clock,
            root,
            account: nowhere,
            pool: nothing,
            files,
        }
    }

    /// Installs the plugin and makes the platform's account and pool. Without a vault there is no
    /// credential, so the account is recorded behind the service's back.
    async fn furnish(mut self) -> Self {
        self.install("do.wasm").await;
        if self.service.vault().is_some() {
            self.account = self.account_of("root", json!({})).await;
        } else {
            self.account = self.account_without_credential().await;
        }
        self.pool = self.pool_on("root", &self.account.clone()).await;
        self
    }

    async fn account_without_credential(&self) -> AccountId {
        let account = berth_domain::platform::Account {
            id: AccountId::generate(self.service.now(), self.service.entropy().id_seed()),
            tenant_id: TenantId::root(),
            title: "no credential".parse().expect("a title"),
            provider: "do".to_owned(),
            regions: Vec::new(),
            previews: false,
            egress: Default::default(),
            created_at: self.service.now(),
        };
        self.service
            .store()
            .create_account(&account, Vec::new())
            .await
            .expect("an account");
        account.id
    }

    pub(crate) async fn install(&self, name: &str) -> plugins::install::Installed {
        let input = plugins::install::Input {
            component: plugins::install::Component(component(name)),
        };
        plugins::install::handle(&self.service, &self.root, input)
            .await
            .expect("installed")
    }

    pub(crate) async fn account_of(&self, tenant: &str, more: Value) -> AccountId {
        let mut body = json!({
            "tenantId": tenant, "title": "an account", "provider": "do",
            "credential": "dop_v1_canary", "regions": ["nyc3", "ams3", "nyc"],
        });
        lay_over(&mut body, more);
        accounts::create::handle(&self.service, &self.root, input(body))
            .await
            .expect("an account")
            .id
    }

    pub(crate) async fn pool_on(&self, tenant: &str, account: &AccountId) -> PoolId {
        let body = json!({"tenantId": tenant, "title": "a pool", "type": "provider", "accountId": account});
        pools::create::handle(&self.service, &self.root, input(body))
            .await
            .expect("a pool")
            .id
    }

    /// A tenant to whom the platform's pool is offered.
    pub(crate) async fn tenant(&self, id: &str) -> Tenant {
        let tenant = self.bare_tenant(id).await;
        self.offer(id).await;
        tenant
    }

    /// A tenant that sees no pool.
    pub(crate) async fn bare_tenant(&self, id: &str) -> Tenant {
        let body = json!({"tenantId": id, "title": id});
        tenants::create::handle(&self.service, &self.root, input(body))
            .await
            .expect("a tenant");
        let admin = self.caller(id, &[everything()]).await;
        Tenant {
            id: id.parse().expect("a tenant's id"),
            admin,
        }
    }

    pub(crate) async fn offer(&self, tenant: &str) {
        let body = json!({"poolId": self.pool, "tenantId": tenant});
        offers::create::handle(&self.service, &self.root, input(body))
            .await
            .expect("an offer");
    }

    /// Someone of a tenant, with exactly these policies.
    pub(crate) async fn caller(&self, tenant: &str, documents: &[Value]) -> Caller {
        self.member(tenant, documents, &[]).await
    }

    /// Someone of a tenant and of groups.
    pub(crate) async fn member(
        &self,
        tenant: &str,
        documents: &[Value],
        groups: &[&str],
    ) -> Caller {
        let mut ids = Vec::new();
        for document in documents {
            let body = json!({"tenantId": tenant, "title": "a policy", "document": document});
            ids.push(
                policies::put::handle(&self.service, &self.root, input(body))
                    .await
                    .expect("a policy")
                    .id,
            );
        }
        let body =
            json!({"tenantId": tenant, "title": "someone", "policies": ids, "groups": groups});
        let principal = principals::create::handle(&self.service, &self.root, input(body))
            .await
            .expect("a principal");
        self.token_of(tenant, &principal.id).await
    }

    pub(crate) async fn token_of(&self, tenant: &str, principal: &PrincipalId) -> Caller {
        let body = json!({"tenantId": tenant, "principalId": principal});
        let token = principals::create_token::handle(&self.service, &self.root, input(body))
            .await
            .expect("a token");
        self.service
            .authenticate(&token.token, self.service.new_request_id(), None)
            .await
            .expect("a caller")
    }

    pub(crate) async fn secret(&self, tenant: &Tenant, name: &str, value: &str) {
        let body = json!({"tenantId": tenant.id, "name": name, "value": value});
        secrets::put::handle(&self.service, &tenant.admin, input(body))
            .await
            .expect("a secret");
    }
}

/// Lays the members of an object over another's.
pub(crate) fn lay_over(body: &mut Value, more: Value) {
    let Value::Object(more) = more else {
        panic!("an object")
    };
    for (field, value) in more {
        body[field] = value;
    }
}

/// What a refusal tells programs: code, reason, field.
pub(crate) fn told<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> (Code, String, String) {
    let refusal = result.expect_err("a refusal");
    let detail = |name: &str| {
        refusal
            .details
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or("")
            .to_owned()
    };
    (refusal.code, detail("reason"), detail("field"))
}

/// An answer as callers get it.
pub(crate) fn json_of(answer: impl Serialize) -> Value {
    serde_json::to_value(answer).expect("an answer that serialises")
}

/// Compiling the component takes seconds; all tests share what the first one compiled.
fn compile_cache() -> Option<PathBuf> {
    Some(PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compiled"))
}

pub(crate) fn groups(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

pub(crate) fn token(text: &str) -> TokenText {
    TokenText::parse(text).expect("a token")
}
