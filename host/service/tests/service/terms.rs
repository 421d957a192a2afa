//! On what terms something new begins: offers, budgets, prices.

use berth_domain::id::ResourceId;
use berth_domain::metering::{HOUR, HOURS, MeterSpan};
use berth_domain::time::{Millis, Span};
use berth_service::{Caller, Code, ServiceError, budgets, offers, pools, prices, usage};
use serde_json::{Value, json};

use crate::harness::{Tenant, World, allow, input, json_of, told};

async fn offer(world: &World, tenant: &Tenant) -> Value {
    let body = json!({"tenantId": tenant.id});
    let offers = offers::list::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    json_of(&offers.items[0])
}

async fn change_offer(
    world: &World,
    tenant: &Tenant,
    change: Value,
) -> Result<Value, ServiceError> {
    let mut body = json!({"offerId": offer(world, tenant).await["id"]});
    crate::harness::lay_over(&mut body, change);
    offers::update::handle(&world.service, &world.root, input(body))
        .await
        .map(json_of)
}

async fn price(world: &World, more: Value) -> Result<Value, ServiceError> {
    let mut body = json!({"meter": HOURS, "currency": "EUR", "micros": 1_000_000});
    crate::harness::lay_over(&mut body, more);
    prices::put::handle(&world.service, &world.root, input(body))
        .await
        .map(json_of)
}

async fn budget(world: &World, caller: &Caller, body: Value) -> Value {
    let view = budgets::put::handle(&world.service, caller, input(body)).await;
    json_of(view.unwrap())
}

/// As if the resource had run for so long, up to now.
async fn as_if_it_ran(world: &World, id: &ResourceId, hours: i64) {
    let now = world.service.now();
    let spans = vec![MeterSpan {
        meter: HOURS.to_owned(),
        rate: 1,
        from: Millis(now.0 - hours * HOUR),
        until: None,
    }];
    world.as_if_metered(id, spans).await;
}

/// rule: CR-140
#[tokio::test]
async fn a_suspended_offer_takes_nothing_new_and_what_is_there_goes_on() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let made = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    world.as_if_ready(&made.id).await;
    let changed = change_offer(&world, &acme, json!({"suspended": true}))
        .await
        .unwrap();
    assert_eq!(changed, offer(&world, &acme).await);
    assert_eq!(changed["suspended"], true);
    let refused = world.create(&acme.admin, &world.pg(&acme.id, "two")).await;
    assert_eq!(
        told(refused),
        (
            Code::AccessDenied,
            "offerSuspended".to_owned(),
            String::new()
        )
    );
    // Who may not create learns nothing of the offer.
    let reader = world
        .caller("acme", &[allow(&["compute:cloud-resources:read"])])
        .await;
    let refused = world.create(&reader, &world.pg(&acme.id, "two")).await;
    assert_eq!(told(refused).1, "");
    // A retry is answered, a change and a delete are taken.
    let again = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    assert_eq!(again.id, made.id);
    let change = json!({"spec": {"num_nodes": 2}});
    world
        .update(&acme.admin, &acme.id, &made.id, change)
        .await
        .unwrap();
    change_offer(&world, &acme, json!({"suspended": false}))
        .await
        .unwrap();
    world
        .create(&acme.admin, &world.pg(&acme.id, "two"))
        .await
        .unwrap();
    world.delete(&acme.admin, &acme.id, &made.id).await.unwrap();
}

/// rule: CR-141
#[tokio::test]
async fn an_excluded_region_takes_nothing_new_and_nothing_that_moves() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    change_offer(&world, &acme, json!({"excludedRegions": ["ams3"]}))
        .await
        .unwrap();
    let mut elsewhere = world.pg(&acme.id, "two");
    elsewhere["spec"]["region"] = json!("ams3");
    let excluded = (
        Code::AccessDenied,
        "regionExcluded".to_owned(),
        "spec.region".to_owned(),
    );
    assert_eq!(told(world.create(&acme.admin, &elsewhere).await), excluded);
    let made = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    world.as_if_ready(&made.id).await;
    let moved = world
        .update(
            &acme.admin,
            &acme.id,
            &made.id,
            json!({"spec": {"region": "ams3"}}),
        )
        .await;
    assert_eq!(told(moved), excluded);
    let slip = change_offer(&world, &acme, json!({"excludedRegions": ["ams33"]})).await;
    assert_eq!(told(slip).2, "excludedRegions");
}

