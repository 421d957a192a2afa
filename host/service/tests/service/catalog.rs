//! What can be installed at a pool's provider.

use berth_service::Code;
use berth_service::cloud_resources::catalog;
use serde_json::{Value, json};

use crate::harness::{Choices, World, told};
use crate::hostile::Hostile;

fn application(slug: &str, on: &str) -> Value {
    json!({"slug": slug, "title": format!("{slug} for all"), "on": on})
}

fn slugs(items: &Value) -> Vec<&str> {
    let items = items.as_array().unwrap().iter();
    items.map(|item| item["slug"].as_str().unwrap()).collect()
}

/// rule: CR-066, CR-067, CR-068
#[tokio::test]
async fn applications_are_told_and_narrowed_by_what_they_are_installed_on() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let listed = json!([
        application("wordpress", "instance"),
        application("ingress", "kubernetes"),
        application("docker", "instance"),
    ]);
    hostile.provider.says("/v2/catalog", 200, &listed);
    let all = hostile.catalog(&acme, json!({})).await.unwrap();
    assert_eq!(slugs(&all), ["wordpress", "ingress", "docker"]);
    assert_eq!(
        all[1],
        json!({"slug": "ingress", "title": "ingress for all", "installsOn": "kubernetes"})
    );
    for (on, expected) in [
        ("instance", &["wordpress", "docker"][..]),
        ("kubernetes", &["ingress"]),
    ] {
        let some = hostile.catalog(&acme, json!({"installsOn": on})).await;
        assert_eq!(slugs(&some.unwrap()), expected);
    }
    assert_eq!(hostile.provider.asked(), ["GET /v2/catalog"]);
}

/// The cap is the answer's, not the provider's list's: what is narrowed to is not cut off by the rest.
///
/// rule: CR-066
#[tokio::test]
async fn at_most_a_thousand_are_told_of_those_that_are_asked_for() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let mut listed: Vec<Value> = (0..1_100)
        .map(|number| application(&format!("image-{number}"), "instance"))
        .collect();
    listed.push(application("ingress", "kubernetes"));
    hostile.provider.says("/v2/catalog", 200, &json!(listed));
    let all = hostile.catalog(&acme, json!({})).await.unwrap();
    assert_eq!(slugs(&all).len(), 1_000);
    let addons = hostile.catalog(&acme, json!({"installsOn": "kubernetes"}));
    assert_eq!(slugs(&addons.await.unwrap()), ["ingress"]);
}

/// rule: CR-069
#[tokio::test]
async fn what_a_catalog_lists_is_no_kind_that_create_takes() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let listed = json!([application("wordpress", "instance")]);
    hostile.provider.says("/v2/catalog", 200, &listed);
    let all = hostile.catalog(&acme, json!({})).await.unwrap();
    let body = json!({
        "tenantId": "acme", "poolId": hostile.pool, "kind": all[0]["slug"], "name": "blog",
        "spec": {}, "idempotencyKey": "blog",
    });
    let refused = hostile.world.create(&acme.admin, &body).await;
    assert_eq!(told(refused).0, Code::Unsupported);
    assert_eq!(hostile.provider.asked(), ["GET /v2/catalog"]);
}

/// rule: CR-071
#[tokio::test]
async fn a_provider_without_a_catalog_is_unsupported() {
    let hostile = Hostile::of("guest-held.wasm", Choices::default()).await;
    let acme = hostile.tenant("acme").await;
    let refused = told(hostile.catalog(&acme, json!({})).await);
    assert_eq!(
        refused,
        (Code::Unsupported, "catalog".into(), String::new())
    );
    assert!(hostile.provider.asked().is_empty());
}

/// rule: CR-072
#[tokio::test]
async fn a_catalog_needs_to_read_and_a_pool_that_is_seen() {
    let hostile = Hostile::new().await;
    let acme = hostile.tenant("acme").await;
    let blind = hostile.world.bare_tenant("blind").await;
    let refused = told(hostile.catalog(&blind, json!({})).await);
    assert_eq!(refused.0, Code::NotFound);
    let nobody = crate::harness::Tenant {
        admin: hostile.world.caller("acme", &[]).await,
        ..acme
    };
    let refused = told(hostile.catalog(&nobody, json!({})).await);
    assert_eq!(refused.0, Code::AccessDenied);
    assert!(hostile.provider.asked().is_empty());
}

/// rule: CR-065
#[test]
fn a_catalog_takes_a_tenant_a_pool_and_what_is_installed_on() {
    let pool = "pool_00000000000000000000000000";
    for (body, fits) in [
        (json!({"tenantId": "acme", "poolId": pool}), true),
        (
            json!({"tenantId": "acme", "poolId": pool, "installsOn": "instance"}),
            true,
        ),
        (
            json!({"tenantId": "acme", "poolId": pool, "installsOn": "kubernetes"}),
            true,
        ),
        (
            json!({"tenantId": "acme", "poolId": pool, "installsOn": "Instance"}),
            false,
        ),
        (
            json!({"tenantId": "acme", "poolId": pool, "installsOn": null}),
            false,
        ),
        (
            json!({"tenantId": "acme", "poolId": pool, "kind": "do.app"}),
            false,
        ),
        (json!({"tenantId": "acme"}), false),
        (json!({"poolId": pool}), false),
    ] {
        let parsed = serde_json::from_value::<catalog::Input>(body.clone());
        assert_eq!(parsed.is_ok(), fits, "{body}");
    }
}

/// A pool without a provider serves no catalog and no signals.
#[tokio::test]
async fn a_pool_of_machines_is_unsupported() {
    let world = World::new().await;
    let body = json!({"tenantId": "root", "title": "machines", "type": "machines"});
    let pool = berth_service::pools::create::handle(
        &world.service,
        &world.root,
        crate::harness::input(body),
    );
    let pool = pool.await.unwrap().id;
    let body = json!({"tenantId": "root", "poolId": pool});
    let refused = catalog::handle(&world.service, &world.root, crate::harness::input(body)).await;
    assert_eq!(told(refused).0, Code::Unsupported);
}
