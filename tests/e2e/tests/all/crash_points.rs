//! Killing the host at every point of a run that is marked in it, between what is told to the
//! provider and what is stored. The marks are in builds with the feature `failpoints` only.

use berth_e2e::{New, Tenant, World, eventually, pause};
use serde_json::json;

/// Pauses that a host gets to come to a point before it is killed: half a second.
const PATIENCE: u32 = 20;

/// The points around a step of a run.
fn around(step: &str) -> Vec<String> {
    let mut points = vec![
        format!("before-{step}-commit"),
        format!("after-{step}-commit"),
    ];
    if step != "intent" {
        points.extend([format!("before-{step}"), format!("after-{step}-answer")]);
    }
    points
}

/// Starts the host anew so that it stops at a point, lets it come there, kills it, and starts one
/// that stops nowhere.
async fn kill_at(world: &mut World, point: &str, wish: impl AsyncFn()) {
    world.kill_host();
    world.set_env("FAILPOINTS", &format!("reconcile::{point}=pause"));
    world.start_host().await;
    wish().await;
    for _ in 0..PATIENCE {
        pause().await;
    }
    world.kill_host();
    world.set_env("FAILPOINTS", "");
    world.start_host().await;
}

/// One cluster is there, it is this resource's, and its password is sealed.
async fn is_whole(world: &World, tenant: &Tenant, id: &str, point: &str) {
    let ready = tenant.wait_through(id, "ready").await;
    let clusters = world.double.objects().clusters;
    assert_eq!(clusters.len(), 1, "{point}: {:?}", world.writes());
    assert_eq!(clusters[0].id, ready.provider_id(), "{point}");
    let password = tenant.reveal(ready.secret("password")).await;
    assert!(
        world.password_canary().is_in(password.as_bytes()),
        "{point}"
    );
}

/// rule: CR-006, CR-019, CR-095
#[tokio::test]
async fn a_kill_at_any_point_of_a_create_leaves_one_cluster() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    for point in around("intent").into_iter().chain(around("create")) {
        let new = New::pg("orders");
        let wish = async || drop(acme.create(&new).await);
        kill_at(&mut world, &point, wish).await;
        let orders = acme.create(&new).await;
        is_whole(&world, &acme, orders.id(), &point).await;
        assert_eq!(
            acme.happened(orders.id()).await,
            ["created", "ready"],
            "{point}"
        );
        acme.deleted(orders.id()).await;
    }
    let totals = world.double.objects().totals;
    assert_eq!((totals.clusters_made, totals.clusters_gone), (6, 6));
}

/// rule: CR-171, CR-173, CR-174
#[tokio::test]
async fn a_kill_at_any_point_of_an_update_applies_it_once() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    for (index, point) in around("update").into_iter().enumerate() {
        let nodes = if index % 2 == 0 { 2 } else { 1 };
        let wish = async || drop(acme.update(orders.id(), json!({"num_nodes": nodes})).await);
        kill_at(&mut world, &point, wish).await;
        is_whole(&world, &acme, orders.id(), &point).await;
        assert_eq!(
            world.double.objects().clusters[0].num_nodes,
            nodes,
            "{point}"
        );
        let happened = acme.happened(orders.id()).await;
        assert_eq!(
            happened[2 + 2 * index..],
            ["updating", "updated"],
            "{point}"
        );
    }
}

/// rule: CR-199, CR-201, CR-204
#[tokio::test]
async fn a_kill_at_any_point_of_a_delete_ends_it_once() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    for point in around("delete") {
        let orders = acme.ready(&New::pg("orders")).await;
        let reference = orders.secret("password").to_owned();
        let wish = async || drop(acme.delete(orders.id()).await);
        kill_at(&mut world, &point, wish).await;
        acme.wait_through(orders.id(), "deleted").await;
        assert!(world.double.objects().clusters.is_empty(), "{point}");
        assert_eq!(
            acme.happened(orders.id()).await,
            ["created", "ready", "deleting", "deleted"],
            "{point}"
        );
        acme.api
            .refused("secrets/reveal", &acme.secret_named(&reference))
            .await
            .is("NOT_FOUND", "");
    }
}

/// The points are there: a host that stops at one goes no further.
#[tokio::test]
async fn a_host_built_for_tests_stops_at_its_points() {
    let world = World::with(|settings| {
        settings.env("FAILPOINTS", "reconcile::after-create-answer=pause");
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    eventually("the provider has the cluster", || async {
        (world.double.objects().clusters.len() == 1).then_some(())
    })
    .await;
    for _ in 0..PATIENCE {
        pause().await;
    }
    let stopped = acme.get(orders.id()).await;
    assert_eq!(
        stopped.state(),
        "pending",
        "the host under test has no failpoints: `cargo build --package berth --features failpoints`"
    );
}
