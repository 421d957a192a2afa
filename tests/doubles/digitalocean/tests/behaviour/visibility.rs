//! What can be seen of new, hidden and foreign objects.

use double_digitalocean::{ClusterDrift, PlantedApp, PlantedCluster};
use serde_json::json;

use crate::client::{Rig, cluster};

#[tokio::test]
async fn a_new_cluster_answers_404_at_first_and_is_in_the_list() {
    let rig = Rig::frozen().await;
    rig.double
        .configure(|config| config.visibility.not_found_reads = 3)
        .unwrap();
    let id = rig.cluster("one").await;
    let path = format!("/v2/databases/{id}");
    let mut statuses = Vec::new();
    for _ in 0..5 {
        assert_eq!(
            rig.get("/v2/databases").await.json()["databases"]
                .as_array()
                .unwrap()
                .len(),
            1
        );
        statuses.push(rig.get(&path).await.status);
    }
    assert_eq!(statuses, [404, 404, 404, 200, 200]);
}

#[tokio::test]
async fn a_new_object_can_be_hidden_for_a_while_and_from_lists() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"visibility": {"not_found_ms": 100, "hidden_in_lists": true}}))
        .unwrap();
    let cluster = rig.cluster("one").await;
    let app = rig.app("web-app").await;
    for path in [
        format!("/v2/databases/{cluster}"),
        format!("/v2/apps/{app}"),
    ] {
        assert_eq!(rig.get(&path).await.status, 404);
    }
    assert_eq!(
        rig.get("/v2/databases").await.json()["databases"],
        json!([])
    );
    assert_eq!(rig.get("/v2/apps").await.json()["apps"], json!([]));
    rig.double.advance(100);
    assert_eq!(
        rig.get(&format!("/v2/databases/{cluster}")).await.status,
        200
    );
    assert_eq!(
        rig.get("/v2/databases").await.json()["databases"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        rig.get("/v2/apps").await.json()["apps"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn an_old_object_can_disappear_and_come_back() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    rig.double.hide(&id, 1, true).unwrap();
    assert_eq!(
        rig.get("/v2/databases").await.json()["databases"],
        json!([])
    );
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 404);
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 200);
    assert!(rig.double.hide("nothing", 1, true).is_err());
}

#[tokio::test]
async fn objects_of_others_are_like_any_other() {
    let rig = Rig::frozen().await;
    let planted = PlantedCluster::named("foreign")
        .tag("team:x")
        .password("canary-foreign");
    let id = rig.double.plant_cluster(planted).unwrap();
    rig.double
        .plant_user(&id, "other", Some("canary-user"))
        .unwrap();
    let list = rig.get("/v2/databases").await;
    assert!(list.text.contains("canary-foreign") && list.text.contains("canary-user"));
    assert_eq!(list.json()["databases"][0]["status"], "online");
    assert_eq!(
        rig.post("/v2/databases", &cluster("foreign")).await.status,
        422
    );
    let app = rig.double.plant_app(PlantedApp::named("foreign")).unwrap();
    assert_eq!(rig.get(&format!("/v2/apps/{app}")).await.status, 200);
    let objects = rig.double.objects();
    assert_eq!(objects.clusters[0].users, ["doadmin", "other"]);
    assert_eq!(
        (objects.totals.clusters_made, objects.totals.apps_made),
        (1, 1)
    );
}

#[tokio::test]
async fn others_change_and_remove_objects() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let drift = ClusterDrift {
        size: Some("db-s-4vcpu-8gb".into()),
        num_nodes: Some(3),
        tags: Some(vec!["other".into()]),
        password: Some("rotated".into()),
        name: Some("renamed".into()),
        ..ClusterDrift::default()
    };
    rig.double.drift_cluster(&id, drift).unwrap();
    let shown = rig.get(&format!("/v2/databases/{id}")).await.json()["database"].clone();
    assert_eq!(shown["size"], "db-s-4vcpu-8gb");
    assert_eq!(shown["tags"], json!(["other"]));
    assert_eq!(shown["connection"]["password"], "rotated");
    assert_eq!(shown["name"], "renamed");
    rig.cluster("one").await;
    rig.double.vanish(&id).unwrap();
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 404);
    assert!(rig.double.vanish(&id).is_err());
}

#[tokio::test]
async fn a_change_can_be_made_to_take_for_ever_or_end_now() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    let online = |online| ClusterDrift {
        online: Some(online),
        ..ClusterDrift::default()
    };
    rig.double.drift_cluster(&id, online(false)).unwrap();
    rig.double.finish_everything();
    let status =
        async || rig.get(&format!("/v2/databases/{id}")).await.json()["database"]["status"].clone();
    assert_eq!(status().await, "creating");
    rig.double.drift_cluster(&id, online(true)).unwrap();
    assert_eq!(status().await, "online");
}

#[tokio::test]
async fn others_change_an_app_in_the_console() {
    let rig = Rig::frozen().await;
    let id = rig.app("web-app").await;
    rig.double.finish_everything();
    let mut spec = rig.get(&format!("/v2/apps/{id}")).await.json()["app"]["spec"].clone();
    spec["services"][0]["instance_count"] = json!(5);
    rig.double.drift_app(&id, spec).unwrap();
    let shown = rig.get(&format!("/v2/apps/{id}")).await.json()["app"].clone();
    assert_eq!(shown["spec"]["services"][0]["instance_count"], 5);
    assert_eq!(
        shown["pending_deployment"]["cause"],
        "changed in the console"
    );
}
