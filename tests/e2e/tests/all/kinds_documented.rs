//! What the component sends for the newer kinds, held against DigitalOcean's own OpenAPI document.

use berth_e2e::{New, World};
use double_digitalocean::openapi::Document;
use serde_json::json;

/// Runs where `DO_OPENAPI` names the document, and is nothing elsewhere.
#[tokio::test]
async fn everything_that_is_sent_for_the_newer_kinds_is_as_the_provider_documents_it() {
    let Some(path) = std::env::var_os("DO_OPENAPI") else {
        return;
    };
    let document = Document::load(path).unwrap();
    let world = World::with(|settings| {
        let times = &mut settings.double.times;
        times.first_backup = 0;
        times.replica = 50;
        times.inference_new = 20;
        times.inference = 50;
        times.inference_update = 50;
        times.inference_delete = 50;
    })
    .await;
    let acme = world.bare_tenant("acme").await;
    let account = world
        .account_with("acme", json!({"regions": ["nyc3", "atl1"]}))
        .await;
    let acme = acme.on(&world.pool_on("acme", &account).await);
    let quota = acme.input(json!({"poolId": acme.pool, "capacity": "gpus", "amount": 2}));
    world.root.ok("quotas/put", &quota).await;
    let orders = acme.ready(&New::pg("orders")).await;
    let child = |kind: &str, spec| New::of(kind, "one", spec).with("parentId", orders.id());
    let network = acme
        .ready(&New::of(
            "do.vpc",
            "gpus",
            json!({"region": "atl1", "ip_range": "10.77.0.0/24", "description": "a"}),
        ))
        .await;
    let reference = acme.secret("hf", "hunter2hunter2hunter2").await;
    let lives = [
        (
            child(
                "do.database.pool",
                json!({"name": "web", "mode": "session", "size": 3, "db": "defaultdb"}),
            ),
            json!({"size": 4}),
        ),
        (
            child(
                "do.database.replica",
                json!({"name": "read", "region": "nyc3", "size": "db-s-1vcpu-1gb", "do_settings": {"service_cnames": ["read.example.com"]}}),
            ),
            json!({"size": "db-s-2vcpu-4gb"}),
        ),
        (
            child(
                "do.database.firewall",
                json!({"addresses": ["192.0.2.0/24"], "tags": ["web"]}),
            ),
            json!({"addresses": ["192.0.2.7"]}),
        ),
        (
            New::of("do.functions.namespace", "jobs", json!({"region": "nyc3"})),
            json!({}),
        ),
        (
            New::of(
                "do.inference.dedicated",
                "chat",
                json!({
                    "region": "atl1", "vpc_uuid": network.provider_id(), "replicas": 1,
                    "model_slug": "mistral/mistral-7b-instruct-v3", "accelerator_slug": "gpu-mi300x1-192gb",
                    "hugging_face_token": reference
                }),
            ),
            json!({"replicas": 2}),
        ),
    ];
    for (new, change) in lives {
        let ready = acme.ready(&new).await;
        if change != json!({}) {
            acme.update(ready.id(), change).await;
            acme.wait(ready.id(), "ready").await;
        }
        acme.deleted(ready.id()).await;
    }
    acme.update(network.id(), json!({"description": "b"})).await;
    acme.wait(network.id(), "ready").await;
    acme.api
        .ok(
            "cloudResources/catalog",
            &acme.input(json!({"poolId": acme.pool, "installsOn": "instance"})),
        )
        .await;
    let violations = document.check_log(&world.double.log());
    assert!(violations.is_empty(), "{violations:#?}");
}
