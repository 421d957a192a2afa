//! What a provider raises about resources, and who sees it.

use berth_service::Code;
use berth_service::cloud_resources::{catalog, signals};
use serde_json::{Value, json};

use crate::harness::{Choices, Tenant, World, input, lay_over, told};
use crate::hostile::Hostile;

/// A moment before the tests' clock begins.
const THEN: i64 = 1_799_999_000_000;

fn signal(id: &str, object: &str, at: i64) -> Value {
    json!({
        "id": id, "severity": "warning", "title": format!("{id} wants a look"), "at": at,
        "kind": "hostile.db", "providerId": object,
    })
}

fn with(mut signal: Value, more: Value) -> Value {
    lay_over(&mut signal, more);
    signal
}

/// rule: CR-074, CR-075, CR-076, CR-077
#[tokio::test]
async fn signals_are_told_newest_first_with_the_resource_that_they_are_about() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let database = hostile.database(&acme, "orders", "db-1").await;
    let raised = json!([
        signal("old", "db-1", THEN),
        with(
            signal("new", "db-1", THEN + 2),
            json!({"severity": "critical", "detail": "the disk is full"})
        ),
        with(
            signal("middle", "db-1", THEN + 1),
            json!({"severity": "info"})
        ),
    ]);
    hostile.provider.says("/v2/signals", 200, &raised);
    let told = hostile.signals(&acme, json!({})).await.unwrap();
    let (kind, about) = (
        "hostile.db",
        json!({"providerId": "db-1", "resourceId": database.id}),
    );
    assert_eq!(
        told,
        json!([
            with(
                about.clone(),
                json!({"id": "new", "severity": "critical", "title": "new wants a look",
            "detail": "the disk is full", "at": THEN + 2, "kind": kind})
            ),
            with(
                about.clone(),
                json!({"id": "middle", "severity": "info", "title": "middle wants a look",
            "at": THEN + 1, "kind": kind})
            ),
            with(
                about,
                json!({"id": "old", "severity": "warning", "title": "old wants a look",
            "at": THEN, "kind": kind})
            ),
        ])
    );
}

/// rule: CR-079, CR-080
#[tokio::test]
async fn a_tenant_of_a_shared_pool_sees_its_own_and_the_owner_sees_all() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let other = hostile.tenant("other").await;
    let mine = hostile.database(&acme, "orders", "db-1").await;
    let theirs = hostile.database(&other, "orders", "db-2").await;
    let raised = json!([
        signal("mine", "db-1", THEN + 3),
        signal("theirs", "db-2", THEN + 2),
        signal("nobodys", "db-3", THEN + 1),
        // Another kind with the same id is another object.
        with(
            signal("of a user", "db-1", THEN),
            json!({"kind": "hostile.db.user"})
        ),
    ]);
    hostile.provider.says("/v2/signals", 200, &raised);
    assert_eq!(hostile.seen(&acme, json!({})).await, ["mine"]);
    assert_eq!(hostile.seen(&other, json!({})).await, ["theirs"]);
    let all = hostile
        .signals(&hostile.platform(), json!({}))
        .await
        .unwrap();
    let seen: Vec<_> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| (&signal["id"], &signal["resourceId"]))
        .collect();
    assert_eq!(
        seen,
        [
            (&json!("mine"), &json!(mine.id)),
            (&json!("theirs"), &json!(theirs.id)),
            (&json!("nobodys"), &Value::Null),
            (&json!("of a user"), &Value::Null),
        ]
    );
    // An operator who asks for a tenant sees what that tenant sees.
    let operator = Tenant {
        id: acme.id.clone(),
        admin: hostile.world.root.clone(),
    };
    assert_eq!(hostile.seen(&operator, json!({})).await, ["mine"]);
}

/// rule: CR-080
#[tokio::test]
async fn a_tenant_on_its_own_account_sees_what_nothing_records() {
    let mut hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let account = hostile.account_of("acme", json!({})).await;
    hostile.pool = hostile.world.pool_on("acme", &account).await;
    hostile.provider.says(
        "/v2/signals",
        200,
        &json!([signal("by hand", "db-9", THEN)]),
    );
    assert_eq!(hostile.seen(&acme, json!({})).await, ["by hand"]);
}

/// rule: CR-084
#[tokio::test]
async fn what_counts_is_what_lives_when_it_is_asked() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let raised = json!([signal("one", "db-1", THEN), signal("two", "db-2", THEN - 1)]);
    hostile.provider.says("/v2/signals", 200, &raised);
    let gone = hostile.database(&acme, "gone", "db-1").await;
    assert_eq!(hostile.seen(&acme, json!({})).await, ["one"]);
    hostile.database(&acme, "fresh", "db-2").await;
    assert_eq!(hostile.seen(&acme, json!({})).await, ["one", "two"]);
    hostile.world.as_if_deleted(&gone.id).await;
    assert_eq!(hostile.seen(&acme, json!({})).await, ["two"]);
    assert_eq!(
        hostile.provider.asked().len(),
        1,
        "one answer served all three"
    );
}

