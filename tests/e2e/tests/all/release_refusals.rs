//! What is not released, and why.

use berth_e2e::{New, World};
use double_digitalocean::Fault;
use serde_json::json;

/// rule: CR-243
#[tokio::test]
async fn both_ids_are_asked_for() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for field in ["tenantId", "resourceId"] {
        let mut body = acme.about("crs_00000000000000000000000000");
        body.as_object_mut().unwrap().remove(field);
        let refusal = acme.api.refused("cloudResources/release", &body).await;
        refusal.is_invalid_at(field);
    }
    acme.api
        .refused(
            "cloudResources/release",
            &acme.about("crs_00000000000000000000000000"),
        )
        .await
        .is("NOT_FOUND", "");
}

/// rule: CR-248
#[tokio::test]
async fn what_the_provider_has_not_accepted_is_not_released() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_before());
    let orders = acme.create(&New::pg("orders")).await;
    world.double.wait_held(hold).await;
    let refused = async |id: &str| {
        acme.api
            .refused("cloudResources/release", &acme.about(id))
            .await
    };
    refused(orders.id())
        .await
        .is("INVALID_STATE", "notAccepted");
    world.double.release(hold);
    acme.wait(orders.id(), "ready").await;
    assert_eq!(acme.happened(orders.id()).await, ["created", "ready"]);

    let planted = double_digitalocean::PlantedCluster::named("found");
    let found = world.double.plant_cluster(planted).unwrap();
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/tags/*/resources").hold_before());
    let adopting = acme.adopt("found", &found).await;
    world.double.wait_held(hold).await;
    refused(adopting.id())
        .await
        .is("INVALID_STATE", "notAccepted");
    world.double.release(hold);
    acme.wait(adopting.id(), "ready").await;
}

/// rule: CR-249, CR-250, CR-251
#[tokio::test]
async fn what_lives_in_another_has_children_or_is_being_deleted_is_not_released() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    let refused = async |id: &str| {
        acme.api
            .refused("cloudResources/release", &acme.about(id))
            .await
    };
    let child = refused(reports.id()).await;
    child.is("INVALID_STATE", "parent");
    assert_eq!(child.details["resourceId"], json!(orders.id()));
    refused(orders.id()).await.is("INVALID_STATE", "children");
    let hold = world
        .double
        .fault(Fault::on("DELETE", "/v2/databases/*").hold_before());
    acme.deleted(reports.id()).await;
    acme.delete(orders.id()).await;
    world.double.wait_held(hold).await;
    refused(orders.id()).await.is("INVALID_STATE", "deleting");
    world.double.release(hold);
    acme.wait(orders.id(), "deleted").await;
    refused(orders.id()).await.is("INVALID_STATE", "deleted");
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "deleting", "deleted"]
    );
}

/// rule: CR-252
#[tokio::test]
async fn what_its_name_makes_ours_is_not_released_whatever_its_state() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/apps").hold_before());
    let shop = acme.create(&New::app("shop")).await;
    world.double.wait_held(hold).await;
    let refused = async || {
        acme.api
            .refused("cloudResources/release", &acme.about(shop.id()))
            .await
            .is("UNSUPPORTED", "release");
    };
    refused().await;
    world.double.release(hold);
    acme.wait(shop.id(), "ready").await;
    refused().await;
    acme.deleted(shop.id()).await;
    refused().await;
    assert_eq!(
        acme.happened(shop.id()).await,
        ["created", "ready", "deleting", "deleted"]
    );
}
