//! What `dev` says to a running host: every request body of it stands here.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use anyhow::{anyhow, bail};
use serde_json::{Value, json};

use crate::api::{Api, text};
use crate::stop::Stop;

/// How often a resource is looked at while a person waits for it.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How many looks until waiting has no sense any more: five minutes.
const LOOKS: u32 = 600;

/// The tenant of the demo.
const TENANT: &str = "demo";
/// The region that the demo's account configures.
const REGION: &str = "nyc3";
/// Where the plugin sends its requests, unless the account says otherwise.
const DIGITALOCEAN: &str = "https://api.digitalocean.com";
/// The kind that the demo makes.
const KIND: &str = "do.database.pg";

/// What the account of the demo is: a DigitalOcean at some address, and the token that it takes.
#[derive(Debug, Clone)]
pub struct Provider {
    /// Origin of its API.
    pub origin: String,
    /// The credential.
    pub token: String,
}

/// A tenant that can make resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demo {
    tenant: String,
    pool: String,
    token: String,
}

impl Demo {
    /// Registers tenant, principal, policy, account, pool and offer. `root` is the root principal;
    /// the host was started with the plugin `do`.
    pub fn register(root: &Api, provider: &Provider) -> anyhow::Result<Self> {
        root.call(
            "tenants",
            "create",
            &json!({"tenantId": TENANT, "title": "Demo"}),
        )?;
        let policy = root.call(
            "policies",
            "put",
            &json!({
                "tenantId": TENANT,
                "title": "everything",
                "document": {
                    "Version": "2012-10-17",
                    "Statement": [{"Effect": "Allow", "Action": "compute:*", "Resource": "*"}],
                },
            }),
        )?;
        let principal = root.call(
            "principals",
            "create",
            &json!({"tenantId": TENANT, "title": "developer", "policies": [text(&policy, "/id")?]}),
        )?;
        let token = root.call(
            "principals",
            "createToken",
            &json!({"tenantId": TENANT, "principalId": text(&principal, "/id")?}),
        )?;
        let account = root.call(
            "accounts",
            "create",
            &json!({
                "tenantId": "root",
                "title": "the DigitalOcean double",
                "provider": "do",
                "credential": provider.token,
                "regions": [REGION],
                "egress": {
                    "baseUrls": {DIGITALOCEAN: provider.origin},
                    "plainHttp": true,
                    "privateNetworks": true,
                },
            }),
        )?;
        let pool = root.call(
            "pools",
            "create",
            &json!({
                "tenantId": "root",
                "title": "digitalocean",
                "type": "provider",
                "accountId": text(&account, "/id")?,
                "billingMode": "none",
            }),
        )?;
        let pool = text(&pool, "/id")?;
        root.call(
            "offers",
            "create",
            &json!({"poolId": pool, "tenantId": TENANT}),
        )?;
        Ok(Self {
            tenant: TENANT.to_owned(),
            pool,
            token: text(&token, "/token")?,
        })
    }

    /// Reads what [`Demo::to_json`] made.
    pub fn from_json(json: &Value) -> Option<Self> {
        let part = |name: &str| json.get(name)?.as_str().map(str::to_owned);
        Some(Self {
            tenant: part("tenant")?,
            pool: part("pool")?,
            token: part("token")?,
        })
    }

    /// For the file that keeps a demo over restarts. It has the token in it.
    pub fn to_json(&self) -> Value {
        json!({"tenant": self.tenant, "pool": self.pool, "token": self.token})
    }

    /// Prints the token and three calls to paste.
    pub fn print_calls(&self, api: &Api) {
        let api = api.with_token(&self.token);
        println!("token of tenant {}: {}\n", self.tenant, self.token);
        println!("# what can be made here");
        let kinds = json!({"tenantId": self.tenant, "poolId": self.pool});
        println!("{}\n", api.curl("cloudResources", "kinds", &kinds));
        println!("# make a PostgreSQL cluster");
        let create = self.create_body("first", "first-1");
        println!("{}\n", api.curl("cloudResources", "create", &create));
        println!("# see how it goes");
        let list = json!({"tenantId": self.tenant});
        println!("{}\n", api.curl("cloudResources", "list", &list));
        println!(
            "# `get`, `update` and `delete` take {}; host/API.md has every method\n",
            json!({"tenantId": self.tenant, "resourceId": "crs_…"})
        );
    }

