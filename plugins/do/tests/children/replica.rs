//! `do.database.replica`.

use berth_sdk::testing::{exchange, json, remember, secret};
use berth_sdk::types::{Error, Linked, Phase, Resource};
use serde_json::{Value, json};

use crate::{child, connection, host, parent, with};

const KIND: &str = "do.database.replica";
const ID: &str = "1c2d3e4f-0000-4000-8000-00000000abcd";
const REPLICAS: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/replicas";
const REPLICA: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/replicas/read-1";
const RESIZE: &str = "/v2/databases/1c2d3e4f-0000-4000-8000-00000000abcd/resize";

fn spec() -> Value {
    json!({"name": "read-1", "region": "nyc3", "size": "db-s-1vcpu-1gb"})
}

fn tags() -> Value {
    json!([
        "better-compute-managed:dep-1",
        "better-compute-resource:crs_0123456789abcdefghjkmnpqrs",
        "better-compute-tenant:acme"
    ])
}

fn read_1(spec: &Value) -> Resource {
    child(KIND, "read-1", spec)
}

fn shown(status: &str) -> Value {
    with(
        spec(),
        &json!({
            "id": ID, "status": status, "tags": tags(), "storage_size_mib": 10240,
            "created_at": "2026-01-01T00:00:00Z",
            "private_network_uuid": "d455e75d-4858-4eec-8c95-da2f0a5f93a7",
            "connection": connection("read.example", "defaultdb"),
            "private_connection": connection("private.read.example", "defaultdb")
        }),
    )
}

fn answer(replica: &Value) -> Value {
    json!({"replica": replica})
}

fn owned() -> Resource {
    let berth = host();
    let mut replica = read_1(&spec());
    berth.expect([exchange("POST", REPLICAS).answers(201, &answer(&shown("creating")))]);
    let created = berth.create(&replica).unwrap();
    remember(&mut replica, &created);
    replica
}

#[test]
fn a_replica_is_created_with_our_tags_and_recorded_by_its_own_id() {
    let berth = host();
    let replica = read_1(&with(spec(), &json!({"storage_size_mib": 20480})));
    berth.expect([exchange("POST", REPLICAS)
        .sending(&json!({
            "name": "read-1", "region": "nyc3", "size": "db-s-1vcpu-1gb",
            "storage_size_mib": 20480, "tags": tags()
        }))
        .answers(201, &answer(&shown("creating")))]);
    let created = berth.create(&replica).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        (ID, &Phase::Converging)
    );
    assert_eq!(secret(&created, "password"), Some("AVNS_canary"));
    assert_eq!(created.pending, ["storage_size_mib"]);
    assert_eq!(
        json(&created.outputs)["private_host"],
        "private.read.example"
    );
}

#[test]
fn a_replica_of_a_cluster_without_a_backup_is_asked_for_again() {
    let berth = host();
    let message = "cluster backups are not available yet, try again later";
    berth.expect([exchange("POST", REPLICAS).answers(
        412,
        &json!({"id": "precondition_failed", "message": message}),
    )]);
    let outcome = berth.create(&read_1(&spec()));
    assert!(
        matches!(&outcome, Err(Error::Busy(retry)) if retry.message.contains("backups are not available")),
        "{outcome:?}"
    );
}

#[test]
fn a_replica_joins_the_part_of_the_tenants_network_in_its_own_region() {
    let berth = host();
    let mut replica = read_1(&with(spec(), &json!({"network": "net_1"})));
    let part = |region: &str| Linked {
        id: "net_1".to_owned(),
        provider_id: format!("vpc-{region}"),
        region: region.to_owned(),
    };
    replica.networks = vec![part("ams3"), part("nyc3")];
    berth.expect([exchange("POST", REPLICAS)
        .sending(&json!({
            "name": "read-1", "region": "nyc3", "size": "db-s-1vcpu-1gb", "tags": tags(),
            "private_network_uuid": "vpc-nyc3"
        }))
        .answers(201, &answer(&shown("creating")))]);
    berth.create(&replica).unwrap();
    replica.networks = vec![part("ams3")];
    assert!(
        matches!(berth.create(&replica), Err(Error::Invalid(errors)) if errors[0].field == "/network")
    );
}

