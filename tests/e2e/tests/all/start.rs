//! Starting and ending a host.

use std::os::unix::fs::PermissionsExt as _;

use berth_e2e::{New, ROOT_TOKEN, World, names};
use double_digitalocean::Fault;
use serde_json::json;

/// rule: CR-021
#[tokio::test]
async fn nobody_else_of_the_machine_reads_what_a_host_stores() {
    let world = World::start().await;
    world.tenant("acme").await.ready(&New::pg("orders")).await;
    let data = world.data();
    let mode = std::fs::metadata(&data).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "{mode:o}");
    // What lies in it is out of reach by its folder; the key is by its own mode, too.
    let key = std::fs::metadata(data.join("master.key"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(key & 0o777, 0o600);
}

#[tokio::test]
async fn a_root_token_is_made_and_shown_once() {
    let mut world = World::with(|settings| {
        settings.plugin = false;
        settings.without("BERTH_ROOT_TOKEN");
    })
    .await;
    let token = |log: &str| -> Vec<String> {
        let lines = log.lines().filter(|line| line.contains("root token"));
        let shown = lines.filter_map(|line| line.split_once("brt_"));
        shown
            .map(|(_, digits)| format!("brt_{}", digits.trim()))
            .collect()
    };
    let shown = token(&world.host_log());
    assert_eq!(shown.len(), 1);
    let root = world.root.with_token(&shown[0]);
    root.ok("tenants/list", &json!({})).await;
    world
        .root
        .refused("tenants/list", &json!({}))
        .await
        .is("UNAUTHENTICATED", "unknown");
    assert!(world.stop_host().await);
    world.start_host().await;
    assert_eq!(
        token(&world.host_log()),
        shown,
        "it is shown again, or another is"
    );
    root.ok("tenants/list", &json!({})).await;
    // The way back in: a token that is given and not known is taken in addition.
    assert!(world.stop_host().await);
    world.set_env("BERTH_ROOT_TOKEN", ROOT_TOKEN);
    world.start_host().await;
    world.root.ok("tenants/list", &json!({})).await;
    root.ok("tenants/list", &json!({})).await;
}

#[tokio::test]
async fn a_host_says_that_it_lives_and_that_it_is_ready() {
    let world = World::start().await;
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for path in ["healthz", "readyz"] {
        let answer = http
            .get(format!("{}/{path}", world.root.origin()))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 200, "{path}");
    }
}

/// rule: CR-006
#[tokio::test]
async fn a_host_ends_in_time_while_the_provider_hangs_and_loses_nothing() {
    let mut world = World::with(|settings| {
        settings.set("runtime.limits.httpTotalMs", "1500");
    })
    .await;
    let acme = world.tenant("acme").await;
    let hang = world
        .double
        .fault(Fault::on("POST", "/v2/databases").hang_after());
    let orders = acme.create(&New::pg("orders")).await;
    berth_e2e::eventually("the create hangs", || async {
        (world.double.count("POST", "/v2/databases") == 1).then_some(())
    })
    .await;
    assert!(world.stop_host().await);
    world.double.release(hang);
    world.start_host().await;
    acme.wait_through(orders.id(), "ready").await;
    assert_eq!(world.double.objects().totals.clusters_made, 1);
}

/// Two hosts by mistake, or for a moment while one takes over: leases keep them apart.
///
/// rule: CR-006
#[tokio::test]
async fn two_hosts_on_one_store_make_everything_once() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    world.start_second_host().await;
    let mut ids = Vec::new();
    for index in 0..8 {
        let db = acme.create(&New::pg(&format!("db-{index}"))).await;
        ids.push(db.id().to_owned());
    }
    for id in &ids {
        acme.wait_through(id, "ready").await;
    }
    assert_eq!(names(&acme.list().await).len(), 8);
    let objects = world.double.objects();
    assert_eq!(
        (objects.totals.clusters_made, objects.clusters.len()),
        (8, 8)
    );
    for id in &ids {
        acme.update(id, json!({"num_nodes": 2})).await;
    }
    for id in &ids {
        acme.wait_through(id, "ready").await;
        assert_eq!(
            acme.happened(id).await,
            ["created", "ready", "updating", "updated"]
        );
    }
    // The first is killed; the second takes over what it held.
    for id in &ids {
        acme.delete(id).await;
    }
    world.kill_host();
    world.use_second_host();
    for id in &ids {
        acme.wait_through(id, "deleted").await;
    }
    assert!(world.double.objects().clusters.is_empty());
}
