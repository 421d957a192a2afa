//! Applying what `cloudResources/update` recorded.

use berth_e2e::{New, World, eventually};
use double_digitalocean::{Fault, FaultBody};
use serde_json::{Value, json};

/// The bodies of the changes that the provider was asked for, oldest first.
fn changes(world: &World, from: u64) -> Vec<(String, Value)> {
    let writes = world.writes_since(from).into_iter();
    writes
        .map(|entry| {
            let last = entry.path.rsplit('/').next().unwrap_or_default();
            let body = serde_json::from_str(&entry.body).unwrap_or(Value::Null);
            (format!("{} {last}", entry.method), body)
        })
        .collect()
}

/// What is taken away from the spec is taken away at the provider.
///
/// rule: CR-166, CR-171
#[tokio::test]
async fn a_field_that_is_removed_is_removed_at_the_provider() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme
        .ready(&New::app("shop").spec("disable_edge_cache", true))
        .await;
    let from = world.next_request();
    acme.update(shop.id(), json!({"disable_edge_cache": null}))
        .await;
    acme.wait(shop.id(), "ready").await;
    let sent = changes(&world, from);
    assert_eq!(sent.len(), 1, "the app was not replaced: {sent:?}");
    assert_eq!(sent[0].1["spec"].get("disable_edge_cache"), None);
}

/// rule: CR-171, CR-174, CR-175
#[tokio::test]
async fn a_change_is_applied_in_place_and_the_provider_is_sent_what_changed_and_no_more() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders")
        .spec("config", json!({"timezone": "UTC"}))
        .spec("maintenance", json!({"day": "monday", "hour": "02:00"}));
    let orders = acme.ready(&new).await;
    let object = orders.provider_id().to_owned();
    let mut from = world.next_request();
    for (change, sent, body) in [
        (
            json!({"num_nodes": 2}),
            "PUT resize",
            json!({"size": "db-s-1vcpu-1gb", "num_nodes": 2}),
        ),
        (
            json!({"region": "ams3"}),
            "PUT migrate",
            json!({"region": "ams3"}),
        ),
        (
            json!({"version": "17"}),
            "PUT upgrade",
            json!({"version": "17"}),
        ),
        (
            json!({"maintenance": {"day": "friday"}}),
            "PUT maintenance",
            json!({"day": "friday", "hour": "02:00"}),
        ),
    ] {
        let changed = acme.update(orders.id(), change.clone()).await;
        assert_eq!(changed.state(), "updating", "{change}");
        let ready = acme.wait(orders.id(), "ready").await;
        assert_eq!(ready.provider_id(), object);
        assert_eq!(changes(&world, from), [(sent.to_owned(), body)], "{change}");
        from = world.next_request();
    }
    let cluster = &world.double.objects().clusters[0];
    assert_eq!(
        (
            cluster.region.as_str(),
            cluster.version.as_str(),
            cluster.num_nodes
        ),
        ("ams3", "17", 2)
    );
    // Nothing is sent again by later looks.
    world.wait_looks().await;
    assert!(world.writes_since(from).is_empty());
}

/// Several changes at once are applied one after the other, as the provider takes them.
///
/// rule: CR-171, CR-173
#[tokio::test]
async fn a_change_of_several_fields_is_one_update() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let change = json!({
        "size": "db-s-2vcpu-4gb", "region": "ams3", "version": "17", "config": {"timezone": "UTC"},
    });
    acme.update(orders.id(), change).await;
    acme.wait(orders.id(), "ready").await;
    let cluster = &world.double.objects().clusters[0];
    assert_eq!(
        (
            cluster.region.as_str(),
            cluster.version.as_str(),
            cluster.size.as_str()
        ),
        ("ams3", "17", "db-s-2vcpu-4gb")
    );
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "updating", "updated"]
    );
}

