//! Quotas of kinds.

use berth_e2e::{New, Refusal, Tenant, World};
use double_digitalocean::{Fault, FaultBody};
use futures_util::future::join_all;
use serde_json::json;

fn is_over(refusal: &Refusal, limit: u64) {
    refusal.is("QUOTA_EXCEEDED", "");
    assert_eq!(refusal.details["limit"], json!(limit), "{refusal:#?}");
    assert!(
        refusal.message.contains(&limit.to_string()),
        "{}",
        refusal.message
    );
}

async fn quota_of(tenant: &Tenant, kind: &str) -> u64 {
    let answer = tenant
        .api
        .ok(
            "cloudResources/kinds",
            &tenant.input(json!({"poolId": tenant.pool})),
        )
        .await;
    let kinds = answer["items"].as_array().unwrap();
    kinds.iter().find(|item| item["kind"] == kind).unwrap()["quota"]["limit"]
        .as_u64()
        .unwrap()
}

/// rule: CR-060, CR-130, CR-131
#[tokio::test]
async fn the_quota_that_kinds_tells_is_the_one_that_create_holds_to() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "2");
    })
    .await;
    let acme = world.tenant("acme").await;
    let special = world.tenant("special").await;
    let body = json!({"tenantId": "special", "quotas": {"do.database.pg": 1}});
    world.root.ok("tenants/update", &body).await;
    assert_eq!(quota_of(&acme, "do.database.pg").await, 2);
    assert_eq!(quota_of(&special, "do.database.pg").await, 1);
    assert_eq!(quota_of(&special, "do.app").await, 2);
    acme.create(&New::pg("a")).await;
    acme.create(&New::pg("b")).await;
    is_over(&acme.refused(&New::pg("c")).await, 2);
    acme.create(&New::app("a")).await;
    special.create(&New::pg("a")).await;
    is_over(&special.refused(&New::pg("b")).await, 1);
    special.create(&New::app("a")).await;
    special.create(&New::app("b")).await;
    is_over(&special.refused(&New::app("c")).await, 2);
}

/// rule: CR-131
#[tokio::test]
async fn the_quota_is_20_where_nobody_set_one() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    // Nothing needs to be made at the provider for this.
    world
        .double
        .fault(Fault::on("*", "/v2/**").always().hold_before());
    for index in 0..20 {
        acme.create(&New::app(&format!("app-{index}"))).await;
    }
    is_over(&acme.refused(&New::app("one-more")).await, 20);
}

/// rule: CR-132
#[tokio::test]
async fn failed_and_leaving_resources_count_and_gone_ones_do_not() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "1");
    })
    .await;
    let acme = world.tenant("acme").await;
    let refuse = world.double.fault(
        Fault::on("POST", "/v2/databases")
            .always()
            .answer(422, FaultBody::Error),
    );
    let orders = acme.create(&New::pg("orders")).await;
    acme.wait(orders.id(), "error").await;
    is_over(&acme.refused(&New::pg("stock")).await, 1);
    world.double.release(refuse);
    acme.wait_through(orders.id(), "ready").await;
    let hold = world.double.fault(
        Fault::on("DELETE", "/v2/databases/*")
            .always()
            .hold_before(),
    );
    acme.delete(orders.id()).await;
    world.double.wait_held(hold).await;
    is_over(&acme.refused(&New::pg("stock")).await, 1);
    world.double.release(hold);
    acme.wait(orders.id(), "deleted").await;
    acme.create(&New::pg("stock")).await;
}

/// rule: CR-133
#[tokio::test]
async fn the_last_place_is_taken_once() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "3");
    })
    .await;
    let acme = world.tenant("acme").await;
    let bodies: Vec<_> = (0..12)
        .map(|index| acme.body(&New::app(&format!("app-{index}"))))
        .collect();
    let all = join_all(
        bodies
            .iter()
            .map(|body| acme.api.call("cloudResources/create", body)),
    )
    .await;
    let (made, refused): (Vec<_>, Vec<_>) = all.into_iter().partition(Result::is_ok);
    assert_eq!(made.len(), 3);
    for refusal in refused {
        is_over(&refusal.unwrap_err(), 3);
    }
    assert_eq!(acme.list().await["items"].as_array().unwrap().len(), 3);
}
