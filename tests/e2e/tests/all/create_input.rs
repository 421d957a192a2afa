//! The input of `cloudResources/create`: the shape of each field, and the answer.

use berth_e2e::{New, World};
use serde_json::{Value, json};

/// What is wrong at a field, whatever the method.
async fn each_is_invalid(world: &World, field: &str, wrong: &[Value]) {
    let acme = world.tenant("acme").await;
    for value in wrong {
        let refusal = acme
            .refused(&New::pg("orders").with(field, value.clone()))
            .await;
        refusal.is_invalid_at(field);
        assert!(!refusal.message.is_empty());
    }
    assert_eq!(
        acme.list().await["items"],
        json!([]),
        "a refusal recorded something"
    );
}

fn ids(prefix: &str) -> Vec<Value> {
    let good = "0".repeat(26);
    let bad = [
        String::new(),
        prefix.to_owned(),
        format!("{prefix}{}", "0".repeat(25)),
        format!("{prefix}{}", "0".repeat(53)),
        format!("{prefix}{}i", "0".repeat(25)),
        format!("{prefix}{}A", "0".repeat(25)),
        format!("x{prefix}{good}"),
        format!("{prefix}{good} "),
        format!("{prefix}{good}\n"),
        good,
    ];
    let mut wrong: Vec<Value> = bad.into_iter().map(Value::from).collect();
    wrong.extend([json!(7), json!([]), Value::Null]);
    wrong
}

/// rule: CR-040
#[tokio::test]
async fn a_pool_id_has_its_shape() {
    let world = World::start().await;
    each_is_invalid(&world, "poolId", &ids("pool_")).await;
}

/// rule: CR-042
#[tokio::test]
async fn a_project_id_has_its_shape() {
    let world = World::start().await;
    each_is_invalid(&world, "projectId", &ids("prj_")).await;
}

/// rule: CR-043
#[tokio::test]
async fn a_parent_id_has_the_shape_of_a_resource_id() {
    let world = World::start().await;
    each_is_invalid(&world, "parentId", &ids("crs_")).await;
}

/// rule: CR-044
#[tokio::test]
async fn a_kind_is_words_joined_by_dots_and_hyphens() {
    let world = World::start().await;
    let long = format!("do.{}", "a".repeat(62));
    let wrong = [
        json!(""),
        json!("do."),
        json!(".do"),
        json!("do..app"),
        json!("do.App"),
        json!("do app"),
        json!("do_app"),
        json!("do.app\n"),
        json!(long),
        json!(1),
        Value::Null,
    ];
    each_is_invalid(&world, "kind", &wrong).await;
}

/// rule: CR-126
#[tokio::test]
async fn a_name_begins_with_a_letter_and_does_not_end_in_a_hyphen() {
    let world = World::start().await;
    let wrong = [
        json!(""),
        json!("1a"),
        json!("A"),
        json!("a-"),
        json!("-a"),
        json!("a_b"),
        json!("a.b"),
        json!("é"),
        json!("a b"),
        json!("a\n"),
        json!("a".repeat(64)),
        json!(1),
        Value::Null,
    ];
    each_is_invalid(&world, "name", &wrong).await;
    let acme = world.bare_tenant("other").await;
    world.offer(&world.pool, "other").await;
    for name in ["a", "a-1", &"a".repeat(63)] {
        acme.create(&New::pg(name)).await;
    }
}

/// rule: CR-045
#[tokio::test]
async fn an_idempotency_key_has_1_to_128_plain_characters() {
    let world = World::start().await;
    let wrong = [
        json!(""),
        json!("a b"),
        json!("a/b"),
        json!("é"),
        json!("a\n"),
        json!("a".repeat(129)),
        json!(1),
        Value::Null,
    ];
    each_is_invalid(&world, "idempotencyKey", &wrong).await;
    let other = world.bare_tenant("other").await;
    world.offer(&world.pool, "other").await;
    other
        .create(&New::pg("first").with("idempotencyKey", "A.z_0:-".repeat(18)))
        .await;
    other
        .create(&New::pg("second").with("idempotencyKey", "k".repeat(128)))
        .await;
}