/// rule: CR-178, CR-180
#[tokio::test]
async fn a_change_while_it_is_being_made_folds_in_without_events() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    // Before the provider was asked.
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/databases").hold_before());
    let early = acme.create(&New::pg("early")).await;
    world.double.wait_held(hold).await;
    let changed = acme.update(early.id(), json!({"num_nodes": 2})).await;
    assert_eq!((changed.state(), changed.version()), ("pending", 2));
    world.double.release(hold);
    // While the provider makes it.
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases").skip(1).hold_after());
    acme.wait(early.id(), "ready").await;
    let late = acme.create(&New::pg("late")).await;
    world.double.wait_held(hold).await;
    assert_eq!(
        acme.update(late.id(), json!({"num_nodes": 2}))
            .await
            .state(),
        "pending"
    );
    world.double.release(hold);
    for id in [early.id(), late.id()] {
        acme.wait(id, "ready").await;
        let seen = acme
            .wait_for(id, "to have its events", |seen| seen.state() == "ready")
            .await;
        assert_eq!(seen.version(), 2);
        assert_eq!(acme.happened(id).await, ["created", "ready"]);
    }
    let clusters = world.double.objects().clusters;
    assert_eq!(clusters.len(), 2);
    assert!(
        clusters.iter().all(|cluster| cluster.num_nodes == 2),
        "{clusters:?}"
    );
}

/// rule: CR-172
#[tokio::test]
async fn a_failed_resource_is_updated_and_one_that_never_was_accepted_is_tried_anew() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let refuse = Fault::on("POST", "/v2/databases").answer(
        422,
        FaultBody::Message {
            text: "no such size".into(),
        },
    );
    world.double.fault(refuse.always());
    let orders = acme.create(&New::pg("orders")).await;
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed["providerId"], Value::Null);
    world.double.clear_faults();
    let changed = acme
        .update(orders.id(), json!({"size": "db-s-2vcpu-4gb"}))
        .await;
    assert_ne!(changed.state(), "error");
    acme.wait_through(orders.id(), "ready").await;
    assert_eq!(world.double.objects().clusters[0].size, "db-s-2vcpu-4gb");

    // One that the provider has, and that failed.
    world.double.fail_next_deployments(1);
    let shop = acme.create(&New::app("shop")).await;
    let failed = acme.wait(shop.id(), "error").await;
    assert!(!failed.provider_id().is_empty());
    let changed = acme
        .update(shop.id(), json!({"disable_edge_cache": true}))
        .await;
    assert_eq!(changed.state(), "updating");
    acme.wait_through(shop.id(), "ready").await;
    let happened = acme.happened(shop.id()).await;
    assert_eq!(happened[..3], ["created", "failed", "updating"]);
}

/// rule: CR-185
#[tokio::test]
async fn a_change_that_the_provider_refuses_is_kept_and_tried_again_and_deletes_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let refuse = Fault::on("PUT", "/v2/databases/*/resize").always();
    let refuse = world.double.fault(refuse.answer(
        422,
        FaultBody::Message {
            text: "size is not for sale".into(),
        },
    ));
    acme.update(orders.id(), json!({"size": "db-s-2vcpu-4gb"}))
        .await;
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed["spec"]["size"], "db-s-2vcpu-4gb");
    assert!(!failed.message().is_empty());
    assert_eq!(world.double.objects().clusters[0].size, "db-s-1vcpu-1gb");
    world
        .wait_requests("PUT", "/v2/databases/*/resize", 2)
        .await;
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "updating", "failed"]
    );
    world.double.release(refuse);
    let ready = acme.wait_through(orders.id(), "ready").await;
    assert_eq!(ready.message(), "");
    assert_eq!(world.double.objects().clusters[0].size, "db-s-2vcpu-4gb");
    let totals = world.double.objects().totals;
    assert_eq!((totals.clusters_made, totals.clusters_gone), (1, 0));
}

/// rule: CR-186
#[tokio::test]
async fn a_newer_version_of_a_secret_is_an_update() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let reference = acme.secret("key", "first-value-of-it").await;
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let env = json!({"key": "API_KEY", "type": "SECRET", "value": reference});
    let shop = New::app("shop").spec(
        "services",
        json!([{"name": "web", "image": image, "envs": [env]}]),
    );
    let shop = acme.ready(&shop).await;
    let app = world.double.objects().apps[0].id.clone();
    assert_eq!(
        world.double.app_secret(&app, "API_KEY").as_deref(),
        Some("first-value-of-it")
    );
    acme.secret("key", "second-value-of-it").await;
    eventually("the new value is at the provider", || async {
        (world.double.app_secret(&app, "API_KEY").as_deref() == Some("second-value-of-it"))
            .then_some(())
    })
    .await;
    acme.wait(shop.id(), "ready").await;
    assert_eq!(world.double.objects().apps.len(), 1);
}
