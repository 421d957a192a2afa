//! Clusters through their life.

use double_digitalocean::Config;
use serde_json::{Value, json};

use crate::client::{Rig, cluster};

async fn shown(rig: &Rig, id: &str) -> Value {
    let reply = rig.get(&format!("/v2/databases/{id}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["database"].clone()
}

#[tokio::test]
async fn a_cluster_is_creating_until_its_time_has_passed() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    assert_eq!(shown(&rig, &id).await["status"], "creating");
    rig.double.advance(rig.double.config().times.create - 1);
    assert_eq!(shown(&rig, &id).await["status"], "creating");
    rig.double.advance(1);
    assert_eq!(shown(&rig, &id).await["status"], "online");
}

#[tokio::test]
async fn passwords_are_in_create_get_and_list_of_all_clusters() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"secrets": {"password_prefix": "canary-"}}))
        .unwrap();
    let created = rig.post("/v2/databases", &cluster("one")).await.json();
    let password = created["database"]["connection"]["password"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(password.starts_with("canary-"));
    for place in ["connection", "private_connection"] {
        let uri = created["database"][place]["uri"].as_str().unwrap();
        assert!(uri.starts_with("postgresql://doadmin:"), "{uri}");
        assert!(uri.contains(&password));
    }
    assert_eq!(created["database"]["users"][0]["password"], password);
    rig.cluster("two").await;
    let list = rig.get("/v2/databases").await;
    assert_eq!(list.json()["databases"].as_array().unwrap().len(), 2);
    assert_eq!(list.text.matches("canary-").count(), 10, "five a cluster");
    assert!(list.json().get("meta").is_none(), "the list is unpaged");
}

#[tokio::test]
async fn a_token_without_the_credentials_scope_sees_no_passwords() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    rig.double
        .configure(|config| config.secrets.hide_credentials = true)
        .unwrap();
    let reply = rig.get(&format!("/v2/databases/{id}")).await;
    assert!(!reply.text.contains("AVNS_"));
    assert!(reply.json()["database"]["connection"]["host"].is_string());
    assert!(reply.json()["database"]["connection"].get("uri").is_none());
}

#[tokio::test]
async fn after_a_resize_the_status_lags_and_the_size_comes_last() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/resize");
    let reply = rig
        .put(&path, &json!({"size": "db-s-2vcpu-4gb", "num_nodes": 2}))
        .await;
    assert_eq!((reply.status, reply.text.as_str()), (202, ""));
    let times = rig.double.config().times;
    let see = async || {
        let shown = shown(&rig, &id).await;
        (
            shown["status"].clone(),
            shown["size"].clone(),
            shown["num_nodes"].clone(),
        )
    };
    assert_eq!(
        see().await,
        (json!("online"), json!("db-s-1vcpu-1gb"), json!(1))
    );
    rig.double.advance(times.status_lag);
    assert_eq!(
        see().await,
        (json!("resizing"), json!("db-s-1vcpu-1gb"), json!(1))
    );
    rig.double.advance(times.resize);
    assert_eq!(
        see().await,
        (json!("online"), json!("db-s-2vcpu-4gb"), json!(2))
    );
    assert!(shown(&rig, &id).await["standby_connection"]["uri"].is_string());
    assert_eq!(shown(&rig, &id).await["storage_size_mib"], 61_440);
}

#[tokio::test]
async fn changes_are_refused_while_one_is_under_way_even_if_it_looks_online() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}");
    let size = json!({"size": "db-s-2vcpu-4gb", "num_nodes": 2});
    assert_eq!(rig.put(&format!("{path}/resize"), &size).await.status, 202);
    for status in [412, 409, 422, 423] {
        rig.double
            .configure(|config| config.refusals.busy_status = status)
            .unwrap();
        assert_eq!(
            rig.put(&format!("{path}/resize"), &size).await.status,
            status
        );
        let refused = rig
            .put(&format!("{path}/migrate"), &json!({"region": "ams3"}))
            .await;
        assert_eq!(refused.status, status);
        assert!(
            refused.json()["message"]
                .as_str()
                .unwrap()
                .contains("not online")
        );
        let window = json!({"day": "monday", "hour": "14:00"});
        assert_eq!(
            rig.put(&format!("{path}/maintenance"), &window)
                .await
                .status,
            status
        );
    }
    rig.double.finish_everything();
    assert_eq!(
        rig.put(&format!("{path}/migrate"), &json!({"region": "ams3"}))
            .await
            .status,
        202
    );
}

