//! Names and identities.

use berth_e2e::{New, World};
use double_digitalocean::{Fault, FaultBody};
use serde_json::json;

use crate::hostile::{hostile, with_hostile};

/// rule: CR-127, CR-128
#[tokio::test]
async fn a_name_is_unique_per_kind_among_the_live_resources_of_a_tenant() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    acme.create(&New::pg("orders")).await;
    let refusal = acme.refused(&New::pg("orders")).await;
    refusal.is("CONFLICT", "name");
    assert_eq!(refusal.field(), "name");
    acme.create(&New::app("orders")).await;
    umbrella.create(&New::pg("orders")).await;
}

/// rule: CR-129
#[tokio::test]
async fn a_name_is_held_while_its_resource_is_deleted_and_free_once_it_is_gone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world.double.fault(
        Fault::on("DELETE", "/v2/databases/*")
            .always()
            .hold_before(),
    );
    acme.delete(orders.id()).await;
    world.double.wait_held(hold).await;
    acme.refused(&New::pg("orders")).await.is("CONFLICT", "");
    world.double.release(hold);
    acme.wait(orders.id(), "deleted").await;
    let second = acme.create(&New::pg("orders")).await;
    assert_ne!(second.id(), orders.id());
}

/// rule: CR-129
#[tokio::test]
async fn a_failed_resource_holds_its_name_and_its_identity() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let refuse = Fault::on("POST", "/v2/databases").always();
    world.double.fault(refuse.answer(
        422,
        FaultBody::Message {
            text: "no more of these".into(),
        },
    ));
    let refuse = Fault::on("POST", "/v2/databases/*/users").always();
    world.double.fault(refuse.answer(
        422,
        FaultBody::Message {
            text: "no more of these".into(),
        },
    ));
    let stock = acme.create(&New::pg("stock")).await;
    let reports = acme.create(&New::user(orders.id(), "reports")).await;
    acme.wait(stock.id(), "error").await;
    acme.wait(reports.id(), "error").await;
    acme.refused(&New::pg("stock")).await.is("CONFLICT", "");
    let same = New::user(orders.id(), "other").spec("name", "reports");
    acme.refused(&same).await.is("CONFLICT", "identity");
    acme.deleted(reports.id()).await;
    world.double.clear_faults();
    acme.ready(&same).await;
}

/// rule: CR-122, CR-123
#[tokio::test]
async fn a_parent_has_one_live_resource_of_an_identity() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let stock = acme.create(&New::pg("stock")).await;
    let reports = acme.create(&New::user(orders.id(), "reports")).await;
    let refusal = acme
        .refused(&New::user(orders.id(), "again").spec("name", "reports"))
        .await;
    refusal.is("CONFLICT", "identity");
    assert_eq!(refusal.details["resourceId"], json!(reports.id()));
    acme.create(&New::user(orders.id(), "writer")).await;
    acme.create(&New::user(stock.id(), "elsewhere").spec("name", "reports"))
        .await;
}

/// rule: CR-016, CR-122
#[tokio::test]
async fn a_kind_with_an_identity_is_called_by_it_at_the_provider() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let user = acme
        .ready(&New::user(orders.id(), "reader-of-mine").spec("name", "reports"))
        .await;
    assert_eq!(user["name"], "reader-of-mine");
    assert_eq!(
        world.double.objects().clusters[0].users,
        ["doadmin", "reports"]
    );
}

/// rule: CR-124
#[tokio::test]
async fn a_parent_has_one_live_resource_of_a_kind_that_it_has_only_once() {
    let (_world, acme) = with_hostile(json!({})).await;
    let one = acme.ready(&hostile("one", json!({}))).await;
    let two = acme.create(&hostile("two", json!({}))).await;
    let within = |parent: &str, name: &str| {
        New::of("hostile.db.user", name, json!({})).with("parentId", parent)
    };
    let first = acme.create(&within(one.id(), "first")).await;
    let refusal = acme.refused(&within(one.id(), "second")).await;
    refusal.is("CONFLICT", "identity");
    assert_eq!(refusal.details["resourceId"], json!(first.id()));
    acme.create(&within(two.id(), "elsewhere")).await;
}