/// rule: CR-078
#[tokio::test]
async fn a_resource_narrows_and_one_that_is_not_the_tenants_is_not_found() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let other = hostile.tenant("other").await;
    let one = hostile.database(&acme, "one", "db-1").await;
    let theirs = hostile.database(&other, "theirs", "db-3").await;
    hostile.database(&acme, "two", "db-2").await;
    let raised = json!([
        signal("one", "db-1", THEN),
        signal("two", "db-2", THEN),
        signal("three", "db-3", THEN)
    ]);
    hostile.provider.says("/v2/signals", 200, &raised);
    assert_eq!(
        hostile.seen(&acme, json!({"resourceId": one.id})).await,
        ["one"]
    );
    assert_eq!(hostile.provider.asked().len(), 1);
    let missing = "crs_00000000000000000000000000";
    for id in [json!(theirs.id), json!(missing)] {
        let refused = told(hostile.signals(&acme, json!({"resourceId": id})).await);
        assert_eq!(refused.0, Code::NotFound, "{id}");
    }
}

/// rule: CR-074, CR-084
#[tokio::test]
async fn the_cap_is_on_what_a_tenant_sees_and_not_on_what_the_account_has() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    hostile.database(&acme, "mine", "mine").await;
    let mut raised: Vec<Value> = (0..700)
        .map(|number| signal(&format!("s-{number}"), "theirs", THEN + number))
        .collect();
    raised.push(signal("oldest", "mine", THEN - 1));
    hostile.provider.says("/v2/signals", 200, &json!(raised));
    assert_eq!(hostile.seen(&acme, json!({})).await, ["oldest"]);
    let all = hostile.seen(&hostile.platform(), json!({})).await;
    assert_eq!(
        (all.len(), all[0].as_str(), all[499].as_str()),
        (500, "s-699", "s-200")
    );
}

/// Users of two clusters may have the same id at the provider: a signal about it is about neither.
///
/// rule: CR-079
#[tokio::test]
async fn a_signal_that_may_be_about_anothers_object_is_shown_to_neither() {
    let hostile = Hostile::new().await;
    let (acme, other) = (hostile.tenant("acme").await, hostile.tenant("other").await);
    for (tenant, object) in [(&acme, "db-1"), (&other, "db-2")] {
        let cluster = hostile.database(tenant, "cluster", object).await;
        let body = json!({
            "tenantId": tenant.id, "poolId": hostile.pool, "kind": "hostile.db.user", "name": "app",
            "parentId": cluster.id, "spec": {}, "idempotencyKey": "user",
        });
        let user = hostile.world.create(&tenant.admin, &body).await.unwrap();
        hostile
            .world
            .as_if(&user.id, |row| row.provider_id = Some("app".into()))
            .await;
    }
    let raised = json!([with(
        signal("whose", "app", THEN),
        json!({"kind": "hostile.db.user"})
    )]);
    hostile.provider.says("/v2/signals", 200, &raised);
    assert!(hostile.seen(&acme, json!({})).await.is_empty());
    assert!(hostile.seen(&other, json!({})).await.is_empty());
    let all = hostile
        .signals(&hostile.platform(), json!({}))
        .await
        .unwrap();
    assert_eq!(all[0].get("resourceId"), None);
}

/// rule: CR-083
#[tokio::test]
async fn one_answer_serves_every_tenant_for_thirty_seconds_and_a_failure_nobody() {
    let hostile = Hostile::new().await;
    let (acme, other) = (hostile.tenant("acme").await, hostile.tenant("other").await);
    hostile.provider.says("/v2/signals", 503, &json!("down"));
    let refused = told(hostile.signals(&acme, json!({})).await);
    assert_eq!(
        (refused.0, refused.1.as_str()),
        (Code::Unavailable, "provider")
    );
    hostile.provider.says("/v2/signals", 200, &json!([]));
    hostile.seen(&acme, json!({})).await;
    hostile.seen(&other, json!({})).await;
    hostile.world.clock.advance(29_000);
    hostile.seen(&other, json!({})).await;
    assert_eq!(
        hostile.provider.asked().len(),
        2,
        "the failure, and one answer"
    );
    hostile.world.clock.advance(2_000);
    hostile.seen(&acme, json!({})).await;
    assert_eq!(hostile.provider.asked().len(), 3);
}

/// rule: CR-081, CR-083
#[tokio::test]
async fn tenants_that_ask_at_once_share_one_call_and_may_stop_waiting() {
    let hostile = Hostile::new().await;
    let (acme, other) = (hostile.tenant("acme").await, hostile.tenant("other").await);
    hostile.database(&acme, "orders", "db-1").await;
    hostile
        .provider
        .says("/v2/signals", 200, &json!([signal("one", "db-1", THEN)]));
    hostile.provider.holds_back();
    let hostile = hostile.shared();
    let ask = |tenant: &Tenant| {
        let (hostile, tenant) = (hostile.clone(), tenant.clone());
        tokio::spawn(async move { hostile.seen(&tenant, json!({})).await })
    };
    let first = ask(&acme);
    while hostile.provider.asked().is_empty() {
        tokio::task::yield_now().await;
    }
    let (second, third) = (ask(&acme), ask(&other));
    tokio::task::yield_now().await;
    first.abort();
    assert!(first.await.unwrap_err().is_cancelled());
    hostile.provider.lets_go();
    assert_eq!(second.await.unwrap(), ["one"]);
    assert!(third.await.unwrap().is_empty());
    assert_eq!(
        hostile.provider.asked(),
        ["GET /v2/signals"],
        "one read, and no write"
    );
}

