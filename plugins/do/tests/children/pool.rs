//! `do.database.pool`.

use berth_sdk::testing::{exchange, json, remember, secret};
use berth_sdk::types::{Error, HttpError, Phase, Resource};
use serde_json::{Value, json};

use crate::{child, connection, host, parent, with};

const KIND: &str = "do.database.pool";
const POOLS: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/pools";
const POOL: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/pools/web";

fn spec() -> Value {
    json!({"name": "web", "mode": "transaction", "size": 10, "db": "defaultdb", "user": "doadmin"})
}

fn web(spec: &Value) -> Resource {
    child(KIND, "web", spec)
}

fn shown() -> Value {
    with(
        spec(),
        &json!({
            "connection": connection("db.example", "web"),
            "private_connection": connection("private.db.example", "web")
        }),
    )
}

fn answer(pool: &Value) -> Value {
    json!({"pool": pool})
}

#[test]
fn a_pool_is_created_with_its_spec_and_its_secrets_sealed() {
    let berth = host();
    berth.expect([exchange("POST", POOLS)
        .sending(&spec())
        .answers(201, &answer(&shown()))]);
    let created = berth.create(&web(&spec())).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        ("web", &Phase::Ready)
    );
    assert_eq!(secret(&created, "password"), Some("AVNS_canary"));
    assert_eq!(
        secret(&created, "private_uri"),
        Some("postgresql://doadmin:AVNS_canary@private.db.example:25061/web?sslmode=require")
    );
    assert_eq!(
        json(&created.outputs),
        json!({
            "name": "web", "mode": "transaction", "size": 10, "db": "defaultdb", "user": "doadmin",
            "host": "db.example", "port": 25061,
            "private_host": "private.db.example", "private_port": 25061
        })
    );
    assert_eq!(json(&created.spec.unwrap()), spec());
}

#[test]
fn a_pool_for_whoever_comes_in_hands_out_a_uri_without_a_password() {
    let berth = host();
    let mut open = spec();
    open.as_object_mut().unwrap().remove("user");
    let uri = "postgresql://db.example:25061/web?sslmode=require";
    let shown = with(
        open.clone(),
        &json!({"connection": {"uri": uri, "host": "db.example", "port": 25061, "password": ""}}),
    );
    berth.expect([exchange("POST", POOLS)
        .sending(&open)
        .answers(201, &answer(&shown))]);
    let created = berth.create(&web(&open)).unwrap();
    assert_eq!(secret(&created, "uri"), Some(uri));
    assert_eq!(secret(&created, "password"), None);
}

#[test]
fn without_the_scope_for_credentials_a_pool_gives_no_secret() {
    let berth = host();
    let uri = "postgresql://doadmin@db.example:25061/web";
    let shown = with(
        spec(),
        &json!({"connection": {"uri": uri, "host": "db.example", "port": 25061}}),
    );
    berth.expect([exchange("GET", POOL).answers(200, &answer(&shown))]);
    let mut pool = web(&spec());
    pool.provider_id = Some("web".to_owned());
    assert_eq!(berth.observe(&pool).unwrap().secret_outputs, Vec::new());
}

#[test]
fn a_change_sends_all_settings_of_the_pool() {
    let berth = host();
    let mut pool = web(&spec());
    berth.expect([exchange("POST", POOLS).answers(201, &answer(&shown()))]);
    let created = berth.create(&pool).unwrap();
    remember(&mut pool, &created);

    pool.spec = with(spec(), &json!({"size": 12})).to_string();
    berth.expect([exchange("GET", POOL).answers(200, &answer(&shown()))]);
    assert_eq!(berth.observe(&pool).unwrap().pending, ["size"]);
    berth.expect([
        exchange("PUT", POOL).sending(
            &json!({"mode": "transaction", "size": 12, "db": "defaultdb", "user": "doadmin"}),
        ),
        exchange("GET", POOL).answers(200, &answer(&with(shown(), &json!({"size": 12})))),
    ]);
    let applied = berth.update(&pool, &["size"]).unwrap();
    assert_eq!(applied.pending, Vec::<String>::new());
    assert_eq!(json(&applied.outputs)["size"], 12);
}

#[test]
fn a_pool_of_a_database_that_is_not_there_yet_waits() {
    let berth = host();
    berth.expect([exchange("POST", POOLS).answers(
        404,
        &json!({"id": "not_found", "message": "database not found"}),
    )]);
    let outcome = berth.create(&web(&spec()));
    assert!(
        matches!(&outcome, Err(Error::Busy(retry)) if retry.message.contains("what the spec names")),
        "{outcome:?}"
    );
}

#[test]
fn a_pool_is_found_by_its_name_without_secrets() {
    let berth = host();
    berth.expect([exchange("GET", POOL).answers(200, &answer(&shown()))]);
    let found = berth.find(&web(&spec())).unwrap().unwrap();
    assert!(found.secret_outputs.is_empty());
    berth.expect([exchange("GET", POOL).answers_text(404, "")]);
    assert!(berth.find(&web(&spec())).unwrap().is_none());
    berth.expect([exchange("GET", POOL).fails(HttpError::Lost("cut".to_owned()))]);
    assert!(berth.find(&web(&spec())).is_err());
}

#[test]
fn an_answer_about_another_pool_is_not_believed() {
    let berth = host();
    let other = answer(&with(shown(), &json!({"name": "other"})));
    berth.expect([exchange("POST", POOLS).answers(201, &other)]);
    assert!(matches!(
        berth.create(&web(&spec())),
        Err(Error::Ambiguous(_))
    ));
    berth.expect([exchange("GET", POOL).answers(200, &other)]);
    assert!(matches!(
        berth.find(&web(&spec())),
        Err(Error::Unavailable(_))
    ));
}

#[test]
fn a_list_of_pools_shows_no_secret_and_deleting_one_that_is_gone_is_done() {
    let berth = host();
    berth.expect([exchange("GET", POOLS).answers(200, &json!({"pools": [shown()]}))]);
    let page = berth.list(KIND, Some(&parent()), None).unwrap();
    assert_eq!(page.items.len(), 1);
    assert!(!format!("{page:?}").contains("AVNS_canary"));

    let mut pool = web(&spec());
    pool.provider_id = Some("web".to_owned());
    berth.expect([exchange("DELETE", POOL)]);
    berth.delete(&pool).unwrap();
    berth.expect([exchange("DELETE", POOL).answers_text(404, "")]);
    berth.delete(&pool).unwrap();
}
