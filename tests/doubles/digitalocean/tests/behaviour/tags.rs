//! Tags.

use serde_json::{Value, json};

use crate::client::{Rig, cluster};

fn resources(id: &str) -> Value {
    json!({"resources": [{"resource_id": id, "resource_type": "database"}]})
}

async fn tags_of(rig: &Rig, id: &str) -> Value {
    rig.get(&format!("/v2/databases/{id}")).await.json()["database"]["tags"].clone()
}

#[tokio::test]
async fn creating_a_cluster_creates_its_tags() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    assert_eq!(tags_of(&rig, &id).await, json!(["env:test"]));
    let tag = rig.get("/v2/tags/env:test").await.json()["tag"].clone();
    assert_eq!(tag["resources"]["databases"]["count"], 1);
    assert!(
        tag["resources"]["last_tagged_uri"]
            .as_str()
            .unwrap()
            .ends_with(&id)
    );
}

#[tokio::test]
async fn tags_are_put_on_and_taken_off() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    assert_eq!(
        rig.post("/v2/tags/blue/resources", &resources(&id))
            .await
            .status,
        404,
        "no such tag"
    );
    assert_eq!(
        rig.post("/v2/tags", &json!({"name": "blue"})).await.status,
        201
    );
    assert_eq!(
        rig.post("/v2/tags/blue/resources", &resources(&id))
            .await
            .status,
        204
    );
    assert_eq!(
        rig.post("/v2/tags/blue/resources", &resources(&id))
            .await
            .status,
        204
    );
    assert_eq!(tags_of(&rig, &id).await, json!(["env:test", "blue"]));
    assert_eq!(
        rig.call("DELETE", "/v2/tags/env:test/resources", &resources(&id))
            .await
            .status,
        204
    );
    assert_eq!(tags_of(&rig, &id).await, json!(["blue"]));
    assert_eq!(
        rig.post("/v2/tags/blue/resources", &resources("nothing"))
            .await
            .status,
        404
    );
    let droplet = json!({"resources": [{"resource_id": id, "resource_type": "droplet"}]});
    assert_eq!(
        rig.post("/v2/tags/blue/resources", &droplet).await.status,
        404
    );
}

#[tokio::test]
async fn the_first_capitalisation_stays_and_any_finds_it() {
    let rig = Rig::frozen().await;
    assert_eq!(
        rig.post("/v2/tags", &json!({"name": "Prod"})).await.json()["tag"]["name"],
        "Prod"
    );
    assert_eq!(
        rig.post("/v2/tags", &json!({"name": "PROD"})).await.json()["tag"]["name"],
        "Prod"
    );
    let mut body = cluster("one");
    body["tags"] = json!(["pROD", "prod"]);
    let created = rig.post("/v2/databases", &body).await.json();
    assert_eq!(created["database"]["tags"], json!(["Prod"]));
    let found = rig.get("/v2/databases?tag_name=prod").await.json();
    assert_eq!(found["databases"].as_array().unwrap().len(), 1);
    let nothing = rig.get("/v2/databases?tag_name=other").await.json();
    assert_eq!(nothing["databases"], json!([]));
}

#[tokio::test]
async fn deleting_a_tag_takes_it_off_everything() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    assert_eq!(rig.delete("/v2/tags/env:test").await.status, 204);
    assert_eq!(rig.get("/v2/tags/env:test").await.status, 404);
    assert_eq!(tags_of(&rig, &id).await, json!([]));
}

#[tokio::test]
async fn an_orphaned_tag_stays() {
    let rig = Rig::frozen().await;
    let id = rig.cluster("one").await;
    rig.delete(&format!("/v2/databases/{id}")).await;
    let tag = rig.get("/v2/tags/env:test").await.json();
    assert_eq!(tag["tag"]["resources"]["databases"]["count"], 0);
}

#[tokio::test]
async fn tag_names_are_checked_and_lists_are_paged() {
    let rig = Rig::frozen().await;
    for wrong in ["a.b", "a b", "a=b", "", &"x".repeat(256)] {
        assert_eq!(
            rig.post("/v2/tags", &json!({"name": wrong})).await.status,
            422,
            "{wrong}"
        );
    }
    let garbled = rig
        .request("POST", "/v2/tags")
        .header("content-type", "application/json")
        .body("{");
    let garbled = rig.send(garbled).await.unwrap();
    assert_eq!(garbled.status, 400);
    assert!(
        garbled.json()["root_causes"].is_array(),
        "this endpoint has a shape of its own"
    );
    for number in 0..25 {
        rig.post("/v2/tags", &json!({"name": format!("t{number}")}))
            .await;
    }
    let page = rig.get("/v2/tags?page=2&per_page=10").await.json();
    assert_eq!(page["tags"].as_array().unwrap().len(), 10);
    assert_eq!(page["meta"]["total"], 25);
}
