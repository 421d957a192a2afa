//! The exchanges of the real component, held against DigitalOcean's own OpenAPI document.

use berth_e2e::{New, World};
use double_digitalocean::openapi::Document;
use double_digitalocean::{Fault, FaultBody};
use serde_json::json;

/// Runs where `DO_OPENAPI` names the document, and is nothing elsewhere.
#[tokio::test]
async fn everything_that_the_component_sends_is_as_the_provider_documents_it() {
    let Some(path) = std::env::var_os("DO_OPENAPI") else {
        return;
    };
    let document = Document::load(path).unwrap();
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders")
        .spec("storage_size_mib", 20_480)
        .spec("tags", json!(["web"]))
        .spec("config", json!({"timezone": "UTC"}))
        .spec("maintenance", json!({"day": "monday", "hour": "02:00"}))
        .spec("rules", json!([{"type": "ip_addr", "value": "192.0.2.1"}]));
    let orders = acme.ready(&new).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    let reference = acme.secret("key", "hunter2hunter2hunter2").await;
    let image = json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx", "tag": "1"});
    let services = json!([{
        "name": "web", "image": image, "http_port": 80, "instance_count": 1, "instance_size_slug": "apps-s-1vcpu-0.5gb",
        "envs": [{"key": "API_KEY", "type": "SECRET", "value": reference, "scope": "RUN_TIME"}],
    }]);
    let shop = acme
        .ready(&New::app("shop").spec("services", services))
        .await;
    acme.update(
        orders.id(),
        json!({
            "size": "db-s-2vcpu-4gb", "num_nodes": 2, "storage_size_mib": 61_440, "region": "ams3", "version": "17",
            "config": {"timezone": "Europe/Berlin"}, "maintenance": {"day": "friday"},
            "autoscale": {"storage": {"enabled": true, "threshold_percent": 80, "increment_gib": 10}},
            "do_settings": {"service_cnames": ["db.example.com"]},
        }),
    )
    .await;
    acme.update(
        reports.id(),
        json!({"settings": {"pg_allow_replication": true}}),
    )
    .await;
    acme.update(shop.id(), json!({"disable_edge_cache": true}))
        .await;
    for id in [orders.id(), reports.id(), shop.id()] {
        acme.wait_through(id, "ready").await;
    }
    acme.deleted(shop.id()).await;
    acme.deleted(orders.id()).await;
    let violations = document.check_log(&world.double.log());
    assert!(violations.is_empty(), "{violations:#?}");
    for write in [
        "resize",
        "migrate",
        "upgrade",
        "maintenance",
        "config",
        "autoscale",
        "do_settings",
    ] {
        assert!(
            world.double.count("*", &format!("/v2/databases/*/{write}")) > 0,
            "{write} was never asked for"
        );
    }
}

/// What the double refuses is refused in the provider's own shape as well.
#[tokio::test]
async fn refusals_are_as_the_provider_documents_them() {
    let Some(path) = std::env::var_os("DO_OPENAPI") else {
        return;
    };
    let document = Document::load(path).unwrap();
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    world
        .double
        .fault(Fault::on("GET", "/v2/databases/*").answer(404, FaultBody::Error));
    let orders = acme.ready(&New::pg("orders")).await;
    world
        .double
        .fault(Fault::on("GET", "/v2/databases/*").answer(429, FaultBody::Error));
    acme.deleted(orders.id()).await;
    let violations = document.check_log(&world.double.log());
    assert!(violations.is_empty(), "{violations:#?}");
}