#[test]
fn a_create_whose_answer_has_no_id_is_ambiguous_and_then_found() {
    let berth = host();
    let replica = read_1(&spec());
    let mut without = shown("creating");
    without.as_object_mut().unwrap().remove("id");
    berth.expect([exchange("POST", REPLICAS).answers(201, &answer(&without))]);
    assert!(matches!(berth.create(&replica), Err(Error::Ambiguous(_))));
    berth.expect([exchange("GET", REPLICA).answers(200, &answer(&without))]);
    assert!(matches!(berth.find(&replica), Err(Error::Unavailable(_))));
    berth.expect([exchange("GET", REPLICA).answers(200, &answer(&shown("creating")))]);
    let found = berth.find(&replica).unwrap().unwrap();
    assert_eq!(found.provider_id, ID);
    assert!(found.secret_outputs.is_empty());
}

#[test]
fn a_replica_is_ready_when_it_is_online_or_active() {
    let berth = host();
    let replica = owned();
    for (status, phase) in [
        ("creating", Phase::Converging),
        ("forking", Phase::Converging),
        ("migrating", Phase::Converging),
        ("online", Phase::Ready),
        ("active", Phase::Ready),
    ] {
        berth.expect([exchange("GET", REPLICA).answers(200, &answer(&shown(status)))]);
        assert_eq!(berth.observe(&replica).unwrap().phase, phase, "{status}");
    }
}

#[test]
fn a_resize_goes_to_the_replicas_own_id_once_and_waits_until_it_shows() {
    let berth = host();
    let mut replica = owned();
    replica.spec = with(spec(), &json!({"size": "db-s-2vcpu-4gb"})).to_string();
    berth.expect([
        exchange("GET", REPLICA).answers(200, &answer(&shown("online"))),
        exchange("PUT", RESIZE)
            .sending(&json!({"size": "db-s-2vcpu-4gb", "num_nodes": 1}))
            .answers_text(202, ""),
    ]);
    let asked = berth.update(&replica, &["size"]).unwrap();
    assert_eq!(
        (&asked.phase, asked.pending.as_slice()),
        (&Phase::Converging, ["size".to_owned()].as_slice())
    );
    remember(&mut replica, &asked);

    // The API shows the old size, as online, for a while.
    berth.expect([exchange("GET", REPLICA).answers(200, &answer(&shown("online")))]);
    let stale = berth.update(&replica, &["size"]).unwrap();
    assert_eq!(stale.phase, Phase::Converging);
    remember(&mut replica, &stale);

    let done = with(shown("online"), &json!({"size": "db-s-2vcpu-4gb"}));
    berth.expect([exchange("GET", REPLICA).answers(200, &answer(&done))]);
    let settled = berth.observe(&replica).unwrap();
    assert_eq!((settled.phase, settled.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn another_replica_under_our_name_is_not_ours() {
    let berth = host();
    let replica = owned();
    let other = with(
        shown("online"),
        &json!({"id": "99999999-0000-4000-8000-00000000abcd"}),
    );
    berth.expect([exchange("GET", REPLICA).answers(200, &answer(&other))]);
    assert!(matches!(berth.observe(&replica), Err(Error::NotFound(_))));
}

#[test]
fn a_replica_takes_one_network_and_runs_one_node() {
    let berth = host();
    let both = with(
        spec(),
        &json!({"network": "net_1", "private_network_uuid": ID}),
    );
    assert!(matches!(
        berth.check(KIND, &both, Some("do.database.pg")),
        Err(Error::Invalid(_))
    ));
    let checked = berth.check(KIND, &spec(), Some("do.database.pg")).unwrap();
    let rates: Vec<_> = checked
        .meters
        .iter()
        .map(|meter| (meter.name.as_str(), meter.rate))
        .collect();
    assert_eq!(rates, [("do.database.node-hours", 1)]);
}

#[test]
fn a_list_of_replicas_shows_no_secret_and_on_a_shared_account_no_network() {
    let berth = host().shared();
    berth.expect([exchange("GET", REPLICAS).answers(200, &json!({"replicas": [shown("online")]}))]);
    let page = berth.list(KIND, Some(&parent()), None).unwrap();
    assert_eq!(page.items[0].provider_id, ID);
    assert!(!format!("{page:?}").contains("AVNS_canary"));
    assert!(!format!("{page:?}").contains("d455e75d"));
}

#[test]
fn deleting_a_replica_that_is_gone_is_done() {
    let berth = host();
    let replica = owned();
    berth.expect([exchange("DELETE", REPLICA)]);
    berth.delete(&replica).unwrap();
    berth.expect([exchange("DELETE", REPLICA).answers_text(404, "")]);
    berth.delete(&replica).unwrap();
}