    fn create_body(&self, name: &str, idempotency_key: &str) -> Value {
        json!({
            "tenantId": self.tenant,
            "poolId": self.pool,
            "kind": KIND,
            "name": name,
            "spec": {"region": REGION, "version": "16", "size": "db-s-1vcpu-1gb", "num_nodes": 1},
            "idempotencyKey": idempotency_key,
        })
    }

    /// The whole life of one database: made, ready, resized, deleted. Each step is waited for.
    /// `idempotency_key` must be new, or an earlier life is answered.
    pub fn live_once(&self, api: &Api, idempotency_key: &str, stop: &Stop) -> anyhow::Result<()> {
        let api = api.with_token(&self.token);
        let made = api.call(
            "cloudResources",
            "create",
            &self.create_body("once", idempotency_key),
        )?;
        let id = text(&made, "/id")?;
        let ready = self.wait(&api, &id, "ready", stop)?;
        println!("{ready:#}");
        api.call(
            "cloudResources",
            "update",
            &json!({"tenantId": self.tenant, "resourceId": id, "spec": {"size": "db-s-2vcpu-4gb"}}),
        )?;
        self.wait(&api, &id, "ready", stop)?;
        api.call(
            "cloudResources",
            "delete",
            &json!({"tenantId": self.tenant, "resourceId": id}),
        )?;
        self.wait(&api, &id, "deleted", stop)?;
        Ok(())
    }

    /// Looks at the resource until it is as wanted, and shows each step on a line.
    fn wait(&self, api: &Api, id: &str, wanted: &str, stop: &Stop) -> anyhow::Result<Value> {
        let mut progress = Progress::default();
        for _ in 0..LOOKS {
            let resource = self.look(api, id)?;
            let state = text(&resource, "/state")?;
            let message = resource.pointer("/message/text").and_then(Value::as_str);
            progress.show(id, &state, wanted);
            if state == wanted {
                progress.end();
                return Ok(resource);
            }
            if state == "error" {
                progress.end();
                bail!("{id} failed: {}", message.unwrap_or("it does not say why"));
            }
            stop.pause(LOOK_EVERY)?;
        }
        progress.end();
        Err(anyhow!(
            "{id} is not {wanted} after {:?}",
            LOOK_EVERY * LOOKS
        ))
    }

    /// A deleted resource is its owner's no more; the demo's policy lets its principal read on.
    fn look(&self, api: &Api, id: &str) -> anyhow::Result<Value> {
        api.call(
            "cloudResources",
            "get",
            &json!({"tenantId": self.tenant, "resourceId": id}),
        )
    }
}

/// One line that is written over while it changes; where nobody watches, a line a change.
#[derive(Default)]
struct Progress {
    shown: String,
    looks: usize,
}

impl Progress {
    fn show(&mut self, id: &str, state: &str, wanted: &str) {
        self.looks += 1;
        let line = if state == wanted {
            format!("{id} is {state}")
        } else {
            format!("{id} is {state}, waiting for {wanted}")
        };
        if std::io::stderr().is_terminal() {
            let dots = ".".repeat(self.looks % 4);
            eprint!("\r\x1b[2K{line}{dots}");
            // A progress line that can't be shown is no reason to stop.
            let _ = std::io::stderr().flush();
        } else if line != self.shown {
            eprintln!("{line}");
        }
        self.shown = line;
    }

    fn end(&mut self) {
        if std::io::stderr().is_terminal() {
            eprintln!();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demo_is_read_back_as_it_was_kept() {
        let demo = Demo {
            tenant: "demo".to_owned(),
            pool: "pool_1".to_owned(),
            token: "t".to_owned(),
        };
        assert_eq!(Demo::from_json(&demo.to_json()), Some(demo));
        assert_eq!(Demo::from_json(&json!({"tenant": "demo"})), None);
    }
}
