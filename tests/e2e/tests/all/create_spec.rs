//! The spec that `cloudResources/create` takes: its size, its schema, its regions, its secrets.

use berth_e2e::{New, World};
use serde_json::{Value, json};

/// The largest spec: `config` of a cluster takes any member, so it fills a spec to the byte.
fn sized(bytes: usize) -> New {
    let of =
        |filling: usize| New::pg("orders").spec("config", json!({"timezone": "x".repeat(filling)}));
    let empty = serde_json::to_vec(&spec_of(&of(0))).unwrap().len();
    of(bytes - empty)
}

fn spec_of(new: &New) -> Value {
    new.fields()["spec"].clone()
}

/// rule: CR-103
#[tokio::test]
async fn a_spec_has_at_most_64_kib_of_json() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let refusal = acme.refused(&sized((64 << 10) + 1)).await;
    refusal.is_invalid_at("spec");
    assert!(
        refusal.message.contains("65536"),
        "the message names the limit: {}",
        refusal.message
    );
    let fits = sized(64 << 10);
    assert_eq!(serde_json::to_vec(&spec_of(&fits)).unwrap().len(), 64 << 10);
    // It may be refused for what it says, but not for its size.
    match acme
        .api
        .call("cloudResources/create", &acme.body(&fits))
        .await
    {
        Ok(_) => {}
        Err(refusal) => assert_ne!(refusal.field(), "spec", "{refusal:#?}"),
    }
}

/// rule: CR-104
#[tokio::test]
async fn a_spec_that_the_manifest_refuses_is_told_by_its_path() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let pg = || New::pg("orders");
    for (new, path) in [
        (pg().spec("num_nodes", 4), "spec.num_nodes"),
        (pg().spec("num_nodes", "one"), "spec.num_nodes"),
        (pg().spec("size", ""), "spec.size"),
        (
            pg().spec("maintenance", json!({"day": "someday", "hour": "02:00"})),
            "spec.maintenance.day",
        ),
        (
            pg().spec(
                "rules",
                json!([{"type": "ip_addr", "value": "192.0.2.1"}, {"type": "cat", "value": "x"}]),
            ),
            "spec.rules.1.type",
        ),
        (
            New::app("shop").spec(
                "services",
                json!([{"name": "web", "instance_count": "many"}]),
            ),
            "spec.services.0.instance_count",
        ),
    ] {
        acme.refused(&new).await.is_invalid_at(path);
    }
    assert_eq!(acme.list().await["items"], json!([]));
    assert_eq!(
        world.double.log().len(),
        0,
        "a refusal went to the provider"
    );
}

/// rule: CR-105
#[tokio::test]
async fn what_the_plugin_refuses_beyond_the_schema_is_told_by_its_path() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    // The schema takes the name; the plugin knows that it is the cluster's own.
    let refusal = acme
        .refused(&New::user(orders.id(), "x").spec("name", "doadmin"))
        .await;
    refusal.is_invalid_at("spec.name");
    // Tags of this form are the host's.
    let refusal = acme
        .refused(&New::pg("stock").spec("tags", json!(["better-compute-managed:x"])))
        .await;
    refusal.is_invalid_at("spec.tags.0");
}

/// rule: CR-106
#[tokio::test]
async fn a_regional_kind_goes_to_a_region_of_the_account() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let refusal = acme
        .refused(&New::pg("orders").spec("region", "fra1"))
        .await;
    refusal.is_invalid_at("spec.region");
    assert!(
        refusal.message.contains("nyc3"),
        "it names the regions there are: {}",
        refusal.message
    );
    let ams = acme.create(&New::pg("orders").spec("region", "ams3")).await;
    assert_eq!(ams["region"], "ams3");
}

fn app_with_secret(value: &str) -> New {
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let env = json!({"key": "API_KEY", "type": "SECRET", "value": value});
    New::app("shop").spec(
        "services",
        json!([{"name": "web", "image": image, "envs": [env]}]),
    )
}

/// rule: CR-107
#[tokio::test]
async fn a_secret_field_takes_a_reference_and_never_a_value() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for value in [
        "hunter2hunter2hunter2",
        "secret:/acme/key",
        "secret://acme",
        "secret://acme/../x",
        "",
    ] {
        let refusal = acme.refused(&app_with_secret(value)).await;
        refusal.is_invalid_at("spec.services.0.envs.0.value");
        assert!(
            value.is_empty() || !refusal.message.contains(value),
            "it repeats the value: {}",
            refusal.message
        );
        assert!(
            refusal.message.contains("secret://"),
            "it says what would be right: {}",
            refusal.message
        );
    }
    let reference = acme.secret("key", "hunter2hunter2hunter2").await;
    acme.create(&app_with_secret(&reference)).await;
}

/// rule: CR-108
#[tokio::test]
async fn a_reference_names_a_secret_of_the_same_tenant() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let foreign = umbrella.secret("key", "hunter2hunter2hunter2").await;
    let missing = "secret://acme/none";
    let mut told = Vec::new();
    for reference in [
        foreign.as_str(),
        missing,
        "secret://umbrella/none",
        "secret://nobody/none",
    ] {
        let refusal = acme.refused(&app_with_secret(reference)).await;
        refusal.is_invalid_at("spec.services.0.envs.0.value");
        told.push(refusal.message);
    }
    told.dedup();
    assert_eq!(
        told.len(),
        1,
        "the message tells whether another's secret is there: {told:?}"
    );
    assert_eq!(acme.list().await["items"], json!([]));
}

/// rule: CR-111, CR-112
#[tokio::test]
async fn account_wide_objects_are_out_of_reach_on_a_shared_account_alone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let vpc = "5a4981aa-9653-4bd1-bef5-d6bff52042e4";
    let tagged =
        json!([{"type": "ip_addr", "value": "192.0.2.1"}, {"type": "tag", "value": "web"}]);
    let linked = json!([{"name": "web", "github": {"repo": "acme/shop", "branch": "main"}}]);
    let of_registry =
        json!([{"name": "web", "image": {"registry_type": "DOCR", "repository": "shop"}}]);
    let account = world.account_of("acme").await;
    let own = acme.on(&world.pool_on("acme", &account).await);
    for (index, (new, field)) in [
        (
            New::pg("orders").spec("private_network_uuid", vpc),
            "spec.private_network_uuid",
        ),
        (
            New::pg("orders").spec("rules", tagged),
            "spec.rules.1.value",
        ),
        (
            New::pg("orders").spec("backup_restore", json!({"database_name": "theirs"})),
            "spec.backup_restore.database_name",
        ),
        (
            New::app("shop").spec("services", linked),
            "spec.services.0.github.repo",
        ),
        (
            New::app("shop").spec("services", of_registry),
            "spec.services.0.image.registry_type",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let refusal = acme.refused(&new).await;
        refusal.is("INVALID_INPUT", "accountWide");
        assert_eq!(refusal.details["fields"], json!([field]), "{refusal:#?}");
        own.create(&new.with("name", format!("own-{index}"))).await;
    }
}
