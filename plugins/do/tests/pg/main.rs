//! `do.database.pg` against scripted answers: each test is a trap of the API that was seen in the field.

#![expect(clippy::unwrap_used, reason = "tests")]

mod check;
mod create;
mod delete;
mod find;
mod listing;
mod observe;
mod throttling;
mod update;

use berth_sdk::testing::{TestHost, exchange, remember, wanted};
use berth_sdk::types::Resource;
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const KIND: &str = "do.database.pg";
const ID: &str = "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";
const OURS: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";
const BY_TAG: &str =
    "/v2/databases?tag_name=better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn spec() -> Value {
    json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1})
}

fn tags() -> Value {
    json!([
        "better-compute-managed:dep-1",
        "better-compute-resource:crs_0123456789abcdefghjkmnpqrs",
        "better-compute-tenant:acme"
    ])
}

/// Our cluster as the API shows it.
fn cluster(status: &str) -> Value {
    let connection = |host: &str| {
        json!({
            "uri": format!("postgresql://doadmin:AVNS_canary@{host}:25060/defaultdb?sslmode=require"),
            "database": "defaultdb", "host": host, "port": 25060,
            "user": "doadmin", "password": "AVNS_canary", "ssl": true
        })
    };
    json!({
        "id": ID, "name": NAME, "engine": "pg", "version": "16", "semantic_version": "16.4",
        "status": status, "region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1,
        "storage_size_mib": 10240, "tags": tags(), "created_at": "2026-01-01T00:00:00Z",
        "connection": connection("db.example"), "private_connection": connection("private.db.example"),
        "users": [{"name": "doadmin", "role": "primary", "password": "AVNS_canary"}],
        "maintenance_window": {"day": "tuesday", "hour": "14:00:00", "pending": false},
        "private_network_uuid": "d455e75d-4858-4eec-8c95-da2f0a5f93a7", "project_id": ID
    })
}

fn with(mut value: Value, changes: &Value) -> Value {
    for (field, change) in changes.as_object().unwrap() {
        value[field] = change.clone();
    }
    value
}

fn answer(cluster: &Value) -> Value {
    json!({"database": cluster})
}

/// A cluster that was created and is online.
fn owned(spec: &Value) -> Resource {
    let berth = host();
    let mut ours = wanted(KIND, spec);
    berth.expect([exchange("POST", "/v2/databases").answers(201, &answer(&cluster("creating")))]);
    let created = berth.create(&ours).unwrap();
    remember(&mut ours, &created);
    ours
}
