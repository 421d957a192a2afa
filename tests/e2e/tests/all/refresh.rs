//! Looking again: what changed at the provider, what failed, what vanished.

use berth_e2e::{New, World, eventually, pause};
use double_digitalocean::{ClusterDrift, Fault, FaultBody};
use serde_json::{Value, json};

/// rule: CR-008, CR-011, CR-097
#[tokio::test]
async fn a_failed_resource_says_why_and_is_tried_again() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let text = "database size is out of stock";
    let refuse = Fault::on("POST", "/v2/databases").always();
    let refuse = world
        .double
        .fault(refuse.answer(422, FaultBody::Message { text: text.into() }));
    let orders = acme.create(&New::pg("orders")).await;
    let failed = acme.wait(orders.id(), "error").await;
    assert!(
        failed.message().contains("out of stock"),
        "{}",
        failed.message()
    );
    world.wait_requests("POST", "/v2/databases", 2).await;
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "failed"],
        "it is published once an entry"
    );
    world.double.release(refuse);
    let ready = acme.wait_through(orders.id(), "ready").await;
    assert_eq!(ready["message"], Value::Null);
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "failed", "ready"]
    );
}

/// rule: CR-097
#[tokio::test]
async fn each_entry_into_error_is_published() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.ready(&New::app("shop")).await;
    for entry in 1..=2 {
        world.double.fail_next_deployments(1);
        acme.update(shop.id(), json!({"disable_edge_cache": entry == 1}))
            .await;
        acme.wait_happened(shop.id(), "failed", entry).await;
        acme.update(shop.id(), json!({"disable_email_obfuscation": entry == 1}))
            .await;
        acme.wait_through(shop.id(), "ready").await;
    }
    let happened = acme.happened(shop.id()).await;
    let failed = happened.iter().filter(|event| *event == "failed").count();
    assert_eq!(failed, 2, "{happened:?}");
}

/// rule: CR-012
#[tokio::test]
async fn what_changed_at_the_provider_is_taken_over_and_not_fought() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let from = world.next_request();
    let drift = ClusterDrift {
        num_nodes: Some(3),
        version: Some("17".into()),
        ..ClusterDrift::default()
    };
    world
        .double
        .drift_cluster(orders.provider_id(), drift)
        .unwrap();
    let seen = acme
        .wait_for(orders.id(), "to show what changed", |seen| {
            seen["outputs"]["num_nodes"] == 3 && seen["outputs"]["version"] == "17"
        })
        .await;
    assert_eq!(seen.state(), "ready");
    assert_eq!(seen["drift"], json!({"num_nodes": 3, "version": "17"}));
    assert_eq!(seen["spec"]["num_nodes"], 1, "the wish is the tenant's");
    world.wait_looks().await;
    assert!(
        world.writes_since(from).is_empty(),
        "the host fights what somebody changed"
    );
    // A wish of the tenant is applied, whatever drifted.
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    acme.wait(orders.id(), "ready").await;
    assert_eq!(world.double.objects().clusters[0].num_nodes, 2);
}

/// rule: CR-012
#[tokio::test]
async fn an_app_that_somebody_changed_in_the_console_is_not_fought() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme
        .ready(&New::app("shop").spec("disable_edge_cache", true))
        .await;
    let from = world.next_request();
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "caddy"});
    let theirs = json!({
        "name": shop.provider_name(), "region": "nyc", "services": [{"name": "web", "image": image}],
        "disable_edge_cache": false,
    });
    world.double.drift_app(shop.provider_id(), theirs).unwrap();
    let seen = acme
        .wait_for(shop.id(), "to show what changed", |seen| {
            seen["drift"]["disable_edge_cache"] == false
        })
        .await;
    assert_eq!(seen["spec"], shop["spec"]);
    acme.wait_through(shop.id(), "ready").await;
    assert!(world.writes_since(from).is_empty());
    // What the tenant changes is written, and what somebody changed beside it stays.
    acme.update(shop.id(), json!({"disable_email_obfuscation": true}))
        .await;
    acme.wait_through(shop.id(), "ready").await;
    let put = world.writes_since(from);
    assert_eq!(put.len(), 1);
    assert!(
        put[0].body.contains("caddy"),
        "the host overwrote what it was not asked to change: {}",
        put[0].body
    );
}

