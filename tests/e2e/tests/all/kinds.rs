//! `cloudResources/kinds`.

use berth_e2e::{New, Resource, World};
use serde_json::{Value, json};

fn kind<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let kinds = answer["items"].as_array().unwrap();
    kinds
        .iter()
        .find(|kind| kind["kind"] == id)
        .unwrap_or_else(|| panic!("no {id}: {answer:#}"))
}

fn names(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|item| item["name"].as_str().unwrap())
        .collect()
}

/// rule: CR-049, CR-051, CR-054, CR-055, CR-056, CR-057, CR-058, CR-060
#[tokio::test]
async fn kinds_tells_all_about_each_kind_that_the_pool_serves() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let answer = acme
        .api
        .ok(
            "cloudResources/kinds",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    let mut ids: Vec<&str> = answer["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|kind| kind["kind"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(
        ids,
        [
            "do.agents.environment",
            "do.agents.session",
            "do.app",
            "do.database.firewall",
            "do.database.pg",
            "do.database.pool",
            "do.database.replica",
            "do.database.user",
            "do.functions.namespace",
            "do.inference.dedicated",
            "do.vpc"
        ]
    );

    let pg = kind(&answer, "do.database.pg");
    assert_eq!(pg["family"], "data");
    assert_eq!(pg["regional"], true);
    assert_eq!(pg["parent"], Value::Null);
    assert_eq!(pg["parents"], json!([]));
    let updatable = pg["updatable"].as_array().unwrap();
    for field in ["size", "num_nodes", "version", "region"] {
        assert!(
            updatable.contains(&json!(field)),
            "{field} can be changed in place: {updatable:?}"
        );
    }
    let user = kind(&answer, "do.database.user");
    assert_eq!(user["regional"], false);
    assert_eq!(user["parent"], "do.database.pg");
    assert_eq!(user["parents"][0], "do.database.pg");
    assert!(
        !user["updatable"]
            .as_array()
            .unwrap()
            .contains(&json!("name"))
    );
    let app = kind(&answer, "do.app");
    assert_eq!(app["family"], "platform");
    for kind in [pg, user, app] {
        assert!(kind["meters"].is_array(), "{kind:#}");
        assert_eq!(kind["preview"], false);
        assert_eq!(kind["available"], true);
        assert_eq!(kind["quota"], json!({"limit": 20, "used": 0}));
    }
}

/// rule: CR-052
#[tokio::test]
async fn what_the_schema_of_a_kind_refuses_create_refuses() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let answer = acme
        .api
        .ok(
            "cloudResources/kinds",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    let schema = &kind(&answer, "do.database.pg")["spec"];
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["additionalProperties"], false);
    let required = schema["required"].as_array().unwrap();
    assert!(!required.is_empty());
    for field in required {
        let field = field.as_str().unwrap();
        let refusal = acme.refused(&New::pg("orders").without_spec(field)).await;
        refusal.is_invalid_at(&format!("spec.{field}"));
    }
    let most = schema["properties"]["num_nodes"]["maximum"]
        .as_u64()
        .unwrap();
    acme.refused(&New::pg("orders").spec("num_nodes", most + 1))
        .await
        .is_invalid_at("spec.num_nodes");
    acme.refused(&New::pg("orders").spec("colour", "red"))
        .await
        .is_invalid_at("spec.colour");
    acme.create(&New::pg("orders").spec("num_nodes", most))
        .await;
}

/// rule: CR-053
#[tokio::test]
async fn a_ready_resource_reports_the_outputs_of_its_kind_and_no_others() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let answer = acme
        .api
        .ok(
            "cloudResources/kinds",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    let check = |resource: &Resource| {
        let kind = kind(&answer, resource["kind"].as_str().unwrap());
        let known = names(&kind["outputs"]);
        for (name, _) in resource["outputs"].as_object().unwrap() {
            assert!(
                known.contains(&name.as_str()),
                "{name} is no output: {kind:#}"
            );
        }
        let known = names(&kind["secretOutputs"]);
        for name in resource.secrets() {
            assert!(
                known.contains(&name.as_str()),
                "{name} is no secret output: {kind:#}"
            );
        }
    };
    let orders = acme.ready(&New::pg("orders")).await;
    check(&orders);
    assert!(!orders.secrets().is_empty());
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    check(&reports);
    assert!(!reports.secrets().is_empty());
    check(&acme.ready(&New::app("shop")).await);
}

/// rule: CR-050
#[tokio::test]
async fn kinds_needs_a_tenant_and_a_pool() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let refusal = acme
        .api
        .refused("cloudResources/kinds", &acme.input(json!({})))
        .await;
    refusal.is_invalid_at("poolId");
    let refusal = acme
        .api
        .refused("cloudResources/kinds", &json!({"poolId": acme.pool}))
        .await;
    refusal.is_invalid_at("tenantId");
}

/// rule: CR-061, CR-099
#[tokio::test]
async fn a_pool_of_machines_serves_no_cloud_resources() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let body =
        json!({"tenantId": "root", "title": "racks", "type": "machines", "billingMode": "none"});
    let pool = world.root.ok("pools/create", &body).await;
    let pool = pool["id"].as_str().unwrap();
    world.offer(pool, "acme").await;
    let acme = acme.on(pool);
    let refusal = acme
        .api
        .refused("cloudResources/kinds", &acme.input(json!({"poolId": pool})))
        .await;
    refusal.is("UNSUPPORTED", "");
    assert!(
        refusal.message.contains("not a provider pool"),
        "{}",
        refusal.message
    );
    acme.refused(&New::pg("orders")).await.is("UNSUPPORTED", "");
}

/// rule: CR-062
#[tokio::test]
async fn a_provider_without_cloud_resources_is_unsupported() {
    let world = World::with(|settings| settings.plugin = false).await;
    let account = world.account_of("root").await;
    let pool = world.pool_on("root", &account).await;
    let acme = world.bare_tenant("acme").await.on(&pool);
    world.offer(&pool, "acme").await;
    let refusal = acme
        .api
        .refused("cloudResources/kinds", &acme.input(json!({"poolId": pool})))
        .await;
    refusal.is("UNSUPPORTED", "");
    acme.refused(&New::pg("orders")).await.is("UNSUPPORTED", "");
}

/// rule: CR-063, CR-098
#[tokio::test]
async fn pools_that_a_tenant_can_not_see_are_all_not_found() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.bare_tenant("umbrella").await;
    let account = world.account_of("acme").await;
    let own = world.pool_on("acme", &account).await;
    let missing = "pool_00000000000000000000000000";
    let offered_to_acme = acme.pool.as_str();
    let mut messages = Vec::new();
    for pool in [missing, own.as_str(), offered_to_acme] {
        let umbrella = umbrella.on(pool);
        let kinds = umbrella.input(json!({"poolId": pool}));
        for refusal in [
            umbrella.api.refused("cloudResources/kinds", &kinds).await,
            umbrella.refused(&New::pg("orders")).await,
        ] {
            refusal.is("NOT_FOUND", "");
            messages.push(refusal.message.replace(pool, "it"));
        }
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "a message tells more: {messages:?}");
}
