//! Settings of clusters.

use serde_json::json;

use crate::client::{Rig, cluster};

#[tokio::test]
async fn maintenance_is_shown_with_seconds() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}", rig.online_cluster("one").await);
    let window = json!({"day": "tuesday", "hour": "14:00"});
    assert_eq!(
        rig.put(&format!("{path}/maintenance"), &window)
            .await
            .status,
        204
    );
    let shown = rig.get(&path).await.json();
    assert_eq!(shown["database"]["maintenance_window"]["day"], "tuesday");
    assert_eq!(shown["database"]["maintenance_window"]["hour"], "14:00:00");
    for wrong in [
        json!({"day": "tuesday"}),
        json!({"day": "noday", "hour": "14:00"}),
        json!({"day": "monday", "hour": "25:00"}),
    ] {
        assert_eq!(
            rig.put(&format!("{path}/maintenance"), &wrong).await.status,
            422
        );
    }
}

#[tokio::test]
async fn configuration_merges_and_refuses_what_it_does_not_know() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}/config", rig.online_cluster("one").await);
    let first = rig
        .call(
            "PATCH",
            &path,
            &json!({"config": {"work_mem": 8, "jit": false}}),
        )
        .await;
    assert_eq!((first.status, first.text.as_str()), (200, ""));
    rig.call("PATCH", &path, &json!({"config": {"work_mem": 16}}))
        .await;
    let shown = rig.get(&path).await.json();
    assert_eq!(shown["config"]["work_mem"], 16);
    assert_eq!(shown["config"]["jit"], false);
    for wrong in [
        json!({"config": {"work_memory": 8}}),
        json!({"config": {"work_mem": 0}}),
        json!({"config": {"jit": "on"}}),
        json!({}),
    ] {
        let reply = rig.call("PATCH", &path, &wrong).await;
        assert_eq!(reply.status, 422, "{wrong}");
    }
    assert_eq!(rig.get(&path).await.json()["config"]["work_mem"], 16);
}

#[tokio::test]
async fn autoscale_and_names_are_kept() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}", rig.online_cluster("one").await);
    let storage =
        json!({"storage": {"enabled": true, "threshold_percent": 80, "increment_gib": 10}});
    assert_eq!(
        rig.put(&format!("{path}/autoscale"), &storage).await.status,
        204
    );
    assert_eq!(
        rig.get(&format!("{path}/autoscale")).await.json(),
        json!({"autoscale": storage})
    );
    let wrong = json!({"storage": {"enabled": true, "threshold_percent": 10}});
    assert_eq!(
        rig.put(&format!("{path}/autoscale"), &wrong).await.status,
        422
    );
    let names = json!({"do_settings": {"service_cnames": ["db.example.com"]}});
    assert_eq!(
        rig.put(&format!("{path}/do_settings"), &names).await.status,
        204
    );
    assert_eq!(rig.get(&format!("{path}/do_settings")).await.json(), names);
}

#[tokio::test]
async fn rules_given_at_create_are_replaced_as_a_whole() {
    let rig = Rig::frozen().await;
    let mut body = cluster("one");
    body["rules"] = json!([{"type": "ip_addr", "value": "192.0.2.1", "description": "office"}]);
    let created = rig.post("/v2/databases", &body).await.json();
    let id = created["database"]["id"].as_str().unwrap();
    let path = format!("/v2/databases/{id}/firewall");
    let rules = rig.get(&path).await.json();
    assert_eq!(rules["rules"][0]["description"], "office");
    assert!(rules["rules"][0]["uuid"].is_string());
    assert_eq!(
        rig.put(&path, &json!({"rules": []})).await.status,
        412,
        "it is being created"
    );
    rig.double.finish_everything();
    let other = json!({"rules": [{"type": "tag", "value": "web"}, {"type": "ip_addr", "value": "198.51.100.0/24"}]});
    assert_eq!(rig.put(&path, &other).await.status, 204);
    assert_eq!(
        rig.get(&path).await.json()["rules"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn certificate_and_backups_come_with_the_cluster() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}", rig.cluster("one").await);
    assert_eq!(rig.get(&format!("{path}/ca")).await.status, 412);
    assert_eq!(
        rig.get(&format!("{path}/backups")).await.json()["backups"],
        json!([])
    );
    rig.double.finish_everything();
    let authority = rig.get(&format!("{path}/ca")).await.json();
    assert!(authority["ca"]["certificate"].as_str().unwrap().len() > 100);
    assert_eq!(
        rig.get(&format!("{path}/backups")).await.json()["backups"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn pending_updates_are_installed() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let drift = double_digitalocean::ClusterDrift {
        maintenance_pending: Some(true),
        ..Default::default()
    };
    rig.double.drift_cluster(&id, drift).unwrap();
    let path = format!("/v2/databases/{id}");
    assert_eq!(
        rig.get(&path).await.json()["database"]["maintenance_window"]["pending"],
        true
    );
    let installed = rig
        .send(rig.request("PUT", &format!("{path}/install_update")))
        .await
        .unwrap();
    assert_eq!(installed.status, 204);
    assert_eq!(
        rig.get(&path).await.json()["database"]["maintenance_window"]["pending"],
        false
    );
}
