//! What `kinds` tells.

use berth_service::cloud_resources::kinds;
use serde_json::{Value, json};

use crate::harness::{World, input, json_of};

async fn kinds_of(world: &World, tenant: &crate::harness::Tenant) -> Vec<Value> {
    let body = json!({"tenantId": tenant.id, "poolId": world.pool});
    let answer = kinds::handle(&world.service, &tenant.admin, input(body))
        .await
        .unwrap();
    json_of(answer)["items"].as_array().unwrap().clone()
}

/// rule: CR-051, CR-053, CR-054, CR-055, CR-056, CR-057, CR-058
#[tokio::test]
async fn every_kind_of_the_plugin_is_told_with_every_field() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let kinds = kinds_of(&world, &tenant).await;
    let generation = world.service.registry().active("do").unwrap();
    assert_eq!(kinds.len(), generation.manifest().kinds.len());
    let kind = |id: &str| {
        kinds
            .iter()
            .find(|kind| kind["kind"] == id)
            .unwrap()
            .clone()
    };
    let cluster = kind("do.database.pg");
    assert_eq!(cluster["family"], "data");
    assert_eq!(cluster["regional"], true);
    assert_eq!(cluster["spec"]["type"], "object");
    assert!(
        cluster["updatable"]
            .as_array()
            .unwrap()
            .contains(&json!("num_nodes"))
    );
    assert!(
        cluster["secretOutputs"]
            .as_array()
            .unwrap()
            .iter()
            .any(|output| output["name"] == "password")
    );
    assert!(cluster["meters"].is_array() && cluster["outputs"].is_array());
    assert_eq!(
        (&cluster["preview"], &cluster["available"]),
        (&json!(false), &json!(true))
    );
    assert!(cluster.get("parent").is_none());
    let user = kind("do.database.user");
    assert_eq!(
        (&user["parent"], &user["parents"]),
        (&json!("do.database.pg"), &json!(["do.database.pg"]))
    );
    assert_eq!(kind("do.app")["family"], "platform");
}

/// rule: CR-060
#[tokio::test]
async fn the_quota_is_the_tenants_own_and_counts_what_lives() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let quota = json!({"tenantId": "acme", "quotas": {"do.app": 3}});
    berth_service::tenants::update::handle(&world.service, &world.root, input(quota))
        .await
        .unwrap();
    let gone = world
        .create(&tenant.admin, &world.app(&tenant.id, "gone"))
        .await
        .unwrap();
    world
        .create(&tenant.admin, &world.app(&tenant.id, "here"))
        .await
        .unwrap();
    world.as_if_deleted(&gone.id).await;
    let kinds = kinds_of(&world, &tenant).await;
    let quota = |id: &str| kinds.iter().find(|kind| kind["kind"] == id).unwrap()["quota"].clone();
    assert_eq!(quota("do.app"), json!({"limit": 3, "used": 1}));
    assert_eq!(quota("do.database.pg"), json!({"limit": 20, "used": 0}));
}

/// rule: CR-052
#[tokio::test]
async fn a_spec_that_the_told_schema_refuses_is_refused_by_create() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let kinds = kinds_of(&world, &tenant).await;
    let told = kinds
        .iter()
        .find(|kind| kind["kind"] == "do.database.pg")
        .unwrap();
    let schema = berth_domain::spec::SpecSchema::compile(&told["spec"]).unwrap();
    let mut body = world.pg(&tenant.id, "main");
    body["spec"]["num_nodes"] = json!(17);
    assert!(schema.validate(body["spec"].as_object().unwrap()).is_err());
    assert!(world.create(&tenant.admin, &body).await.is_err());
    body["spec"]["num_nodes"] = json!(2);
    assert!(schema.validate(body["spec"].as_object().unwrap()).is_ok());
    assert!(world.create(&tenant.admin, &body).await.is_ok());
}

/// rule: CR-040, CR-050
#[test]
fn kinds_need_a_tenant_and_a_pool() {
    let pool = "pool_00000000000000000000000000";
    for (body, fits) in [
        (json!({"tenantId": "acme", "poolId": pool}), true),
        (json!({"tenantId": "acme"}), false),
        (json!({"poolId": pool}), false),
        (json!({"tenantId": "acme", "poolId": "pool_x"}), false),
        (
            json!({"tenantId": "acme", "poolId": "pool_0000000000000000000000000i"}),
            false,
        ),
        (json!({"tenantId": "a b", "poolId": pool}), false),
    ] {
        assert_eq!(
            serde_json::from_value::<kinds::Input>(body.clone()).is_ok(),
            fits,
            "{body}"
        );
    }
}