/// rule: CR-142, CR-143
#[tokio::test]
async fn a_spent_budget_takes_nothing_new_that_costs() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    price(&world, json!({})).await.unwrap();
    world.clock.advance(100 * HOUR);
    let made = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    as_if_it_ran(&world, &made.id, 10).await;
    // Ten hours at one euro each; the eleventh is not full yet.
    let body = json!({"tenantId": acme.id, "currency": "EUR", "micros": 10_500_000});
    let view = budget(&world, &acme.admin, body).await;
    assert_eq!(
        (&view["isSpent"], &view["month"]),
        (&json!(false), &json!(1_798_761_600_000_i64))
    );
    let spent = view["spentMicros"].as_u64().unwrap();
    assert!((10_000_000..10_001_000).contains(&spent), "{spent}");
    world
        .create(&acme.admin, &world.pg(&acme.id, "two"))
        .await
        .unwrap();
    let body = json!({"tenantId": acme.id, "currency": "EUR", "micros": 10_000_000});
    let lowered = budget(&world, &acme.admin, body).await;
    assert_eq!(
        lowered["id"], view["id"],
        "there is one for a tenant and currency"
    );
    let refusal = world
        .create(&acme.admin, &world.pg(&acme.id, "three"))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, Code::QuotaExceeded);
    assert_eq!(refusal.details["reason"], "budget");
    assert_eq!(refusal.details["limit"], 10_000_000);
    // Where nothing is charged nothing is looked at.
    let body = json!({"tenantId": "root", "poolId": world.pool, "billingMode": "none"});
    pools::update::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    world
        .create(&acme.admin, &world.pg(&acme.id, "three"))
        .await
        .unwrap();
}

/// rule: CR-142
#[tokio::test]
async fn a_budget_begins_anew_with_the_month_and_counts_what_is_its_own() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let other = world.tenant("other").await;
    price(&world, json!({})).await.unwrap();
    world.clock.advance(100 * HOUR);
    let project = json!({"tenantId": acme.id, "title": "web"});
    let project =
        berth_service::projects::create::handle(&world.service, &acme.admin, input(project))
            .await
            .unwrap();
    let made = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    as_if_it_ran(&world, &made.id, 10).await;
    for body in [
        json!({"tenantId": acme.id, "projectId": project.id, "currency": "EUR", "micros": 1}),
        json!({"tenantId": acme.id, "currency": "USD", "micros": 1}),
    ] {
        let view = budget(&world, &acme.admin, body).await;
        assert_eq!(view["spentMicros"], 0, "another project, another currency");
    }
    let body = json!({"tenantId": other.id, "currency": "EUR", "micros": 1});
    assert_eq!(budget(&world, &other.admin, body).await["spentMicros"], 0);
    // A budget of nothing is spent at once, and only in its project.
    let body =
        json!({"tenantId": acme.id, "projectId": project.id, "currency": "EUR", "micros": 0});
    assert_eq!(budget(&world, &acme.admin, body).await["isSpent"], true);
    world
        .create(&acme.admin, &world.pg(&acme.id, "two"))
        .await
        .unwrap();
    let mut within = world.pg(&acme.id, "three");
    within["projectId"] = json!(project.id);
    let refusal = world.create(&acme.admin, &within).await.unwrap_err();
    assert_eq!(refusal.details["projectId"], json!(project.id));

    let body = json!({"tenantId": acme.id, "currency": "EUR", "micros": 5_000_000});
    assert_eq!(
        budget(&world, &acme.admin, body.clone()).await["isSpent"],
        true
    );
    // The first of February 2027, two hours in.
    let february = 1_801_440_000_000 + 2 * HOUR;
    world.clock.advance(february - world.service.now().0);
    let view = budget(&world, &acme.admin, body).await;
    let spent = view["spentMicros"].as_u64().unwrap();
    assert!((2_000_000..2_001_000).contains(&spent), "{spent}");
    let list = budgets::list::handle(
        &world.service,
        &acme.admin,
        input(json!({"tenantId": acme.id})),
    )
    .await
    .unwrap();
    assert_eq!(list.items.len(), 3);
    let body = json!({"tenantId": acme.id, "budgetId": view["id"]});
    budgets::delete::handle(&world.service, &acme.admin, input(body))
        .await
        .unwrap();
}

