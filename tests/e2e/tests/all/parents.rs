//! Resources that live in another.

use berth_e2e::{New, World};
use double_digitalocean::Fault;
use serde_json::json;

/// rule: CR-118, CR-119
#[tokio::test]
async fn a_kind_has_a_parent_or_has_none() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let refusal = acme
        .refused(&New::user(orders.id(), "reports").without("parentId"))
        .await;
    refusal.is_invalid_at("parentId");
    assert!(
        refusal.message.contains("do.database.pg"),
        "it names what it lives in: {}",
        refusal.message
    );
    acme.refused(&New::pg("stock").with("parentId", orders.id()))
        .await
        .is_invalid_at("parentId");
    acme.refused(&New::app("shop").with("parentId", orders.id()))
        .await
        .is_invalid_at("parentId");
}

/// rule: CR-120
#[tokio::test]
async fn every_parent_that_can_not_be_is_refused_alike() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let account = world.account_of("acme").await;
    let own_pool = world.pool_on("acme", &account).await;
    let foreign = umbrella.create(&New::pg("orders")).await;
    let app = acme.create(&New::app("shop")).await;
    let elsewhere = acme.on(&own_pool).create(&New::pg("elsewhere")).await;
    let mut told = Vec::new();
    for parent in [
        "crs_00000000000000000000000000",
        foreign.id(),
        app.id(),
        elsewhere.id(),
    ] {
        let refusal = acme.refused(&New::user(parent, "reports")).await;
        refusal.is_invalid_at("parentId");
        told.push(format!("{} {}", refusal.message, refusal.details).replace(parent, "it"));
    }
    told.dedup();
    assert_eq!(told.len(), 1, "the refusal tells which it is: {told:?}");
}

/// rule: CR-121
#[tokio::test]
async fn a_parent_that_goes_or_is_gone_takes_no_more() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world.double.fault(
        Fault::on("DELETE", "/v2/databases/*")
            .always()
            .hold_before(),
    );
    acme.delete(orders.id()).await;
    acme.refused(&New::user(orders.id(), "reports"))
        .await
        .is("INVALID_STATE", "");
    world.double.release(hold);
    acme.wait(orders.id(), "deleted").await;
    acme.refused(&New::user(orders.id(), "reports"))
        .await
        .is("INVALID_STATE", "");
}

/// rule: CR-125
#[tokio::test]
async fn a_child_waits_until_its_parent_can_take_it() {
    let world = World::with(|settings| settings.double.times.create = 600_000).await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let reports = acme.create(&New::user(orders.id(), "reports")).await;
    acme.wait(orders.id(), "provisioning").await;
    let waiting = acme
        .wait_for(reports.id(), "to say what it waits for", |seen| {
            seen.reason() == "waiting" && seen.message().contains("provisioning")
        })
        .await;
    assert_eq!(waiting.state(), "pending");
    // It was looked at, and nothing was sent.
    world.wait_requests("GET", "/v2/databases/*", 3).await;
    assert_eq!(world.double.count("POST", "/v2/databases/*/users"), 0);
    world.double.finish_everything();
    acme.wait(orders.id(), "ready").await;
    let reports = acme.wait(reports.id(), "ready").await;
    assert_eq!(reports["parentId"], json!(orders.id()));
}
