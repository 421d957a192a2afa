//! A host whose disk is full.

use berth_e2e::World;
use reqwest::StatusCode;
use serde_json::json;

async fn answers(world: &World, path: &str) -> StatusCode {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/{path}", world.root.origin());
    http.get(url).send().await.unwrap().status()
}

#[tokio::test]
async fn a_full_disk_makes_a_host_unready_and_room_makes_it_ready_again() {
    let mut world = World::with(|settings| {
        settings.plugin = false;
        settings.set("store.maxPages", "400");
        settings.set("service.readiness.keep", "100");
    })
    .await;
    assert_eq!(answers(&world, "readyz").await, 200);
    let mut stored = 0;
    let refusal = loop {
        let name = format!("ballast-{stored}");
        let body = json!({"tenantId": "root", "name": name, "value": "x".repeat(60_000)});
        match world.root.call("secrets/put", &body).await {
            Ok(_) => stored += 1,
            Err(refusal) => break refusal,
        }
        assert!(stored < 100, "the store never gets full");
    };
    refusal.is("UNAVAILABLE", "");
    berth_e2e::eventually("the host is not ready", || async {
        (answers(&world, "readyz").await == 503).then_some(())
    })
    .await;
    // It lives, and answers what it can.
    assert_eq!(answers(&world, "healthz").await, 200);
    world
        .root
        .ok("secrets/list", &json!({"tenantId": "root"}))
        .await;
    assert!(world.stop_host().await);
    world.set_env("BERTH_STORE__MAX_PAGES", "800");
    world.start_host().await;
    assert_eq!(answers(&world, "readyz").await, 200);
}