#[tokio::test]
async fn a_price_holds_from_its_time_on_and_never_before() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let now = world.service.now();
    price(&world, json!({})).await.unwrap();
    price(
        &world,
        json!({"micros": 3_000_000, "validFrom": now.0 + 5 * HOUR}),
    )
    .await
    .unwrap();
    let past = price(&world, json!({"validFrom": now.0 - 1})).await;
    assert_eq!(told(past).2, "validFrom");
    let made = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    world.clock.advance(8 * HOUR);
    as_if_it_ran(&world, &made.id, 6).await;
    let body = json!({"tenantId": acme.id, "currency": "EUR", "micros": 1});
    let spent = budget(&world, &acme.admin, body).await["spentMicros"]
        .as_u64()
        .unwrap();
    // Three hours at one euro, three at three.
    assert!((12_000_000..12_001_000).contains(&spent), "{spent}");
    let mine = prices::list::handle(
        &world.service,
        &acme.admin,
        input(json!({"tenantId": acme.id})),
    )
    .await
    .unwrap();
    assert_eq!(mine.items.len(), 2);
}

#[tokio::test]
async fn usage_is_told_by_hours_of_utc() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let made = world
        .create(&acme.admin, &world.pg(&acme.id, "one"))
        .await
        .unwrap();
    let start = Millis(1_800_000_000_000 / HOUR * HOUR);
    let spans = vec![MeterSpan {
        meter: HOURS.to_owned(),
        rate: 1,
        from: start + Span(10),
        until: Some(start + Span(2 * 3_600_000 + 5)),
    }];
    world.as_if_metered(&made.id, spans).await;
    world.clock.advance(50 * HOUR);
    let body = json!({"tenantId": acme.id, "from": start.0 - HOUR});
    let usage = usage::list::handle(&world.service, &acme.admin, input(body))
        .await
        .unwrap();
    let told: Vec<_> = usage
        .items
        .iter()
        .map(|row| ((row.hour.0 - start.0) / HOUR, row.unit_ms))
        .collect();
    assert_eq!(told, [(0, 3_599_990), (1, 3_600_000), (2, 5)]);
    assert_eq!(usage.next_cursor, None);
}

#[tokio::test]
async fn how_a_pool_is_charged_is_the_operators_word() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let account = world.account_of("acme", json!({})).await;
    let body =
        json!({"tenantId": "acme", "title": "mine", "type": "provider", "accountId": account});
    let mine = pools::create::handle(&world.service, &acme.admin, input(body.clone()))
        .await
        .unwrap();
    assert_eq!(json_of(&mine)["billingMode"], "platform-fee");
    let mut free = body;
    free["billingMode"] = json!("none");
    let refused = pools::create::handle(&world.service, &acme.admin, input(free)).await;
    assert_eq!(told(refused).1, "billingMode");
    let change = json!({"tenantId": "acme", "poolId": mine.id, "billingMode": "none"});
    let refused = pools::update::handle(&world.service, &acme.admin, input(change.clone())).await;
    assert_eq!(told(refused).1, "billingMode");
    let change_title = json!({"tenantId": "acme", "poolId": mine.id, "title": "ours"});
    let changed = pools::update::handle(&world.service, &acme.admin, input(change_title))
        .await
        .unwrap();
    assert_eq!(json_of(changed)["title"], "ours");
    pools::update::handle(&world.service, &world.root, input(change))
        .await
        .unwrap();
    // The platform's pool is not the tenant's to change.
    let other = json!({"tenantId": "acme", "poolId": world.pool, "title": "mine"});
    let refused = pools::update::handle(&world.service, &acme.admin, input(other)).await;
    assert_eq!(told(refused).0, Code::NotFound);
}
