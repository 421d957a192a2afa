//! What lives in a cluster, against scripted answers.

#![expect(clippy::unwrap_used, reason = "tests")]

mod firewall;
mod pool;
mod replica;
mod user;

use berth_sdk::testing::{TestHost, wanted};
use berth_sdk::types::{Parent, Resource};
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const CLUSTER: &str = "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn parent() -> Parent {
    Parent {
        kind: "do.database.pg".to_owned(),
        provider_id: CLUSTER.to_owned(),
        name: "bc-r-parent".to_owned(),
        outputs: "{}".to_owned(),
    }
}

fn child(kind: &str, name: &str, spec: &Value) -> Resource {
    let mut child = wanted(kind, spec);
    child.name = name.to_owned();
    child.parent = Some(parent());
    child
}

/// A connection as the API shows it, secrets included.
fn connection(host: &str, database: &str) -> Value {
    json!({
        "uri": format!("postgresql://doadmin:AVNS_canary@{host}:25061/{database}?sslmode=require"),
        "database": database, "host": host, "port": 25061,
        "user": "doadmin", "password": "AVNS_canary", "ssl": true
    })
}

fn with(mut value: Value, changes: &Value) -> Value {
    for (field, change) in changes.as_object().unwrap() {
        value[field] = change.clone();
    }
    value
}