/// rule: CR-012, CR-019
#[tokio::test]
async fn a_password_that_changed_at_the_provider_is_sealed_anew() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let rotated = format!("{}rotated", world.password_canary().text());
    let drift = ClusterDrift {
        password: Some(rotated.clone()),
        ..ClusterDrift::default()
    };
    world
        .double
        .drift_cluster(orders.provider_id(), drift)
        .unwrap();
    eventually("the new password is sealed", || async {
        (acme.reveal(orders.secret("password")).await == rotated).then_some(())
    })
    .await;
    assert!(acme.reveal(orders.secret("uri")).await.contains(&rotated));
}

/// rule: CR-014
#[tokio::test]
async fn being_missing_from_a_list_is_not_being_gone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    world
        .double
        .fault(Fault::on("GET", "/v2/databases").always().answer(
            200,
            FaultBody::Json {
                value: json!({"databases": []}),
            },
        ));
    world.wait_looks().await;
    world.wait_looks().await;
    let seen = acme.get(orders.id()).await;
    assert_eq!(seen.state(), "ready", "{seen:#?}");
    assert_eq!(acme.happened(orders.id()).await, ["created", "ready"]);
    assert_eq!(world.double.objects().totals.clusters_made, 1);
}

/// rule: CR-014, CR-208
#[tokio::test]
async fn what_vanished_is_an_error_and_never_silently_replaced() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    world.double.vanish(orders.provider_id()).unwrap();
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed.reason(), "goneAtProvider", "{failed:#?}");
    for _ in 0..40 {
        pause().await;
    }
    let objects = world.double.objects();
    assert_eq!(
        objects.totals.clusters_made, 1,
        "an empty database took the place of a lost one"
    );
    assert!(objects.clusters.is_empty());
    assert_eq!(acme.get(orders.id()).await.state(), "error");
    acme.deleted(orders.id()).await;
}

/// rule: CR-011, CR-014
#[tokio::test]
async fn present_absent_present_is_no_second_create() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    world.double.hide(orders.provider_id(), 1, true).unwrap();
    eventually("an absence was seen", || async {
        let log = world.double.log();
        log.iter()
            .any(|entry| entry.method == "GET" && entry.status == Some(404))
            .then_some(())
    })
    .await;
    world.wait_looks().await;
    assert_eq!(
        acme.wait_through(orders.id(), "ready").await.provider_id(),
        orders.provider_id()
    );
    assert_eq!(world.double.objects().totals.clusters_made, 1);
}

/// rule: CR-013
#[tokio::test]
async fn a_retry_after_of_the_provider_is_obeyed() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let busy = Fault::on("PUT", "/v2/databases/*/resize")
        .answer(429, FaultBody::Error)
        .header("retry-after", "2");
    world.double.fault(busy);
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    acme.wait(orders.id(), "ready").await;
    let asked: Vec<u64> = world
        .double
        .log()
        .iter()
        .filter(|entry| entry.path.ends_with("/resize"))
        .map(|entry| entry.at)
        .collect();
    assert_eq!(asked.len(), 2);
    // Not a measured time but a promise: the second comes no sooner than the provider asked for.
    assert!(asked[1] - asked[0] >= 2_000, "{asked:?}");
}

/// What converges, serves or failed is looked at without anybody's call, by the host's own waits:
/// here they are short, and the plugin's wish for a look in some seconds stretches none.
///
/// rule: CR-009, CR-010, CR-011
#[tokio::test]
async fn resources_are_looked_at_again_and_again() {
    let world = World::with(|settings| settings.double.times.create = 600_000).await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    acme.wait(orders.id(), "provisioning").await;
    world.wait_for_looks(20).await;
    world.double.finish_everything();
    let ready = acme.wait(orders.id(), "ready").await;
    world.wait_looks().await;
    world.double.vanish(ready.provider_id()).unwrap();
    acme.wait(orders.id(), "error").await;
    world.wait_looks().await;
}
