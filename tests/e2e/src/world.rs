//! A host, a double and what they need, in a folder of their own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use double_digitalocean::{Authorization, Double, Entry};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::{Api, Line};
use crate::host::{self, Folder, Host};
use crate::patience::eventually;
use crate::programs::{self, Component};
use crate::settings::Settings;
use crate::tenant::{Tenant, everything, text};
use crate::trace::{Canary, Place};
use crate::yard::{YARD_TOKEN, Yard};

/// The root token of every world.
pub const ROOT_TOKEN: &str = "brt_00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// The token that every double takes. It is a canary: nothing but the sealed store may hold it.
pub const PROVIDER_TOKEN: &str = "dop_v1_canary3f1c9e7a5b8d2460";

/// What every password begins with that a double hands out.
const PASSWORD_CANARY: &str = "AVNS_canary7d41e0b29c6f";

/// A running deployment with its provider.
pub struct World {
    // Fields are dropped in this order: the host first, the folder last.
    host: Option<Host>,
    second: Option<Host>,
    /// The provider.
    pub double: Double,
    /// An operator of the host.
    pub root: Api,
    /// The platform's pool, on an account that tenants share.
    pub pool: String,
    /// The platform's account.
    pub account: String,
    line: Arc<Line>,
    env: BTreeMap<String, String>,
    /// What must be nowhere when the world ends.
    canaries: Vec<Canary>,
    /// Every request carried the account's credential, unless a test means otherwise.
    pub expects_right_credential: bool,
    folder: Folder,
    _files: TempDir,
}

