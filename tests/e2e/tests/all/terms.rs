//! On what terms something new begins: offers and budgets.

use berth_e2e::{New, Tenant, World};
use serde_json::{Value, json};

/// Changes what the platform offers to a tenant.
async fn change_offer(world: &World, tenant: &Tenant, mut change: Value) {
    let offers = json!({"tenantId": tenant.id, "poolId": tenant.pool});
    let offers = world.root.ok("offers/list", &offers).await;
    change["offerId"] = offers["items"][0]["id"].clone();
    world.root.ok("offers/update", &change).await;
}

/// A tenant on a pool of the platform of this billing mode.
async fn a_tenant_on(world: &World, billing_mode: &str) -> Tenant {
    let pool = json!({"tenantId": "root", "title": "billed", "type": "provider",
        "accountId": world.account, "billingMode": billing_mode});
    let pool = world.root.ok("pools/create", &pool).await;
    let acme = world.bare_tenant("acme").await;
    let pool = pool["id"].as_str().unwrap();
    world.offer(pool, "acme").await;
    acme.on(pool)
}

/// rule: CR-140
#[tokio::test]
async fn under_a_suspended_offer_nothing_begins_and_everything_goes_on() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.ready(&New::pg("shop")).await;
    change_offer(&world, &acme, json!({"suspended": true})).await;
    let refusal = acme.refused(&New::pg("other")).await;
    refusal.is("ACCESS_DENIED", "offerSuspended");
    assert_eq!(acme.list().await["items"].as_array().unwrap().len(), 1);
    acme.update(shop.id(), json!({"num_nodes": 2})).await;
    acme.wait(shop.id(), "ready").await;
    acme.deleted(shop.id()).await;
    change_offer(&world, &acme, json!({"suspended": false})).await;
    acme.ready(&New::pg("other")).await;
}

/// rule: CR-141
#[tokio::test]
async fn in_a_region_that_an_offer_leaves_out_nothing_begins_and_nothing_is_moved_there() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    change_offer(&world, &acme, json!({"excludedRegions": ["ams3"]})).await;
    let there = New::pg("there").spec("region", "ams3");
    acme.refused(&there)
        .await
        .is("ACCESS_DENIED", "regionExcluded");
    let here = acme.ready(&New::pg("here")).await;
    let moved = acme.change(here.id(), json!({"region": "ams3"}));
    let refusal = acme.api.refused("cloudResources/update", &moved).await;
    refusal.is("ACCESS_DENIED", "regionExcluded");
    change_offer(&world, &acme, json!({"excludedRegions": []})).await;
    acme.ready(&there).await;
}

/// rule: CR-142
#[tokio::test]
async fn with_a_spent_budget_nothing_begins() {
    let world = World::start().await;
    let acme = a_tenant_on(&world, "metered").await;
    // So dear that the first milliseconds spend it.
    let price = json!({"meter": "cloud.resource.hours", "currency": "EUR",
        "micros": 9_000_000_000_000_000_u64});
    world.root.ok("prices/put", &price).await;
    let budget = acme.input(json!({"currency": "EUR", "micros": 1}));
    let view = acme.api.ok("budgets/put", &budget).await;
    assert_eq!(
        (&view["spentMicros"], &view["isSpent"]),
        (&json!(0), &json!(false))
    );
    let shop = acme.ready(&New::pg("shop")).await;
    let refusal = acme.refused(&New::pg("other")).await;
    refusal.is("QUOTA_EXCEEDED", "budget");
    assert_eq!(refusal.details["limit"], 1);
    acme.update(shop.id(), json!({"num_nodes": 2})).await;
    acme.wait(shop.id(), "ready").await;
    let listed = acme.api.ok("budgets/list", &acme.input(json!({}))).await;
    assert_eq!(listed["items"][0]["isSpent"], true);
    let gone = acme.input(json!({"budgetId": view["id"]}));
    acme.api.ok("budgets/delete", &gone).await;
    acme.ready(&New::pg("other")).await;
}

/// rule: CR-143
#[tokio::test]
async fn where_nothing_is_billed_no_budget_is_looked_at() {
    let world = World::start().await;
    let acme = a_tenant_on(&world, "none").await;
    let budget = acme.input(json!({"currency": "EUR", "micros": 0}));
    let view = acme.api.ok("budgets/put", &budget).await;
    assert_eq!(view["isSpent"], true);
    acme.ready(&New::pg("shop")).await;
}
