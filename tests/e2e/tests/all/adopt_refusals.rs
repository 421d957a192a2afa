//! What is not adopted, and why.

use berth_e2e::{New, World};
use double_digitalocean::PlantedCluster;
use serde_json::{Value, json};

const NOWHERE: &str = "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";

fn plant(world: &World, name: &str) -> String {
    world
        .double
        .plant_cluster(PlantedCluster::named(name))
        .unwrap()
}

fn with(mut body: Value, field: &str, value: impl Into<Value>) -> Value {
    body[field] = value.into();
    body
}

/// rule: CR-225
#[tokio::test]
async fn every_field_that_is_needed_is_asked_for() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let whole = acme.adoption("orders", NOWHERE);
    for field in [
        "tenantId",
        "poolId",
        "kind",
        "providerId",
        "name",
        "idempotencyKey",
    ] {
        let mut body = whole.clone();
        body.as_object_mut().unwrap().remove(field);
        let refusal = acme.api.refused("cloudResources/adopt", &body).await;
        refusal.is_invalid_at(field);
    }
    let long = with(whole.clone(), "providerId", "a".repeat(201));
    acme.api
        .refused("cloudResources/adopt", &long)
        .await
        .is_invalid_at("providerId");
    let spec = with(whole, "spec", json!({}));
    acme.api
        .refused("cloudResources/adopt", &spec)
        .await
        .is_invalid_at("spec");
}

/// rule: CR-225
#[tokio::test]
async fn what_is_no_id_of_the_kind_is_put_into_no_request() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    for id in [
        "",
        ".",
        "..",
        "../apps",
        "a/b",
        "a?b=c",
        "a#b",
        "a%2fb",
        "a b",
        "orders",
        &format!("{NOWHERE}/users"),
        &format!("{NOWHERE}?x"),
        &NOWHERE.replace('-', ""),
        &"a".repeat(200),
    ] {
        let body = acme.adoption("orders", id);
        acme.api
            .refused("cloudResources/adopt", &body)
            .await
            .is_invalid_at("providerId");
    }
    assert_eq!(world.double.log().len(), 0);
}

/// rule: CR-228
#[tokio::test]
async fn what_does_not_exist_is_not_found_and_nothing_is_recorded() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let mysql = PlantedCluster {
        engine: "mysql".to_owned(),
        ..PlantedCluster::named("mysql")
    };
    let mysql = world.double.plant_cluster(mysql).unwrap();
    for id in [NOWHERE, &mysql] {
        acme.api
            .refused("cloudResources/adopt", &acme.adoption("orders", id))
            .await
            .is("NOT_FOUND", "object");
    }
    let all = acme.list_by(json!({"includeDeleted": true})).await;
    assert_eq!(all["items"], json!([]));
}

/// rule: CR-229
#[tokio::test]
async fn what_another_deployment_manages_is_not_adopted() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let theirs = PlantedCluster::named("theirs").tag("better-compute-managed:dep_other");
    let theirs = world.double.plant_cluster(theirs).unwrap();
    acme.api
        .refused("cloudResources/adopt", &acme.adoption("orders", &theirs))
        .await
        .is("INVALID_STATE", "managedByAnother");
    assert_eq!(acme.list().await["items"], json!([]));
    assert_eq!(world.writes(), [""; 0]);
}

/// rule: CR-231, CR-232
#[tokio::test]
async fn kinds_that_cannot_be_taken_over_are_unsupported() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    for (kind, id, reason) in [
        ("do.database.user", "reports", "parent"),
        ("do.app", NOWHERE, "adopt"),
        ("do.nothing", NOWHERE, "kind"),
    ] {
        let body = with(acme.adoption("orders", id), "kind", kind);
        acme.api
            .refused("cloudResources/adopt", &body)
            .await
            .is("UNSUPPORTED", reason);
    }
    assert_eq!(world.double.log().len(), 0);
}

/// rule: CR-234, CR-235
#[tokio::test]
async fn what_is_recorded_already_and_a_name_that_is_taken_are_conflicts() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let twice = acme.adoption("twice", orders.provider_id());
    let refusal = acme.api.refused("cloudResources/adopt", &twice).await;
    refusal.is("CONFLICT", "recorded");
    assert_eq!(refusal.details["resourceId"], json!(orders.id()));

    let found = plant(&world, "found");
    acme.api
        .refused("cloudResources/adopt", &acme.adoption("orders", &found))
        .await
        .is("CONFLICT", "name");
    // Also before its labels are on it.
    let hold = world
        .double
        .fault(double_digitalocean::Fault::on("POST", "/v2/tags/*/resources").hold_before());
    let first = acme.adopt("first", &found).await;
    world.double.wait_held(hold).await;
    let refusal = acme
        .api
        .refused("cloudResources/adopt", &acme.adoption("second", &found))
        .await;
    refusal.is("CONFLICT", "recorded");
    assert_eq!(refusal.details["resourceId"], json!(first.id()));
    world.double.release(hold);
    acme.wait(first.id(), "ready").await;
}