impl World {
    /// Starts one with quick settings, the plugin `do` and a pool on it.
    pub async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// Starts one with other settings.
    pub async fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::quick(PASSWORD_CANARY, PROVIDER_TOKEN);
        change(&mut settings);
        let files = tempfile::tempdir().unwrap_or_else(|error| panic!("no folder: {error}"));
        let folder = Folder(files.path().to_path_buf());
        let double = Double::start(settings.double.clone());
        let double = double
            .await
            .unwrap_or_else(|error| panic!("no double: {error}"));
        let mut env = settings.env;
        for (name, value) in [
            ("BERTH_DATA_DIR", folder.data().display().to_string()),
            ("BERTH_LISTEN", "127.0.0.1:0".to_owned()),
            ("BERTH_ROOT_TOKEN", ROOT_TOKEN.to_owned()),
            (
                "BERTH_RUNTIME__CACHE_DIR",
                programs::compile_cache().display().to_string(),
            ),
            (
                "BERTH_LOG__FILTER",
                "info,berth_service=debug,berth_runtime=debug,berth_store=debug".to_owned(),
            ),
        ] {
            env.entry(name.to_owned()).or_insert(value);
        }
        for name in settings.left_out {
            env.remove(&name);
        }
        let line = Line::new();
        let host = Host::start(&folder, &env).await;
        line.leads_to(&host.origin);
        let mut world = Self {
            host: Some(host),
            second: None,
            double,
            root: Api::new(Arc::clone(&line), ROOT_TOKEN),
            pool: String::new(),
            account: String::new(),
            line,
            env,
            canaries: [PASSWORD_CANARY, PROVIDER_TOKEN, YARD_TOKEN]
                .map(Canary::new)
                .to_vec(),
            expects_right_credential: true,
            folder,
            _files: files,
        };
        if settings.plugin {
            world.install(Component::Do).await;
            world.account = world.account_of("root").await;
            world.pool = world.pool_on("root", &world.account).await;
        }
        world
    }

    // ------------------------------------------------------------------ the host

    /// Kills the host where it stands.
    pub fn kill_host(&mut self) {
        self.host = None;
    }

    /// Starts the host again on what it left.
    pub async fn start_host(&mut self) {
        assert!(self.host.is_none(), "the host runs");
        let host = Host::start(&self.folder, &self.env).await;
        self.line.leads_to(&host.origin);
        self.host = Some(host);
    }

    /// Starts another host on the same store. Calls still go to the first.
    pub async fn start_second_host(&mut self) {
        self.second = Some(Host::start(&self.folder, &self.env).await);
    }

    /// Lets calls go to the second host from now on.
    pub fn use_second_host(&mut self) {
        self.host = self.second.take();
        let host = self.host.as_ref();
        self.line
            .leads_to(host.map_or_else(|| panic!("there is no second host"), |host| &host.origin));
    }

    /// Asks the host to end, waits until it has, and tells whether it ended well.
    pub async fn stop_host(&mut self) -> bool {
        match self.host.take() {
            Some(mut host) => host.stop().await.success(),
            None => panic!("the host does not run"),
        }
    }

    /// Hangs up on the host, as a terminal that is closed does.
    pub fn hang_up(&self) {
        match &self.host {
            Some(host) => host.signal("HUP"),
            None => panic!("the host does not run"),
        }
    }

    /// Sets a variable for the host's next start.
    pub fn set_env(&mut self, name: &str, value: &str) {
        self.env.insert(name.to_owned(), value.to_owned());
    }

    /// Runs `berth` with these arguments in the folder of this world until it ends: whether it ended
    /// well, and all it said.
    #[must_use]
    pub fn berth(&self, arguments: &[&str], env: &[(&str, &str)]) -> (bool, String) {
        let (code, said) = self.berth_code(arguments, env);
        (code == Some(0), said)
    }

    /// The same with the code that it ended with.
    #[must_use]
    pub fn berth_code(&self, arguments: &[&str], env: &[(&str, &str)]) -> (Option<i32>, String) {
        let mut all = self.env.clone();
        all.extend(
            env.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let output = host::command(&self.folder, arguments, &all).output();
        let output = output.unwrap_or_else(|error| panic!("can't run berth: {error}"));
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    }

    /// Everything that the host said so far.
    #[must_use]
    pub fn host_log(&self) -> String {
        std::fs::read_to_string(self.folder.log()).unwrap_or_default()
    }

    // ------------------------------------------------------------------- plugins

    /// Installs a component and activates it, if it is not the first of its plugin and so active; its digest.
    pub async fn install(&self, component: Component) -> String {
        let digest = self.install_only(&component.bytes()).await;
        self.activate(&digest).await;
        digest
    }

    /// Installs a component; its digest.
    pub async fn install_only(&self, component: &[u8]) -> String {
        text(
            &self
                .root
                .ok("plugins/install", &installation(component))
                .await,
            "digest",
        )
    }

    /// Activates a generation.
    pub async fn activate(&self, digest: &str) -> Value {
        self.root
            .ok("plugins/activate", &json!({"digest": digest}))
            .await
    }

    // ------------------------------------------------------------------- tenants

    /// A tenant whose caller may do everything, with the platform's pool offered to it.
    pub async fn tenant(&self, id: &str) -> Tenant {
        let tenant = self.bare_tenant(id).await;
        self.offer(&self.pool, id).await;
        tenant
    }

    /// A tenant whose caller may do everything, without any pool.
    pub async fn bare_tenant(&self, id: &str) -> Tenant {
        self.root
            .ok("tenants/create", &json!({"tenantId": id, "title": id}))
            .await;
        let nobody = Tenant {
            id: id.to_owned(),
            api: self.root.clone(),
            principal: String::new(),
            pool: self.pool.clone(),
            root: self.root.clone(),
        };
        nobody.someone(&[everything()]).await
    }

    /// A tenant whose caller may do everything, with a pool on an account of its own at the double.
    pub async fn owner(&self, id: &str) -> Tenant {
        let tenant = self.bare_tenant(id).await;
        let account = self.account_of(id).await;
        tenant.on(&self.pool_on(id, &account).await)
    }

    /// Offers a pool to a tenant; the offer's id.
    pub async fn offer(&self, pool: &str, tenant: &str) -> String {
        let body = json!({"poolId": pool, "tenantId": tenant});
        text(&self.root.ok("offers/create", &body).await, "id")
    }

    /// An account of a tenant at the double.
    pub async fn account_of(&self, tenant: &str) -> String {
        self.account_with(tenant, json!({})).await
    }

    /// An account with some fields of its own.
    pub async fn account_with(&self, tenant: &str, fields: Value) -> String {
        let mut body = self.account_body(tenant);
        if let Value::Object(fields) = fields {
            for (field, value) in fields {
                body[field] = value;
            }
        }
        text(&self.root.ok("accounts/create", &body).await, "id")
    }

    /// The input of `accounts/create` for an account at the double.
    #[must_use]
    pub fn account_body(&self, tenant: &str) -> Value {
        json!({
            "tenantId": tenant,
            "title": "the double",
            "provider": "do",
            "credential": self.double.token(),
            "regions": ["nyc3", "ams3", "nyc"],
            "egress": {
                "baseUrls": {"https://api.digitalocean.com": self.double.base_url()},
                "plainHttp": true,
                "privateNetworks": true,
            },
        })
    }

    /// The component of a yard, and a pool on it of this billing mode.
    pub async fn yard_pool(&self, tenant: &str, yard: &Yard, billing_mode: &str) -> String {
        self.install(Component::Yard).await;
        let account = json!({
            "tenantId": tenant,
            "title": "a yard",
            "provider": "yard",
            "credential": YARD_TOKEN,
            "egress": {
                "baseUrls": {"https://api.yard.example": yard.origin()},
                "plainHttp": true,
                "privateNetworks": true,
            },
        });
        let account = text(&self.root.ok("accounts/create", &account).await, "id");
        let pool = json!({
            "tenantId": tenant,
            "title": "a yard",
            "type": "provider",
            "accountId": account,
            "billingMode": billing_mode,
        });
        text(&self.root.ok("pools/create", &pool).await, "id")
    }

    /// A provider pool of a tenant on an account.
    pub async fn pool_on(&self, tenant: &str, account: &str) -> String {
        let body = json!({
            "tenantId": tenant,
            "title": "a pool",
            "type": "provider",
            "accountId": account,
            "billingMode": "none",
        });
        text(&self.root.ok("pools/create", &body).await, "id")
    }

    // ------------------------------------------------------------------ the provider

    /// Requests to the provider that change something, oldest first, since the request `from`.
    #[must_use]
    pub fn writes_since(&self, from: u64) -> Vec<Entry> {
        let reads = ["GET", "HEAD"];
        let log = self.double.log_since(from).into_iter();
        log.filter(|entry| !reads.contains(&entry.method.as_str()))
            .collect()
    }

    /// Requests to the provider that change something, as `METHOD /path`.
    #[must_use]
    pub fn writes(&self) -> Vec<String> {
        self.writes_since(0)
            .iter()
            .map(|entry| format!("{} {}", entry.method, entry.path))
            .collect()
    }

    /// The number of the next request to the provider.
    #[must_use]
    pub fn next_request(&self) -> u64 {
        self.double.log().last().map_or(1, |entry| entry.number + 1)
    }

    /// Waits until the provider was asked so often from now on.
    pub async fn wait_requests(&self, method: &str, path: &str, more: usize) {
        let before = self.double.count(method, path);
        eventually(&format!("{method} {path} came {more} times"), || async {
            (self.double.count(method, path) >= before + more).then_some(())
        })
        .await;
    }

    /// Waits until the provider was asked three times more, by a list or about an object.
    pub async fn wait_looks(&self) {
        self.wait_for_looks(3).await;
    }

    /// Waits until the provider was asked so often from now on.
    pub async fn wait_for_looks(&self, looks: u64) {
        let before = self.next_request();
        eventually(&format!("the provider was asked {looks} times"), || async {
            (self.next_request() >= before + looks).then_some(())
        })
        .await;
    }

    // ------------------------------------------------------------------- secrets

    /// Everywhere that a canary stands: in tables, files, log lines and answers.
    pub async fn places_of(&self, canary: &Canary) -> Vec<Place> {
        let mut places = canary.in_tables(&self.folder.data()).await;
        places.extend(self.rough_places_of(canary));
        places.sort();
        places
    }

    /// The same without a look into tables.
    fn rough_places_of(&self, canary: &Canary) -> Vec<Place> {
        let mut places = canary.in_files(&self.folder.0);
        let heard = self.line.heard();
        if heard.iter().any(|answer| canary.is_in(answer.as_bytes())) {
            places.push(Place::answers());
        }
        places
    }

    /// Expects a canary to be nowhere when this world ends.
    pub fn must_be_nowhere(&mut self, canary: Canary) {
        self.canaries.push(canary);
    }

    /// The canary in every password of the double.
    #[must_use]
    pub fn password_canary(&self) -> Canary {
        Canary::new(PASSWORD_CANARY)
    }

    /// The folder that the host keeps its data in.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.folder.data()
    }

    /// What must hold at the end of every test.
    fn check(&self) {
        for canary in &self.canaries {
            let places = self.rough_places_of(canary);
            assert!(
                places.is_empty(),
                "a secret ({}) leaked to {places:?}",
                canary.text()
            );
        }
        let log = self.host_log();
        assert!(!log.contains("panicked at"), "the host panicked:\n{log}");
        if self.expects_right_credential {
            let wrong = self
                .double
                .log()
                .into_iter()
                .find(|entry| entry.authorization != Authorization::Right);
            assert!(
                wrong.is_none(),
                "a request came without the account's credential: {wrong:?}"
            );
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.host = None;
        self.second = None;
        if std::thread::panicking() {
            let log = host::tail(&self.folder.log());
            #[expect(
                clippy::print_stderr,
                reason = "a failed test shows what its host said last"
            )]
            {
                eprintln!("--- the end of the host's log\n{log}");
                for entry in self.double.log().iter().rev().take(20).rev() {
                    eprintln!("{} {} {:?}", entry.method, entry.target(), entry.status);
                }
            }
            return;
        }
        self.check();
    }
}

/// The input of `plugins/install` for a component.
pub(crate) fn installation(component: &[u8]) -> Value {
    json!({"component": data_encoding::BASE64.encode(component)})
}
