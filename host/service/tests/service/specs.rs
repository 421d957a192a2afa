//! What a spec must pass.

use berth_service::Code;
use serde_json::json;

use crate::harness::{World, told};

/// rule: CR-104, CR-105, CR-106
#[tokio::test]
async fn a_wrong_spec_is_refused_at_its_field() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cases = [
        (
            "schema",
            json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 7}),
            "spec.num_nodes",
        ),
        (
            "missing",
            json!({"region": "nyc3", "size": "db-s-1vcpu-1gb"}),
            "spec.num_nodes",
        ),
        (
            "unknown",
            json!({"region": "nyc3", "size": "x", "num_nodes": 1, "sise": 1}),
            "spec.sise",
        ),
        (
            "region",
            json!({"region": "sfo3", "size": "db-s-1vcpu-1gb", "num_nodes": 1}),
            "spec.region",
        ),
        (
            "check",
            json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1, "tags": ["better-compute-managed:x"]}),
            "spec.tags.0",
        ),
    ];
    for (name, spec, field) in cases {
        let mut body = world.pg(&tenant.id, "main");
        body["spec"] = spec;
        let (code, _, at) = told(world.create(&tenant.admin, &body).await);
        assert_eq!((code, at.as_str()), (Code::InvalidInput, field), "{name}");
    }
    assert!(
        world
            .names(&tenant.admin, &tenant.id, json!({}))
            .await
            .unwrap()
            .is_empty()
    );
}

/// rule: CR-103
#[tokio::test]
async fn a_spec_of_64_kib_passes_the_size_and_one_byte_more_does_not() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let body = |bytes: usize| {
        // The longest text that the kind takes is a variable's value: as many of them as it needs.
        let mut body = world.app(&tenant.id, "main");
        let image =
            json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
        let mut envs = vec![json!({"key": "A", "type": "GENERAL", "value": "x".repeat(32_000)})];
        envs.push(json!({"key": "B", "type": "GENERAL", "value": "x".repeat(32_000)}));
        envs.push(json!({"key": "C", "type": "GENERAL", "value": ""}));
        body["spec"]["services"] = json!([{"name": "web", "image": image, "envs": envs}]);
        let missing = bytes - body["spec"].to_string().len();
        body["spec"]["services"][0]["envs"][2]["value"] = json!("x".repeat(missing));
        assert_eq!(body["spec"].to_string().len(), bytes);
        body
    };
    let (code, _, field) = told(world.create(&tenant.admin, &body(64 * 1024 + 1)).await);
    assert_eq!((code, field.as_str()), (Code::InvalidInput, "spec"));
    assert!(world.create(&tenant.admin, &body(64 * 1024)).await.is_ok());
}

/// rule: CR-110, CR-139
#[tokio::test]
async fn a_plugin_that_breaks_in_its_check_is_unavailable_and_harms_nobody_else() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.install("guest-hostile.wasm").await;
    let account = world
        .account_of("acme", json!({"provider": "hostile", "regions": []}))
        .await;
    let pool = world.pool_on("acme", &account).await;
    let body = |key: &str, script: serde_json::Value| {
        json!({"tenantId": "acme", "poolId": pool, "kind": "hostile.db", "name": "bad",
               "spec": {"script": script}, "idempotencyKey": key})
    };
    let misdeeds = [
        ("panic", json!({"steps": [{"panic": "canary-of-a-panic"}]})),
        ("spin", json!({"steps": ["spin"]})),
        ("allocate", json!({"steps": ["allocate"]})),
        (
            "secret",
            json!({"answer": {"defaults": "{\"token\": \"secret://acme/other\"}"}}),
        ),
    ];
    for (name, script) in misdeeds {
        let refused = world.create(&tenant.admin, &body(name, script)).await;
        let error = refused.as_ref().expect_err(name);
        assert!(!error.message.contains("canary"), "{}", error.message);
        assert_eq!(told(refused).0, Code::Unavailable, "{name}");
    }
    assert!(
        world
            .names(&tenant.admin, &tenant.id, json!({}))
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        world
            .create(&tenant.admin, &world.pg(&tenant.id, "good"))
            .await
            .is_ok()
    );
}

/// What a plugin returns as a default is pinned with the row and shown apart from what was written;
/// one for a field that the tenant wrote is no default, and the plugin is broken.
#[tokio::test]
async fn defaults_are_pinned_and_never_stand_in_for_what_was_written() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.install("guest-hostile.wasm").await;
    let account = world
        .account_of("acme", json!({"provider": "hostile", "regions": []}))
        .await;
    let pool = world.pool_on("acme", &account).await;
    let script = json!({"answer": {"defaults": "{\"size\": \"small\"}"}});
    let body = |spec: serde_json::Value| json!({"tenantId": "acme", "poolId": pool, "kind": "hostile.db", "name": "main", "spec": spec, "idempotencyKey": spec.to_string().len().to_string()});
    let made = world
        .create(&tenant.admin, &body(json!({"script": script})))
        .await
        .unwrap();
    assert_eq!(made.spec.get("size"), None);
    assert_eq!(
        json!(world.row(&made.id).await.defaults),
        json!({"size": "small"})
    );
    let written = body(json!({"script": script, "size": "large"}));
    assert_eq!(
        told(world.create(&tenant.admin, &written).await).0,
        Code::Unavailable
    );
}

/// rule: CR-111, CR-112
#[tokio::test]
async fn what_reaches_the_whole_account_is_refused_where_others_share_it() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let mut body = world.pg(&tenant.id, "main");
    body["spec"]["project_id"] = json!("11111111-1111-1111-1111-111111111111");
    body["spec"]["rules"] = json!([{"type": "tag", "value": "web"}]);
    let refusal = world.create(&tenant.admin, &body).await.unwrap_err();
    assert_eq!(refusal.details.get("reason"), Some(&json!("accountWide")));
    assert_eq!(
        refusal.details.get("fields"),
        Some(&json!(["spec.project_id", "spec.rules.0.value"]))
    );
    let account = world.account_of("acme", json!({})).await;
    body["poolId"] = json!(world.pool_on("acme", &account).await);
    assert!(world.create(&tenant.admin, &body).await.is_ok());
}