#[tokio::test]
async fn a_move_and_an_upgrade_take_time_too() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}");
    assert_eq!(
        rig.put(&format!("{path}/migrate"), &json!({"region": "ams3"}))
            .await
            .status,
        202
    );
    rig.double.advance(rig.double.config().times.status_lag);
    assert_eq!(shown(&rig, &id).await["status"], "migrating");
    rig.double.finish_everything();
    assert_eq!(shown(&rig, &id).await["region"], "ams3");
    let upgrade = format!("{path}/upgrade");
    assert_eq!(
        rig.put(&upgrade, &json!({"version": "16"})).await.status,
        422
    );
    assert_eq!(
        rig.put(&upgrade, &json!({"version": "15"})).await.status,
        422
    );
    assert_eq!(
        rig.put(&upgrade, &json!({"version": "17"})).await.status,
        204
    );
    rig.double.finish_everything();
    assert_eq!(shown(&rig, &id).await["version"], "17");
}

#[tokio::test]
async fn a_name_is_unique_until_its_cluster_is_deleted() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    let taken = rig.post("/v2/databases", &cluster("one")).await;
    assert_eq!(taken.status, 422);
    assert!(taken.json()["message"].as_str().unwrap().contains("one"));
    let deleted = rig.delete(&format!("/v2/databases/{id}")).await;
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    assert_eq!(rig.delete(&format!("/v2/databases/{id}")).await.status, 404);
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 404);
    rig.cluster("one").await;
    assert_eq!(rig.double.objects().totals.clusters_made, 2);
}

#[tokio::test]
async fn a_deleted_cluster_can_linger() {
    let rig = Rig::frozen().await;
    rig.double
        .configure(|config| config.times.linger = 100)
        .unwrap();
    let id = rig.online_cluster("one").await;
    assert_eq!(rig.delete(&format!("/v2/databases/{id}")).await.status, 204);
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 200);
    assert_eq!(rig.post("/v2/databases", &cluster("one")).await.status, 422);
    rig.double.advance(100);
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 404);
    assert_eq!(rig.double.objects().tags["env:test"], 0);
    rig.cluster("one").await;
}

#[tokio::test]
async fn wrong_orders_are_refused_by_name() {
    let rig = Rig::frozen().await;
    for (member, value) in [
        ("size", json!("db-s-1vcpu-9000gb")),
        ("region", json!("mars1")),
        ("version", json!("9")),
        ("num_nodes", json!(4)),
        ("engine", json!("oracle")),
        ("storage_size_mib", json!(5)),
        ("name", json!("No Capitals")),
        ("tags", json!(["a.b"])),
        ("private_network_uuid", json!("not-a-uuid")),
        ("rules", json!([{"type": "ip_addr", "value": "::1"}])),
    ] {
        let mut body = cluster("one");
        body[member] = value;
        let reply = rig.post("/v2/databases", &body).await;
        assert_eq!(reply.status, 422, "{member}: {}", reply.text);
        assert!(
            reply.json()["message"].as_str().unwrap().contains(member),
            "{}",
            reply.text
        );
    }
    assert_eq!(rig.double.objects().totals.clusters_made, 0);
}

#[tokio::test]
async fn speed_makes_time_pass() {
    let mut config = Config {
        speed: 100_000.0,
        ..Config::default()
    };
    config.times.create = 200_000;
    let rig = Rig::with(config).await;
    let id = rig.cluster("one").await;
    while shown(&rig, &id).await["status"] != "online" {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
}
