//! Capacity that is booked: at once when it grows, given back when nothing runs on it any more.

use berth_e2e::{New, Refusal, Resource, Tenant, World, Yard, eventually};
use futures_util::future::join_all;
use serde_json::{Value, json};

fn crane(name: &str, size: u64) -> New {
    New::of("yard.crane", name, json!({"size": size}))
}

/// A tenant that may have so many cranes in a yard.
async fn a_tenant(world: &World, yard: &Yard, cranes: u64) -> Tenant {
    let pool = world.yard_pool("root", yard, "metered").await;
    let tenant = world.tenant("acme").await;
    world.offer(&pool, "acme").await;
    let tenant = tenant.on(&pool);
    allow(world, &tenant, cranes).await;
    tenant
}

async fn allow(world: &World, tenant: &Tenant, cranes: u64) {
    let quota = json!({"poolId": tenant.pool, "capacity": "yard.cranes", "amount": cranes});
    world.root.ok("quotas/put", &tenant.input(quota)).await;
}

async fn quota(tenant: &Tenant) -> Value {
    let body = json!({"poolId": tenant.pool, "capacity": "yard.cranes"});
    tenant.api.ok("quotas/get", &tenant.input(body)).await
}

async fn booked(tenant: &Tenant) -> u64 {
    quota(tenant).await["booked"].as_u64().unwrap()
}

fn is_short(refusal: &Refusal, limit: u64, booked: u64, wanted: u64) {
    refusal.is("QUOTA_EXCEEDED", "capacity");
    for (name, value) in [("limit", limit), ("booked", booked), ("wanted", wanted)] {
        assert_eq!(refusal.details[name], json!(value), "{refusal:#?}");
    }
    assert!(
        refusal.message.contains("quotas/put"),
        "{}",
        refusal.message
    );
}

async fn grown(tenant: &Tenant, crane: &Resource, size: u64) -> Resource {
    tenant.update(crane.id(), json!({"size": size})).await
}

/// rule: CR-134, CR-136, CR-139
#[tokio::test]
async fn a_create_books_and_over_the_quota_it_records_nothing() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 5).await;
    let first = acme.ready(&crane("first", 3)).await;
    assert_eq!(booked(&acme).await, 3);
    is_short(&acme.refused(&crane("second", 3)).await, 5, 3, 3);
    assert_eq!(acme.list().await["items"].as_array().unwrap().len(), 1);
    assert_eq!(booked(&acme).await, 3);
    acme.ready(&crane("second", 2)).await;
    is_short(&acme.refused(&crane("third", 1)).await, 5, 5, 1);
    acme.deleted(first.id()).await;
    assert_eq!(booked(&acme).await, 2);
    acme.ready(&crane("third", 3)).await;
}

/// rule: CR-134
#[tokio::test]
async fn without_a_quota_the_default_holds_and_others_quotas_do_not() {
    let world = World::with(|settings| {
        settings.set("service.defaultCapacity", "2");
    })
    .await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 9).await;
    let umbrella = world.tenant("umbrella").await;
    world.offer(&acme.pool, "umbrella").await;
    let umbrella = umbrella.on(&acme.pool);
    is_short(&umbrella.refused(&crane("a", 3)).await, 2, 0, 3);
    umbrella.ready(&crane("a", 2)).await;
    assert_eq!(booked(&acme).await, 0);
    assert_eq!(quota(&umbrella).await["amount"], 2);
    assert_eq!(quota(&umbrella).await.get("updatedAt"), None);
    let body = json!({"poolId": acme.pool, "capacity": "yard.cranes"});
    world.root.ok("quotas/delete", &acme.input(body)).await;
    is_short(&acme.refused(&crane("a", 3)).await, 2, 0, 3);
}

/// rule: CR-134
#[tokio::test]
async fn the_last_capacity_is_booked_once() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 7).await;
    let bodies: Vec<_> = (0..8)
        .map(|index| acme.body(&crane(&format!("crane-{index}"), 2)))
        .collect();
    let all = join_all(
        bodies
            .iter()
            .map(|body| acme.api.call("cloudResources/create", body)),
    );
    let made = all.await.iter().filter(|answer| answer.is_ok()).count();
    assert_eq!((made, booked(&acme).await), (3, 6));
}

