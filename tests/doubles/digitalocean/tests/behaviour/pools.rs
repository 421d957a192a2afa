//! Databases and connection pools in a cluster.

use double_digitalocean::{Fault, FaultBody, PlantedCluster};
use serde_json::{Value, json};

use crate::client::{Rig, cluster};

fn pool(name: &str, size: u64) -> Value {
    json!({"name": name, "mode": "transaction", "size": size, "db": "defaultdb", "user": "doadmin"})
}

#[tokio::test]
async fn a_pool_is_made_changed_listed_and_deleted() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/pools");
    let made = rig.post(&path, &pool("backend", 10)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let shown = made.json()["pool"].clone();
    assert_eq!(shown["connection"]["database"], "backend");
    assert_eq!(shown["connection"]["port"], 25061);
    let uri = shown["private_connection"]["uri"].as_str().unwrap();
    assert!(uri.ends_with(":25061/backend?sslmode=require"), "{uri}");
    assert_eq!(
        rig.post(&path, &pool("backend", 1)).await.status,
        422,
        "taken"
    );
    let change = json!({"mode": "session", "size": 5, "db": "defaultdb"});
    let one = format!("{path}/backend");
    assert_eq!(rig.put(&one, &change).await.status, 204);
    let shown = rig.get(&one).await.json()["pool"].clone();
    assert_eq!(
        (&shown["mode"], &shown["size"]),
        (&json!("session"), &json!(5))
    );
    assert!(shown.get("user").is_none(), "left out, so whoever connects");
    let connection = &shown["connection"];
    assert_eq!(
        (&connection["user"], &connection["password"]),
        (&json!(""), &json!(""))
    );
    assert!(!connection["uri"].as_str().unwrap().contains('@'));
    assert_eq!(
        rig.get(&path).await.json()["pools"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(rig.double.objects().clusters[0].pools, ["backend"]);
    assert_eq!(rig.delete(&one).await.status, 204);
    for reply in [
        rig.get(&one).await,
        rig.delete(&one).await,
        rig.put(&one, &change).await,
    ] {
        assert_eq!(reply.status, 404);
    }
    let totals = rig.double.objects().totals;
    assert_eq!((totals.pools_made, totals.pools_gone), (1, 1));
}

#[tokio::test]
async fn all_pools_together_get_no_more_than_the_memory_allows() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/pools");
    assert_eq!(rig.post(&path, &pool("whole", 23)).await.status, 422);
    assert_eq!(rig.post(&path, &pool("most", 12)).await.status, 201);
    let refused = rig.post(&path, &pool("rest", 11)).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("22 connections"), "{}", refused.text);
    assert_eq!(rig.post(&path, &pool("rest", 10)).await.status, 201);
    let change = json!({"mode": "session", "size": 13, "db": "defaultdb"});
    assert_eq!(rig.put(&format!("{path}/most"), &change).await.status, 422);
}

#[tokio::test]
async fn the_database_and_the_user_of_a_pool_must_be_there() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/pools");
    let mut body = pool("backend", 1);
    body["db"] = json!("orders");
    body["user"] = json!("app");
    let refused = rig.post(&path, &body).await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("orders"), "{}", refused.text);
    let dbs = format!("/v2/databases/{id}/dbs");
    assert_eq!(rig.post(&dbs, &json!({"name": "orders"})).await.status, 201);
    rig.double
        .configure(|config| config.refusals.pool_reference_status = 404)
        .unwrap();
    assert_eq!(rig.post(&path, &body).await.status, 404, "no user yet");
    rig.double.plant_user(&id, "app", Some("canary")).unwrap();
    let made = rig.post(&path, &body).await.json();
    assert_eq!(made["pool"]["connection"]["password"], "canary");
}

