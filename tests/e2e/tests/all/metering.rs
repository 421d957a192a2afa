//! What runs is billed, to the millisecond.

use std::collections::BTreeMap;

use berth_e2e::{New, Tenant, World, Yard};
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Row as _};

const HOURS: &str = "cloud.resource.hours";

fn shed(name: &str, size: u64) -> New {
    New::of("yard.shed", name, json!({"size": size}))
}

async fn world() -> World {
    World::with(|settings| {
        settings.set("service.kindMeters", "[\"yard.space\"]");
        settings.set("service.defaultCapacity", "100");
    })
    .await
}

async fn a_tenant(world: &World, yard: &Yard, billing_mode: &str) -> Tenant {
    let pool = world.yard_pool("root", yard, billing_mode).await;
    let tenant = world.tenant("acme").await;
    world.offer(&pool, "acme").await;
    tenant.on(&pool)
}

/// All usage of a tenant, a page after the other.
async fn usage(tenant: &Tenant, fields: Value) -> Vec<Value> {
    let mut body = tenant.input(fields);
    let mut rows = Vec::new();
    loop {
        let page = tenant.api.ok("usage/list", &body).await;
        rows.extend(page["items"].as_array().unwrap().iter().cloned());
        match page.get("nextCursor") {
            Some(cursor) => body["cursor"] = cursor.clone(),
            None => return rows,
        }
    }
}

/// Unit-milliseconds by meter.
async fn billed(tenant: &Tenant, id: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for row in usage(tenant, json!({"resourceId": id})).await {
        let meter = row["meter"].as_str().unwrap().to_owned();
        *sums.entry(meter).or_default() += row["unitMs"].as_u64().unwrap();
    }
    sums
}

/// When the create was sent that was accepted first, as the journal has it, and when the row ended.
async fn life(world: &World, id: &str) -> (i64, i64) {
    let file = world.data().join("berth.db");
    let mut store = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .connect()
        .await
        .unwrap();
    let row = sqlx::query(
        "SELECT (SELECT MIN(at) FROM journal WHERE resource = $1 AND operation = 'create' \
             AND status BETWEEN 200 AND 299) AS sent, ended_at FROM resources WHERE id = $1",
    )
    .bind(id)
    .fetch_one(&mut store)
    .await
    .unwrap();
    (row.get("sent"), row.get("ended_at"))
}

/// rule: CR-023, CR-024, CR-026, CR-029
#[tokio::test]
async fn a_life_is_billed_from_the_accepted_create_to_its_end() {
    let world = world().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, "metered").await;
    let made = acme.ready(&shed("one", 3)).await;
    acme.deleted(made.id()).await;
    let (sent, ended) = life(&world, made.id()).await;
    let lived = u64::try_from(ended - sent).unwrap();
    let expected = BTreeMap::from([
        (HOURS.to_owned(), lived),
        ("yard.space".to_owned(), 3 * lived),
    ]);
    assert_eq!(billed(&acme, made.id()).await, expected);
    // Asked again it says the same, and nothing is added by what goes on.
    acme.ready(&shed("two", 1)).await;
    assert_eq!(billed(&acme, made.id()).await, expected);
}

/// rule: CR-029
#[tokio::test]
async fn a_changed_rate_bills_once_it_is_applied_and_unnamed_meters_do_not() {
    let world = world().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, "metered").await;
    let made = acme.ready(&shed("one", 3)).await;
    yard.slow(true);
    acme.update(made.id(), json!({"size": 7})).await;
    acme.wait(made.id(), "updating").await;
    let sizes = |rows: Vec<Value>| -> Vec<u64> {
        let of = |meter: &str| -> u64 {
            let rows = rows.iter().filter(|row| row["meter"] == meter);
            rows.map(|row| row["unitMs"].as_u64().unwrap()).sum()
        };
        vec![of("yard.space"), of(HOURS)]
    };
    let before = sizes(usage(&acme, json!({})).await);
    assert_eq!(before[0], 3 * before[1], "the smaller one runs");
    yard.slow(false);
    acme.wait(made.id(), "ready").await;
    let seen = usage(&acme, json!({"meter": "yard.space"})).await;
    assert!(seen.iter().all(|row| row["meter"] == "yard.space"));
    acme.deleted(made.id()).await;
    let after = billed(&acme, made.id()).await;
    let (hours, space) = (after[HOURS], after["yard.space"]);
    assert!(3 * hours < space && space < 7 * hours, "{after:?}");

    let crane = New::of("yard.crane", "crane", json!({"size": 2}));
    let crane = acme.ready(&crane).await;
    acme.deleted(crane.id()).await;
    let of_crane = billed(&acme, crane.id()).await;
    assert_eq!(of_crane.into_keys().collect::<Vec<_>>(), [HOURS]);
}

/// rule: CR-026
#[tokio::test]
async fn what_fails_and_what_is_being_deleted_is_billed_until_it_is_gone() {
    let world = world().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, "platform-fee").await;
    let made = acme.ready(&shed("one", 3)).await;
    yard.refuse_changes(true);
    acme.update(made.id(), json!({"size": 5})).await;
    acme.wait(made.id(), "error").await;
    let first = billed(&acme, made.id()).await[HOURS];
    acme.wait(made.id(), "error").await;
    let second = billed(&acme, made.id()).await[HOURS];
    assert!(second > first, "a failed resource is there nevertheless");
    acme.deleted(made.id()).await;
    let (sent, ended) = life(&world, made.id()).await;
    let lived = u64::try_from(ended - sent).unwrap();
    // Where the provider bills the rest, only the hours are.
    assert_eq!(
        billed(&acme, made.id()).await,
        BTreeMap::from([(HOURS.to_owned(), lived)])
    );
}

