//! The hostile plugin in a running host, and how it is told what to do.

use berth_e2e::{Component, New, Resource, Tenant, World};
use serde_json::{Value, json};

/// Where the hostile plugin's API is said to be.
pub(crate) const ORIGIN: &str = "https://api.hostile.test";

/// A world with the hostile plugin beside `do`, and a tenant with a pool on it.
pub(crate) async fn with_hostile(fields: Value) -> (World, Tenant) {
    let mut world = World::with(|settings| {
        settings
            .set("runtime.limits.cpuMs", "300")
            .set("runtime.limits.checkWallMs", "1500")
            .set("runtime.limits.httpTotalMs", "2000");
    })
    .await;
    // Its answers come from faults, whatever it asks for.
    world.expects_right_credential = false;
    world.install(Component::Hostile).await;
    let egress = json!({
        "origins": [ORIGIN], "baseUrls": {ORIGIN: world.double.base_url()}, "plainHttp": true, "privateNetworks": true,
    });
    let mut account = json!({"provider": "hostile", "egress": egress, "regions": []});
    account
        .as_object_mut()
        .unwrap()
        .extend(fields.as_object().unwrap().clone());
    let account = world.account_with("root", account).await;
    let pool = world.pool_on("root", &account).await;
    let acme = world.bare_tenant("acme").await;
    world.offer(&pool, "acme").await;
    world.offer(&world.pool, "acme").await;
    (world, acme.on(&pool))
}

pub(crate) fn hostile(name: &str, script: Value) -> New {
    New::of("hostile.db", name, json!({"script": script}))
}

pub(crate) fn send(method: &str, path: &str) -> Value {
    json!({"send": {"method": method, "url": format!("{ORIGIN}{path}"), "headers": [["content-type", "application/json"]]}})
}

/// What came back to the plugin, step by step.
pub(crate) fn report(resource: &Resource) -> Value {
    let text = resource["outputs"]["report"]
        .as_str()
        .unwrap_or_else(|| panic!("no report: {resource:#?}"));
    serde_json::from_str(text).unwrap()
}
