//! What refuses a create, in which order, and what a refusal leaves behind.

use berth_e2e::{New, World, everything};
use serde_json::{Value, json};

/// rule: CR-100
#[tokio::test]
async fn a_kind_that_the_provider_does_not_serve_is_unsupported() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for kind in ["do.unheard-of", "aws.database.pg", "do", "app"] {
        let refusal = acme.refused(&New::of(kind, "orders", json!({}))).await;
        refusal.is("UNSUPPORTED", "");
        assert!(refusal.message.contains(kind), "{}", refusal.message);
    }
}

/// rule: CR-139
#[tokio::test]
async fn a_refusal_leaves_nothing_but_its_audit_row() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "1");
    })
    .await;
    let acme = world.tenant("acme").await;
    let nobody = acme.someone(&[]).await;
    acme.ready(&New::pg("orders")).await;
    let before = acme.list_by(json!({"includeDeleted": true})).await;
    let secrets = acme.api.ok("secrets/list", &acme.input(json!({}))).await;
    let events = acme.api.ok("events/list", &acme.input(json!({}))).await;
    let asked = world.next_request();
    let refusals = [
        acme.refused(&New::pg("Orders")).await,
        acme.refused(&New::pg("stock").spec("region", "fra1")).await,
        acme.refused(&New::pg("stock").spec("size", 7)).await,
        acme.refused(&New::user("crs_00000000000000000000000000", "reports"))
            .await,
        acme.refused(&New::of("do.none", "stock", json!({}))).await,
        acme.refused(&New::pg("orders")).await,
        acme.refused(&New::pg("stock")).await,
        nobody.refused(&New::app("shop")).await,
        acme.on("pool_00000000000000000000000000")
            .refused(&New::app("shop"))
            .await,
    ];
    let codes: Vec<&str> = refusals
        .iter()
        .map(|refusal| refusal.code.as_str())
        .collect();
    assert_eq!(
        codes,
        [
            "INVALID_INPUT",
            "INVALID_INPUT",
            "INVALID_INPUT",
            "INVALID_INPUT",
            "UNSUPPORTED",
            "CONFLICT",
            "QUOTA_EXCEEDED",
            "ACCESS_DENIED",
            "NOT_FOUND",
        ]
    );
    assert_eq!(acme.list_by(json!({"includeDeleted": true})).await, before);
    assert_eq!(
        acme.api.ok("secrets/list", &acme.input(json!({}))).await,
        secrets
    );
    assert_eq!(
        acme.api.ok("events/list", &acme.input(json!({}))).await,
        events
    );
    assert!(world.writes_since(asked).is_empty());
    let audit = world
        .root
        .ok("audit/list", &json!({"tenantId": "acme"}))
        .await;
    let refused = audit["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|row| row["outcome"] == "refused")
        .count();
    // The first is refused by its shape, before it is known what is asked for.
    assert!(refused >= 8, "{audit:#}");
}

/// rule: CR-137, CR-138
#[tokio::test]
async fn who_may_not_create_learns_of_no_name_identity_quota_or_parent() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "1");
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    acme.create(&New::user(orders.id(), "reports")).await;
    let reader = acme
        .someone(&[json!({
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "compute:cloud-resources:read", "Resource": "*"}],
        })])
        .await;
    let mut told = Vec::new();
    for new in [
        New::pg("orders"),
        New::pg("stock"),
        New::user(orders.id(), "reports"),
        New::user(orders.id(), "other"),
        New::user("crs_00000000000000000000000000", "reports"),
    ] {
        let refusal = reader.refused(&new).await;
        refusal.is("ACCESS_DENIED", "");
        let target = refusal.message.find("compute-cloud-resource/").unwrap();
        let mut message = refusal.message.clone();
        message.replace_range(
            target..target + "compute-cloud-resource/crs_".len() + 26,
            "it",
        );
        told.push((message, refusal.details));
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:#?}");
}

/// rule: CR-030, CR-137
#[tokio::test]
async fn create_is_decided_on_the_resource_to_be_with_its_kind_and_family() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let databases_only = acme
        .someone(&[json!({
            "Version": "2012-10-17",
            "Statement": [{
                "Effect": "Allow", "Action": "compute:cloud-resources:create", "Resource": "compute-cloud-resource/*",
                "Condition": {"StringEquals": {"resource.family": "data", "resource.kind": "do.database.pg"}},
            }],
        })])
        .await;
    let orders = databases_only.create(&New::pg("orders")).await;
    databases_only
        .refused(&New::app("shop"))
        .await
        .is("ACCESS_DENIED", "");
    databases_only
        .refused(&New::user(orders.id(), "reports"))
        .await
        .is("ACCESS_DENIED", "");
}

/// The order: a retry before everything else, the pool before the decision, the decision before the
/// spec, the spec before other rows.
///
/// rule: CR-138
#[tokio::test]
async fn checks_come_in_their_order() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    acme.create(&New::pg("orders")).await;
    let nobody = acme.someone(&[]).await;
    let wrong_spec = New::pg("orders").spec("num_nodes", 9);
    nobody.refused(&wrong_spec).await.is("ACCESS_DENIED", "");
    acme.refused(&wrong_spec)
        .await
        .is_invalid_at("spec.num_nodes");
    let user = New::user("crs_00000000000000000000000000", "x").spec("colour", "red");
    acme.refused(&user).await.is_invalid_at("spec.colour");
}

/// Whoever writes a reference into a spec needs the right to use that secret.
///
/// rule: CR-108
#[tokio::test]
async fn using_a_secret_in_a_spec_is_decided() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", "hunter2hunter2hunter2").await;
    let without_use = json!({
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": "compute:*", "Resource": "*"},
            {"Effect": "Deny", "Action": "compute:secrets:use", "Resource": "*"},
        ],
    });
    let someone = acme.someone(&[without_use]).await;
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let env = json!({"key": "API_KEY", "type": "SECRET", "value": reference});
    let app = New::app("shop").spec(
        "services",
        json!([{"name": "web", "image": image, "envs": [env]}]),
    );
    someone.refused(&app).await.is("ACCESS_DENIED", "");
    acme.someone(&[everything()]).await.create(&app).await;
    assert_ne!(acme.list().await["items"][0]["id"], Value::Null);
}
