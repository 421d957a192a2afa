//! Read-only replicas, and the backups that they begin with.

use double_digitalocean::{ClusterDrift, Fault, FaultBody, PlantedCluster, PlantedVpc};
use serde_json::{Value, json};

use crate::client::{Rig, id_in};

fn replica(name: &str) -> Value {
    json!({"name": name, "size": "db-s-1vcpu-1gb", "tags": ["env:test"]})
}

async fn shown(rig: &Rig, path: &str) -> Value {
    let reply = rig.get(path).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["replica"].clone()
}

#[tokio::test]
async fn a_replica_waits_for_the_first_backup_of_its_cluster() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    let times = rig.double.config().times;
    let path = format!("/v2/databases/{id}");
    rig.double.advance(times.create);
    assert_eq!(
        rig.get(&format!("{path}/backups")).await.json()["backups"],
        json!([])
    );
    let refused = rig
        .post(&format!("{path}/replicas"), &replica("read"))
        .await;
    assert_eq!(refused.status, 412);
    assert_eq!(refused.json()["id"], "precondition_failed");
    rig.double.advance(times.first_backup);
    let backups = rig.get(&format!("{path}/backups")).await.json();
    assert_eq!(backups["backups"].as_array().unwrap().len(), 1);
    assert_eq!(
        rig.post(&format!("{path}/replicas"), &replica("read"))
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn a_test_decides_whether_there_is_a_backup() {
    let rig = Rig::frozen().await;
    let id = rig
        .double
        .plant_cluster(PlantedCluster::named("old"))
        .unwrap();
    let path = format!("/v2/databases/{id}/replicas");
    let backed_up = |has| ClusterDrift {
        backed_up: Some(has),
        ..ClusterDrift::default()
    };
    rig.double.drift_cluster(&id, backed_up(false)).unwrap();
    rig.double.finish_everything();
    assert_eq!(rig.post(&path, &replica("read")).await.status, 412);
    rig.double.drift_cluster(&id, backed_up(true)).unwrap();
    assert_eq!(rig.post(&path, &replica("read")).await.status, 201);
}

#[tokio::test]
async fn a_replica_forks_comes_online_grows_by_its_own_id_and_goes() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let replicas = format!("/v2/databases/{id}/replicas");
    let made = rig.post(&replicas, &replica("read")).await.json()["replica"].clone();
    assert_eq!(
        (&made["status"], &made["region"]),
        (&json!("forking"), &json!("nyc3"))
    );
    assert_eq!(made["tags"], json!(["env:test"]));
    let own = format!("/v2/databases/{}", id_in(&made));
    let path = format!("{replicas}/read");
    let size = json!({"size": "db-s-2vcpu-4gb", "num_nodes": 1});
    assert_eq!(
        rig.put(&format!("{own}/resize"), &size).await.status,
        412,
        "forking"
    );
    rig.double.advance(rig.double.config().times.replica);
    assert_eq!(shown(&rig, &path).await["status"], "online");
    assert_eq!(rig.get(&own).await.status, 404, "it is no cluster");
    assert_eq!(rig.put(&format!("{own}/resize"), &size).await.status, 202);
    assert_eq!(shown(&rig, &path).await["status"], "online");
    rig.double.advance(rig.double.config().times.status_lag);
    assert_eq!(shown(&rig, &path).await["status"], "resizing");
    rig.double.finish_everything();
    let grown = shown(&rig, &path).await;
    assert_eq!(
        (&grown["status"], &grown["size"]),
        (&json!("online"), &json!("db-s-2vcpu-4gb"))
    );
    let two = json!({"size": "db-s-2vcpu-4gb", "num_nodes": 2});
    assert_eq!(rig.put(&format!("{own}/resize"), &two).await.status, 422);
    assert_eq!(
        rig.get("/v2/tags/env:test").await.json()["tag"]["resources"]["count"],
        2
    );
    assert_eq!(rig.delete(&path).await.status, 204);
    assert_eq!(rig.delete(&path).await.status, 404);
    assert_eq!(rig.double.objects().tags["env:test"], 1);
    assert_eq!(rig.double.objects().totals.replicas_gone, 1);
}