/// rule: CR-046
#[tokio::test]
async fn a_description_counts_characters_and_not_bytes() {
    let world = World::start().await;
    each_is_invalid(
        &world,
        "description",
        &[
            json!("a".repeat(257)),
            json!("é".repeat(257)),
            json!(1),
            json!([]),
        ],
    )
    .await;
    let other = world.bare_tenant("other").await;
    world.offer(&world.pool, "other").await;
    let text = "é".repeat(256);
    let orders = other
        .create(&New::pg("orders").with("description", text.clone()))
        .await;
    assert_eq!(orders["description"], json!(text));
}

/// rule: CR-047
#[tokio::test]
async fn a_spec_is_an_object() {
    let world = World::start().await;
    each_is_invalid(
        &world,
        "spec",
        &[json!([]), json!("{}"), json!(1), json!(true), Value::Null],
    )
    .await;
}

/// rule: CR-039
#[tokio::test]
async fn a_tenant_id_is_required_everywhere_and_has_its_shape() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let id = "crs_00000000000000000000000000";
    let create = acme.body(&New::pg("orders"));
    let calls = [
        ("kinds", json!({"poolId": acme.pool})),
        ("create", create),
        ("list", json!({})),
        ("get", json!({"resourceId": id})),
        ("update", json!({"resourceId": id, "spec": {}})),
        ("delete", json!({"resourceId": id})),
    ];
    let wrong = [
        json!(""),
        json!("a b"),
        json!("a/b"),
        json!("é"),
        json!("a\n"),
        json!("a".repeat(129)),
        json!(1),
        Value::Null,
    ];
    for (method, mut body) in calls {
        let method = format!("cloudResources/{method}");
        body.as_object_mut().unwrap().remove("tenantId");
        acme.api
            .refused(&method, &body)
            .await
            .is_invalid_at("tenantId");
        for value in &wrong {
            body["tenantId"] = value.clone();
            acme.api
                .refused(&method, &body)
                .await
                .is_invalid_at("tenantId");
        }
    }
    let odd = "A.z_0:-".repeat(18);
    let tenant = world.bare_tenant(&odd).await;
    assert_eq!(tenant.list().await["items"], json!([]));
}

/// rule: CR-088
#[tokio::test]
async fn create_names_the_field_that_is_missing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let body = acme.body(&New::pg("orders"));
    for field in [
        "tenantId",
        "poolId",
        "kind",
        "name",
        "spec",
        "idempotencyKey",
    ] {
        let mut without = body.clone();
        without.as_object_mut().unwrap().remove(field);
        acme.api
            .refused("cloudResources/create", &without)
            .await
            .is_invalid_at(field);
    }
    let refusal = acme.refused(&New::pg("orders").with("colour", "red")).await;
    refusal.is_invalid_at("colour");
    assert_eq!(acme.list().await["items"], json!([]));
}

/// rule: CR-089
#[tokio::test]
async fn create_answers_with_the_pending_resource_and_its_owner() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders").with("description", "of the shop");
    let orders = acme.create(&new).await;
    assert!(orders.id().starts_with("crs_"));
    assert_eq!(orders.state(), "pending");
    assert_eq!(orders["adopted"], false);
    assert_eq!(orders["ownerId"], json!(acme.principal));
    assert_eq!(orders["tenantId"], "acme");
    assert_eq!(orders["poolId"], json!(acme.pool));
    assert_eq!(orders["kind"], "do.database.pg");
    assert_eq!(orders["family"], "data");
    assert_eq!(orders["name"], "orders");
    assert_eq!(orders["description"], "of the shop");
    assert_eq!(orders["spec"], new.fields()["spec"]);
    assert_eq!(orders.version(), 1);
    assert_eq!(orders["providerId"], Value::Null);
}