/// rule: CR-190, CR-191, CR-192
#[tokio::test]
async fn growth_is_booked_at_once_and_a_shrink_is_given_back_when_it_is_applied() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 10).await;
    let one = acme.ready(&crane("one", 4)).await;
    let other = acme.ready(&crane("other", 2)).await;
    let over = acme.change(one.id(), json!({"size": 9}));
    is_short(
        &acme.api.refused("cloudResources/update", &over).await,
        10,
        2,
        9,
    );
    assert_eq!(acme.get(one.id()).await.version(), 1);

    yard.slow(true);
    grown(&acme, &one, 8).await;
    assert_eq!(
        booked(&acme).await,
        10,
        "it is booked before anything has grown"
    );
    // As long as the larger one may be running a smaller wish gives nothing back.
    grown(&acme, &one, 1).await;
    acme.wait_for(one.id(), "to be asked for", |seen| {
        seen.state() == "updating"
    })
    .await;
    assert_eq!(booked(&acme).await, 10);
    let over = acme.change(other.id(), json!({"size": 3}));
    is_short(
        &acme.api.refused("cloudResources/update", &over).await,
        10,
        8,
        3,
    );
    // Growth is charged against what is booked already: back to the most costs nothing.
    grown(&acme, &one, 8).await;
    grown(&acme, &one, 1).await;
    yard.slow(false);
    acme.wait(one.id(), "ready").await;
    assert_eq!(booked(&acme).await, 3);
    grown(&acme, &other, 9).await;
    assert_eq!(booked(&acme).await, 10);
}

/// rule: CR-185, CR-192
#[tokio::test]
async fn a_change_that_the_provider_refuses_keeps_the_larger_booking() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 10).await;
    let one = acme.ready(&crane("one", 4)).await;
    yard.refuse_changes(true);
    grown(&acme, &one, 7).await;
    let refused = acme.wait(one.id(), "error").await;
    assert_eq!(refused.reason(), "updateRefused");
    assert_eq!(booked(&acme).await, 7);
    grown(&acme, &one, 2).await;
    acme.wait(one.id(), "error").await;
    assert_eq!(
        booked(&acme).await,
        7,
        "four may run, and seven may be running"
    );
    yard.refuse_changes(false);
    acme.wait_through(one.id(), "ready").await;
    assert_eq!(booked(&acme).await, 2);
}

/// rule: CR-202
#[tokio::test]
async fn what_a_deleted_crane_held_is_given_back_once_and_not_before_it_is_gone() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 6).await;
    let one = acme.ready(&crane("one", 4)).await;
    acme.ready(&crane("other", 2)).await;
    acme.delete(one.id()).await;
    acme.delete(one.id()).await;
    eventually("it is gone", || async {
        let gone = acme.get(one.id()).await.state() == "deleted";
        let held = booked(&acme).await;
        assert!(held == 6 || yard.objects().len() == 1, "{held}");
        gone.then_some(())
    })
    .await;
    assert_eq!(booked(&acme).await, 2);
    acme.delete(one.id()).await;
    assert_eq!(booked(&acme).await, 2);
}

/// rule: CR-246
#[tokio::test]
async fn what_was_let_go_holds_nothing_and_runs_on() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 6).await;
    let one = acme.ready(&crane("one", 4)).await;
    acme.ready(&crane("other", 2)).await;
    for _ in 0..2 {
        acme.api
            .ok("cloudResources/release", &acme.about(one.id()))
            .await;
    }
    acme.wait(one.id(), "released").await;
    assert_eq!(booked(&acme).await, 2);
    let objects = yard.objects();
    assert_eq!(objects.len(), 2);
    let free = objects.iter().find(|object| object["size"] == 4).unwrap();
    assert_eq!(free["labels"], json!({}));
    acme.ready(&crane("third", 4)).await;
    assert_eq!(booked(&acme).await, 6);
}

/// rule: CR-233
#[tokio::test]
async fn what_books_capacity_is_not_taken_over() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let pool = world.yard_pool("root", &yard, "metered").await;
    let id = yard.plant("cranes", "theirs", 3);
    let body = json!({"tenantId": "root", "poolId": pool, "kind": "yard.crane",
        "providerId": id, "name": "mine", "idempotencyKey": "adopt"});
    let refusal = world.root.refused("cloudResources/adopt", &body).await;
    refusal.is("UNSUPPORTED", "quotaBooked");
}

#[tokio::test]
async fn a_quota_of_what_no_kind_books_is_a_slip() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, 6).await;
    let quota = json!({"poolId": acme.pool, "capacity": "yard.crane", "amount": 1});
    let refusal = world.root.refused("quotas/put", &acme.input(quota)).await;
    refusal.is_invalid_at("capacity");
    assert!(
        refusal.message.contains("yard.cranes"),
        "{}",
        refusal.message
    );
    let listed = world.root.ok("quotas/list", &json!({})).await;
    assert_eq!(listed["items"][0]["amount"], 6);
    let own = acme.api.ok("quotas/list", &acme.input(json!({}))).await;
    assert_eq!(own["items"], listed["items"]);
    let quota = json!({"poolId": acme.pool, "capacity": "yard.cranes", "amount": 99});
    let own = acme.api.refused("quotas/put", &acme.input(quota)).await;
    own.is("ACCESS_DENIED", "");
}