/// A create whose answer is not stored yet has its object all the same.
///
/// rule: CR-234
#[tokio::test]
async fn the_object_of_a_create_that_is_under_way_is_not_adopted() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let hold = world
        .double
        .fault(double_digitalocean::Fault::on("POST", "/v2/databases").hold_after());
    let orders = acme.create(&New::pg("orders")).await;
    world.double.wait_held(hold).await;
    let id = world.double.objects().clusters[0].id.clone();
    let refusal = acme
        .api
        .refused("cloudResources/adopt", &acme.adoption("mine", &id))
        .await;
    refusal.is("CONFLICT", "recorded");
    assert_eq!(refusal.details["resourceId"], json!(orders.id()));
    world.double.release(hold);
    acme.wait(orders.id(), "ready").await;
}

/// rule: CR-236
#[tokio::test]
async fn the_quota_of_the_kind_holds_for_adopted_ones_as_well() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let quotas = json!({"tenantId": "acme", "quotas": {"do.database.pg": 1}});
    world.root.ok("tenants/update", &quotas).await;
    let (one, two) = (plant(&world, "one"), plant(&world, "two"));
    acme.adopted("one", &one).await;
    let refusal = acme
        .api
        .refused("cloudResources/adopt", &acme.adoption("two", &two))
        .await;
    refusal.is("QUOTA_EXCEEDED", "quota");
    assert_eq!(refusal.details["limit"], 1);
    acme.refused(&New::pg("three"))
        .await
        .is("QUOTA_EXCEEDED", "quota");
}

/// rule: CR-237
#[tokio::test]
async fn a_retry_answers_with_the_resource_and_another_request_of_the_key_is_a_conflict() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let found = plant(&world, "found");
    let body = acme.adoption("orders", &found);
    let first = acme.api.ok("cloudResources/adopt", &body).await;
    let id = first["id"].as_str().unwrap();
    acme.wait(id, "ready").await;
    let again = acme.api.ok("cloudResources/adopt", &body).await;
    assert_eq!(
        (&again["id"], &again["state"]),
        (&first["id"], &json!("ready"))
    );
    let changed = with(body.clone(), "name", "other");
    acme.api
        .refused("cloudResources/adopt", &changed)
        .await
        .is("CONFLICT", "idempotencyKey");
    let create = New::pg("orders").with("idempotencyKey", "adopt-orders");
    acme.refused(&create).await.is("CONFLICT", "idempotencyKey");
    let used = acme
        .create(&New::app("shop").with("idempotencyKey", "k"))
        .await;
    let other = with(acme.adoption("shop", &found), "idempotencyKey", "k");
    let refusal = acme.api.refused("cloudResources/adopt", &other).await;
    refusal.is("CONFLICT", "idempotencyKey");
    assert_eq!(refusal.details["resourceId"], json!(used.id()));
    // Ended or not.
    acme.release(id).await;
    acme.wait(id, "released").await;
    let again = acme.api.ok("cloudResources/adopt", &body).await;
    assert_eq!(
        (&again["id"], &again["state"]),
        (&first["id"], &json!("released"))
    );
}

/// rule: CR-242
#[tokio::test]
async fn the_region_of_the_object_is_decided_on_as_for_a_create() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let near = plant(&world, "near");
    let far = PlantedCluster {
        region: "ams3".to_owned(),
        ..PlantedCluster::named("far")
    };
    let far = world.double.plant_cluster(far).unwrap();
    let statement = |action: &str, condition: Value| {
        json!({"Version": "2012-10-17", "Statement": [{
            "Effect": "Allow", "Action": action, "Resource": "*", "Condition": condition,
        }]})
    };
    let create = "compute:cloud-resources:create";
    let in_nyc = json!({"StringEquals": {"resource.region": "nyc3"}});
    let narrow = acme.someone(&[statement(create, in_nyc)]).await;
    narrow
        .api
        .refused("cloudResources/adopt", &narrow.adoption("far", &far))
        .await
        .is("ACCESS_DENIED", "");
    narrow.adopt("near", &near).await;

    let of_apps = json!({"StringEquals": {"resource.kind": "do.app"}});
    let other = acme.someone(&[statement(create, of_apps)]).await;
    let asked = world.next_request();
    other
        .api
        .refused("cloudResources/adopt", &other.adoption("other", &far))
        .await
        .is("ACCESS_DENIED", "");
    assert!(
        world
            .double
            .log_since(asked)
            .iter()
            .all(|entry| !entry.path.contains(&far)),
        "whoever may not adopt learns nothing of what is there"
    );
}