#[tokio::test]
async fn databases_are_made_once_and_deleted() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/dbs");
    assert_eq!(
        rig.post(&path, &json!({"name": "orders"})).await.status,
        201
    );
    assert_eq!(
        rig.post(&path, &json!({"name": "orders"})).await.status,
        422
    );
    assert_eq!(rig.post(&path, &json!({"name": "a/b"})).await.status, 422);
    let listed = rig.get(&path).await.json();
    assert_eq!(
        listed,
        json!({"dbs": [{"name": "defaultdb"}, {"name": "orders"}]})
    );
    let shown = rig.get(&format!("/v2/databases/{id}")).await.json();
    assert_eq!(
        shown["database"]["db_names"],
        json!(["defaultdb", "orders"])
    );
    assert_eq!(rig.get(&format!("{path}/orders")).await.status, 200);
    assert_eq!(rig.delete(&format!("{path}/orders")).await.status, 204);
    assert_eq!(rig.get(&format!("{path}/orders")).await.status, 404);
    assert_eq!(rig.delete(&format!("{path}/orders")).await.status, 404);
}

#[tokio::test]
async fn pools_are_strict_and_of_postgresql_clusters_that_are_online() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    let path = format!("/v2/databases/{id}/pools");
    assert_eq!(rig.post(&path, &pool("early", 1)).await.status, 412);
    rig.double.finish_everything();
    for (member, value) in [
        ("name", json!("ab")),
        ("name", json!("x".repeat(61))),
        ("mode", json!("none")),
        ("size", json!(0)),
        ("size", json!("5")),
        ("connection", json!({})),
        ("colour", json!("red")),
    ] {
        let mut body = pool("backend", 1);
        body[member] = value;
        let reply = rig.post(&path, &body).await;
        assert_eq!(reply.status, 422, "{member}");
        assert!(reply.text.contains(member), "{}", reply.text);
    }
    assert_eq!(rig.get(&format!("{path}?page=1")).await.status, 400);
    assert_eq!(
        rig.post("/v2/databases/none/pools", &pool("backend", 1))
            .await
            .status,
        404
    );
    let mut other = PlantedCluster::named("other");
    other.engine = "mysql".into();
    let other = rig.double.plant_cluster(other).unwrap();
    let reply = rig
        .post(&format!("/v2/databases/{other}/pools"), &pool("backend", 1))
        .await;
    assert_eq!(reply.status, 422);
    assert_eq!(rig.double.objects().totals.pools_made, 0);
}

#[tokio::test]
async fn pools_are_hidden_planted_and_lost_and_meet_faults() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/pools");
    rig.double.plant_pool(&id, "theirs").unwrap();
    assert!(rig.double.plant_pool(&id, "theirs").is_err());
    rig.double.hide_pool(&id, "theirs", 1, true).unwrap();
    assert_eq!(rig.get(&path).await.json()["pools"], json!([]));
    assert_eq!(rig.get(&format!("{path}/theirs")).await.status, 404);
    assert_eq!(rig.get(&format!("{path}/theirs")).await.status, 200);
    rig.double.vanish_pool(&id, "theirs").unwrap();
    assert!(rig.double.vanish_pool(&id, "theirs").is_err());
    rig.double
        .configure(|config| config.visibility.not_found_reads = 2)
        .unwrap();
    rig.double
        .fault(Fault::on("POST", "/v2/databases/*/pools").act_and_answer(502, FaultBody::Html));
    assert_eq!(rig.post(&path, &pool("ours", 1)).await.status, 502);
    let mut statuses = Vec::new();
    for _ in 0..3 {
        statuses.push(rig.get(&format!("{path}/ours")).await.status);
    }
    assert_eq!(statuses, [404, 404, 200]);
}

#[tokio::test]
async fn pools_hide_their_passwords_from_tokens_without_the_scope() {
    let rig = Rig::frozen().await;
    let mut body = cluster("one");
    body["num_nodes"] = json!(2);
    let id = crate::client::id_in(&rig.post("/v2/databases", &body).await.json()["database"]);
    rig.double.finish_everything();
    let path = format!("/v2/databases/{id}/pools");
    let made = rig.post(&path, &pool("backend", 1)).await;
    assert_eq!(
        made.text.matches("\"password\"").count(),
        4,
        "{}",
        made.text
    );
    rig.double
        .configure(|config| config.secrets.hide_credentials = true)
        .unwrap();
    let shown = rig.get(&format!("{path}/backend")).await;
    assert!(
        !shown.text.contains("password") && !shown.text.contains("uri"),
        "{}",
        shown.text
    );
    assert!(shown.json()["pool"]["standby_private_connection"]["host"].is_string());
}