/// rule: CR-025, CR-026
#[tokio::test]
async fn what_was_taken_over_is_billed_from_its_first_ready_until_it_is_let_go() {
    let world = world().await;
    let yard = Yard::start().await;
    let acme = world.tenant("acme").await;
    let pool = world.yard_pool("acme", &yard, "metered").await;
    let id = yard.plant("sheds", "theirs", 3);
    let body = acme.input(
        json!({"poolId": pool, "kind": "yard.shed", "providerId": id,
        "name": "mine", "idempotencyKey": "adopt"}),
    );
    let taken = acme.api.ok("cloudResources/adopt", &body).await;
    let taken = taken["id"].as_str().unwrap();
    let ready = acme.wait(taken, "ready").await;
    acme.api
        .ok("cloudResources/release", &acme.about(taken))
        .await;
    let released = acme.wait(taken, "released").await;
    let at = |row: &berth_e2e::Resource, field: &str| row[field].as_u64().unwrap();
    let lived = at(&released, "releasedAt") - at(&ready, "readyAt");
    assert_eq!(
        billed(&acme, taken).await,
        // What the provider shows of it takes three units of space.
        BTreeMap::from([
            (HOURS.to_owned(), lived),
            ("yard.space".to_owned(), 3 * lived)
        ])
    );
}

/// rule: CR-027
#[tokio::test]
async fn a_pool_of_no_billing_bills_nothing_until_its_mode_is_changed() {
    let world = world().await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, "none").await;
    let made = acme.ready(&shed("one", 3)).await;
    assert!(usage(&acme, json!({})).await.is_empty());
    let body = json!({"tenantId": "root", "poolId": acme.pool, "billingMode": "metered"});
    world.root.ok("pools/update", &body).await;
    berth_e2e::eventually("it is billed", || async {
        (!usage(&acme, json!({})).await.is_empty()).then_some(())
    })
    .await;
    let body = json!({"tenantId": "root", "poolId": acme.pool, "billingMode": "none"});
    world.root.ok("pools/update", &body).await;
    acme.deleted(made.id()).await;
    let (sent, ended) = life(&world, made.id()).await;
    let hours = billed(&acme, made.id()).await[HOURS];
    assert!(hours < u64::try_from(ended - sent).unwrap());
}

/// rule: CR-028
#[tokio::test]
async fn what_lives_in_another_bills_no_hours() {
    let world = World::start().await;
    let account = world.account_of("root").await;
    let pool = json!({"tenantId": "root", "title": "billed", "type": "provider",
        "accountId": account, "billingMode": "metered"});
    let pool = world.root.ok("pools/create", &pool).await;
    let acme = world.tenant("acme").await;
    let pool = pool["id"].as_str().unwrap();
    world.offer(pool, "acme").await;
    let acme = acme.on(pool);
    let cluster = acme.ready(&New::pg("orders")).await;
    let user = acme.ready(&New::user(cluster.id(), "reader")).await;
    assert!(!billed(&acme, cluster.id()).await.is_empty());
    assert!(billed(&acme, user.id()).await.is_empty());
}

#[tokio::test]
async fn usage_is_exported_as_it_is_listed() {
    let world = World::with(|settings| {
        settings.set("service.kindMeters", "[\"yard.space\"]");
        settings.set("service.exportRows", "1");
    })
    .await;
    let yard = Yard::start().await;
    let acme = a_tenant(&world, &yard, "metered").await;
    for name in ["one", "two"] {
        let made = acme.ready(&shed(name, 2)).await;
        acme.deleted(made.id()).await;
    }
    let listed = usage(&acme, json!({})).await;
    assert!(listed.len() >= 4);
    let mut texts = Vec::new();
    for format in ["json", "csv"] {
        let mut body = acme.input(json!({"format": format}));
        let mut text = String::new();
        loop {
            let part = acme.api.ok("usage/export", &body).await;
            text.push_str(part["content"].as_str().unwrap());
            match part.get("nextCursor") {
                Some(cursor) => body["cursor"] = cursor.clone(),
                None => break,
            }
        }
        texts.push(text);
    }
    let rows: Vec<Value> = texts[0]
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows, listed);
    let lines: Vec<&str> = texts[1].split_terminator("\r\n").collect();
    assert_eq!(
        lines[0],
        "hour,tenant,project,pool,kind,resource,meter,unitMs"
    );
    assert_eq!(lines.len(), listed.len() + 1);
    for (line, row) in lines[1..].iter().zip(&listed) {
        let unit_ms = row["unitMs"].to_string();
        assert!(line.ends_with(&format!(",{unit_ms}")), "{line}");
        assert!(line.contains(row["resourceId"].as_str().unwrap()), "{line}");
    }
    let all = world.root.ok("usage/list", &json!({})).await;
    assert_eq!(all["items"].as_array().unwrap().len(), listed.len());
    let everyone = acme.api.refused("usage/list", &json!({})).await;
    everyone.is("ACCESS_DENIED", "");
    let body = acme.input(json!({"from": 5, "to": 5}));
    acme.api
        .refused("usage/list", &body)
        .await
        .is_invalid_at("to");
    let body = acme.input(json!({"cursor": "elsewhere"}));
    acme.api
        .refused("usage/list", &body)
        .await
        .is_invalid_at("cursor");
}
