//! Functions namespaces.

use double_digitalocean::{Fault, FaultBody};
use serde_json::{Value, json};

use crate::client::Rig;

const PATH: &str = "/v2/functions/namespaces";

async fn make(rig: &Rig, label: &str) -> Value {
    let reply = rig
        .post(PATH, &json!({"label": label, "region": "nyc1"}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["namespace"].clone()
}

fn path_of(namespace: &Value) -> String {
    format!("{PATH}/{}", namespace["namespace"].as_str().unwrap())
}

#[tokio::test]
async fn the_key_is_in_every_answer() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"secrets": {"password_prefix": "canary-"}}))
        .unwrap();
    let made = make(&rig, "jobs").await;
    let key = made["key"].as_str().unwrap();
    assert!(key.starts_with("canary-"), "{key}");
    assert!(made["namespace"].as_str().unwrap().starts_with("fn-"));
    assert_ne!(made["namespace"], made["uuid"]);
    assert_eq!(rig.get(&path_of(&made)).await.json()["namespace"], made);
    assert_eq!(rig.get(PATH).await.json(), json!({"namespaces": [made]}));
    let by_uuid = format!("{PATH}/{}", made["uuid"].as_str().unwrap());
    assert_eq!(
        rig.get(&by_uuid).await.status,
        404,
        "paths have the other id"
    );
}

#[tokio::test]
async fn a_namespace_goes_when_it_is_deleted_and_its_label_is_free_again() {
    let rig = Rig::frozen().await;
    let path = path_of(&make(&rig, "jobs").await);
    let taken = rig
        .post(PATH, &json!({"label": "jobs", "region": "ams3"}))
        .await;
    assert_eq!(taken.status, 422);
    assert!(taken.text.contains("jobs"), "{}", taken.text);
    assert_eq!(rig.delete(&path).await.status, 204);
    for reply in [rig.get(&path).await, rig.delete(&path).await] {
        assert_eq!(reply.status, 404);
    }
    make(&rig, "jobs").await;
    let totals = rig.double.objects().totals;
    assert_eq!((totals.namespaces_made, totals.namespaces_gone), (2, 1));
}

#[tokio::test]
async fn wrong_namespaces_and_too_many_are_refused() {
    let rig = Rig::frozen().await;
    for (member, value) in [
        ("label", json!("")),
        ("region", json!("mars1")),
        ("region", json!(1)),
        ("tags", json!(["a"])),
        ("name", json!("jobs")),
    ] {
        let mut body = json!({"label": "jobs", "region": "nyc1"});
        body[member] = value;
        let reply = rig.post(PATH, &body).await;
        assert_eq!(reply.status, 422, "{member}");
        assert!(reply.text.contains(member), "{}", reply.text);
    }
    assert_eq!(
        rig.get(&format!("{PATH}?page=1")).await.status,
        400,
        "unpaged"
    );
    let path = path_of(&make(&rig, "one").await);
    for method in ["PUT", "PATCH"] {
        assert_eq!(
            rig.call(method, &path, &json!({"label": "two"}))
                .await
                .status,
            405
        );
    }
    rig.double
        .configure(|config| config.limits.namespaces = 1)
        .unwrap();
    let refused = rig
        .post(PATH, &json!({"label": "two", "region": "nyc1"}))
        .await;
    assert_eq!(refused.status, 422);
    assert!(refused.text.contains("Limit Reached"), "{}", refused.text);
}

#[tokio::test]
async fn namespaces_hide_vanish_are_planted_and_meet_faults() {
    let rig = Rig::frozen().await;
    let id = rig
        .double
        .plant_namespace("theirs", "nyc1", Some("canary"))
        .unwrap();
    assert!(rig.double.plant_namespace("theirs", "nyc1", None).is_err());
    assert_eq!(rig.double.objects().namespaces[0].key, "canary");
    let path = format!("{PATH}/{id}");
    rig.double.hide(&id, 1, true).unwrap();
    assert_eq!(rig.get(PATH).await.json()["namespaces"], json!([]));
    assert_eq!(rig.get(&path).await.status, 404);
    assert_eq!(rig.get(&path).await.status, 200);
    rig.double.vanish(&id).unwrap();
    assert_eq!(rig.get(&path).await.status, 404);
    rig.double
        .configure(|config| config.visibility.not_found_reads = 1)
        .unwrap();
    rig.double
        .fault(Fault::on("POST", PATH).act_and_answer(502, FaultBody::Html));
    let lost = rig
        .post(PATH, &json!({"label": "ours", "region": "nyc1"}))
        .await;
    assert_eq!(lost.status, 502);
    let made = rig.get(PATH).await.json()["namespaces"][0].clone();
    assert_eq!(made["label"], "ours");
    assert_eq!(rig.get(&path_of(&made)).await.status, 404);
    assert_eq!(rig.get(&path_of(&made)).await.status, 200);
}