/// rule: CR-071, CR-085
#[tokio::test]
async fn a_provider_without_signals_or_a_catalog_is_unsupported() {
    let world = World::bare(Choices::default()).await;
    world.install("guest-yard.wasm").await;
    let fields = json!({"provider": "yard", "regions": []});
    let account = world.account_of("root", fields).await;
    let body = json!({"tenantId": "root", "poolId": world.pool_on("root", &account).await});
    let asked = signals::handle(&world.service, &world.root, input(body.clone())).await;
    assert_eq!(
        told(asked),
        (Code::Unsupported, "signals".into(), String::new())
    );
    let asked = catalog::handle(&world.service, &world.root, input(body)).await;
    assert_eq!(
        told(asked),
        (Code::Unsupported, "catalog".into(), String::new())
    );
}

/// rule: CR-086
#[tokio::test]
async fn signals_behind_previews_need_an_account_with_previews() {
    let mut hostile = Hostile::of("guest-held.wasm", Choices::default()).await;
    let acme = hostile.tenant("acme").await;
    let refused = told(hostile.signals(&acme, json!({})).await);
    assert_eq!(
        refused,
        (Code::Unsupported, "preview".into(), String::new())
    );
    assert!(hostile.provider.asked().is_empty());
    let account = hostile.account_of("acme", json!({"previews": true})).await;
    hostile.pool = hostile.world.pool_on("acme", &account).await;
    hostile
        .provider
        .says("/v2/signals", 200, &json!([signal("one", "db-1", THEN)]));
    assert_eq!(hostile.seen(&acme, json!({})).await, ["one"]);
}

/// rule: CR-087
#[tokio::test]
async fn signals_need_to_read_and_a_pool_that_is_seen() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let blind = hostile.world.bare_tenant("blind").await;
    assert_eq!(
        told(hostile.signals(&blind, json!({})).await).0,
        Code::NotFound
    );
    let nobody = Tenant {
        admin: hostile.world.caller("acme", &[]).await,
        ..acme
    };
    assert_eq!(
        told(hostile.signals(&nobody, json!({})).await).0,
        Code::AccessDenied
    );
    assert!(hostile.provider.asked().is_empty());
}

/// rule: CR-073
#[test]
fn signals_take_a_tenant_a_pool_and_a_resource() {
    let (pool, resource) = (
        "pool_00000000000000000000000000",
        "crs_00000000000000000000000000",
    );
    for (body, fits) in [
        (json!({"tenantId": "acme", "poolId": pool}), true),
        (
            json!({"tenantId": "acme", "poolId": pool, "resourceId": resource}),
            true,
        ),
        (
            json!({"tenantId": "acme", "poolId": pool, "resourceId": null}),
            false,
        ),
        (
            json!({"tenantId": "acme", "poolId": pool, "resourceId": "crs_x"}),
            false,
        ),
        (json!({"tenantId": "acme"}), false),
        (json!({"poolId": pool}), false),
    ] {
        let parsed = serde_json::from_value::<signals::Input>(body.clone());
        assert_eq!(parsed.is_ok(), fits, "{body}");
    }
}

/// What the provider throttles or forbids is told with the way on.
#[tokio::test]
async fn a_provider_that_refuses_is_unavailable_with_a_reason() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    for (status, code, reason) in [
        (403, Code::Unavailable, "denied"),
        (501, Code::Unsupported, "plugin"),
        (429, Code::Unavailable, "throttled"),
    ] {
        hostile.provider.says("/v2/signals", status, &json!("no"));
        let refused = told(hostile.signals(&acme, json!({})).await);
        assert_eq!((refused.0, refused.1.as_str()), (code, reason));
    }
}

/// A call of a provider that begins inside of a transaction of the store is a defect that no test
/// overlooks.
///
/// rule: CR-070, CR-081
#[tokio::test]
#[cfg(debug_assertions)]
async fn asking_a_provider_inside_of_a_transaction_panics() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    hostile.provider.says("/v2/signals", 200, &json!([]));
    hostile.provider.says("/v2/catalog", 200, &json!([]));
    let hostile = hostile.shared();
    let (one, two) = (hostile.clone(), hostile.clone());
    let (asker, other) = (acme.clone(), acme.clone());
    let inside = [
        tokio::spawn(berth_store::inside_transaction(async move {
            one.signals(&asker, json!({})).await.is_ok()
        })),
        tokio::spawn(berth_store::inside_transaction(async move {
            two.catalog(&other, json!({})).await.is_ok()
        })),
    ];
    for task in inside {
        assert!(task.await.unwrap_err().is_panic());
    }
    assert!(hostile.provider.asked().is_empty());
    assert!(hostile.signals(&acme, json!({})).await.is_ok());
    assert!(hostile.catalog(&acme, json!({})).await.is_ok());
}