#[tokio::test]
async fn wrong_replicas_are_refused_by_name() {
    let rig = Rig::frozen().await;
    let mut big = PlantedCluster::named("big");
    big.size = "db-s-2vcpu-4gb".into();
    let id = rig.double.plant_cluster(big).unwrap();
    let path = format!("/v2/databases/{id}/replicas");
    let vpc = rig
        .double
        .plant_vpc(PlantedVpc::named("other", "ams3"))
        .unwrap();
    let right = json!({"name": "read", "size": "db-s-2vcpu-4gb"});
    for (member, value) in [
        ("size", json!("db-s-1vcpu-1gb")),
        ("size", json!("huge")),
        ("name", json!("No Capitals")),
        ("region", json!("mars1")),
        (
            "private_network_uuid",
            json!("00000000-0000-4000-8000-000000000000"),
        ),
        ("private_network_uuid", json!(vpc)),
        ("num_nodes", json!(1)),
        ("tags", json!(["a.b"])),
    ] {
        let mut body = right.clone();
        body[member] = value;
        let reply = rig.post(&path, &body).await;
        assert_eq!(reply.status, 422, "{member}");
        assert!(reply.text.contains(member), "{member}: {}", reply.text);
    }
    assert_eq!(rig.post(&path, &right).await.status, 201);
    assert_eq!(
        rig.post(&path, &right).await.status,
        422,
        "its name is taken"
    );
    let mut valkey = PlantedCluster::named("cache");
    valkey.engine = "valkey".into();
    let cache = rig.double.plant_cluster(valkey).unwrap();
    let reply = rig
        .post(&format!("/v2/databases/{cache}/replicas"), &right)
        .await;
    assert_eq!(reply.status, 422);
}

#[tokio::test]
async fn a_cluster_takes_its_replicas_with_it_unless_it_must_not() {
    let rig = Rig::frozen().await;
    let id = rig
        .double
        .plant_cluster(PlantedCluster::named("one"))
        .unwrap();
    rig.double.plant_replica(&id, "read").unwrap();
    rig.double
        .configure(|config| config.refusals.delete_with_replicas = false)
        .unwrap();
    let path = format!("/v2/databases/{id}");
    assert_eq!(rig.delete(&path).await.status, 409);
    rig.double
        .configure(|config| config.refusals.delete_with_replicas = true)
        .unwrap();
    assert_eq!(rig.delete(&path).await.status, 204);
    assert_eq!(rig.double.objects().totals.replicas_gone, 1);
}

#[tokio::test]
async fn a_promoted_replica_is_a_cluster_of_its_own() {
    let rig = Rig::frozen().await;
    let id = rig
        .double
        .plant_cluster(PlantedCluster::named("one"))
        .unwrap();
    let own = rig.double.plant_replica(&id, "read").unwrap();
    let path = format!("/v2/databases/{id}/replicas/read");
    assert_eq!(
        rig.request("PUT", &format!("{path}/promote"))
            .send()
            .await
            .unwrap()
            .status(),
        204
    );
    assert_eq!(rig.get(&path).await.status, 404);
    let shown = rig.get(&format!("/v2/databases/{own}")).await.json();
    assert_eq!(shown["database"]["name"], "read");
    assert_eq!(rig.delete(&format!("/v2/databases/{id}")).await.status, 204);
    assert_eq!(rig.get(&format!("/v2/databases/{own}")).await.status, 200);
}

#[tokio::test]
async fn replicas_hide_vanish_and_meet_faults() {
    let rig = Rig::frozen().await;
    let id = rig
        .double
        .plant_cluster(PlantedCluster::named("one"))
        .unwrap();
    let own = rig.double.plant_replica(&id, "read").unwrap();
    let list = format!("/v2/databases/{id}/replicas");
    rig.double.hide(&own, 1, true).unwrap();
    assert_eq!(rig.get(&list).await.json()["replicas"], json!([]));
    assert_eq!(rig.get(&format!("{list}/read")).await.status, 404);
    assert_eq!(rig.get(&format!("{list}/read")).await.status, 200);
    assert_eq!(rig.delete("/v2/tags/none").await.status, 404);
    rig.double.vanish(&own).unwrap();
    assert_eq!(rig.get(&format!("{list}/read")).await.status, 404);
    rig.double
        .fault(Fault::on("POST", "/v2/databases/*/replicas").answer(412, FaultBody::Error));
    assert_eq!(rig.post(&list, &replica("read")).await.status, 412);
    rig.double
        .fault(Fault::on("POST", "/v2/databases/*/replicas").drop_after());
    let lost = rig.request("POST", &list).json(&replica("read"));
    assert!(rig.send(lost).await.is_err());
    assert_eq!(
        rig.double.objects().clusters[0].replicas[0].status,
        "forking"
    );
}

#[tokio::test]
async fn deleting_a_tag_takes_it_off_replicas_too() {
    let rig = Rig::frozen().await;
    let id = rig
        .double
        .plant_cluster(PlantedCluster::named("one"))
        .unwrap();
    let list = format!("/v2/databases/{id}/replicas");
    rig.post(&list, &replica("read")).await;
    let found = rig.get("/v2/databases?tag_name=env:test").await.json();
    assert_eq!(found["databases"], json!([]), "a replica is no cluster");
    assert_eq!(rig.delete("/v2/tags/env:test").await.status, 204);
    assert_eq!(
        shown(&rig, &format!("{list}/read")).await["tags"],
        json!([])
    );
}
