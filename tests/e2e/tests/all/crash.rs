//! Killing the host where it hurts most.

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{Fault, UserPasswords};
use serde_json::{Value, json};

/// Kills the host once a fault holds a request, lets the provider go on, and starts the host anew.
async fn kill_at(world: &mut World, fault: u64) {
    world.double.wait_held(fault).await;
    world.kill_host();
    world.double.release(fault);
    world.start_host().await;
}

async fn is_ours_and_sealed(world: &World, tenant: &Tenant, id: &str) {
    let ready = tenant.wait_through(id, "ready").await;
    let objects = world.double.objects();
    assert_eq!(objects.clusters.len(), 1, "{:?}", world.writes());
    let cluster = &objects.clusters[0];
    assert_eq!(cluster.id, ready.provider_id());
    assert!(
        cluster.tags.iter().any(|tag| tag.contains(id)),
        "{:?}",
        cluster.tags
    );
    assert!(
        cluster
            .tags
            .iter()
            .any(|tag| tag.starts_with("better-compute-managed:dep_"))
    );
    let password = tenant.reveal(ready.secret("password")).await;
    assert!(world.password_canary().is_in(password.as_bytes()));
    assert_eq!(tenant.happened(id).await, ["created", "ready"]);
}

/// rule: CR-006, CR-019
#[tokio::test]
async fn a_kill_after_the_provider_accepted_a_create_leaves_one_cluster_that_is_ours() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_after());
    let orders = acme.create(&New::pg("orders")).await;
    world.double.wait_held(hold).await;
    assert_eq!(
        world.double.objects().clusters.len(),
        1,
        "the provider has accepted it"
    );
    assert_eq!(
        acme.get(orders.id()).await["providerId"],
        Value::Null,
        "and nothing of it is stored"
    );
    kill_at(&mut world, hold).await;
    is_ours_and_sealed(&world, &acme, orders.id()).await;
    assert_eq!(world.double.objects().totals.clusters_made, 1);
    let canary = world.password_canary();
    assert_eq!(world.places_of(&canary).await, []);
}

/// rule: CR-006
#[tokio::test]
async fn a_kill_before_the_provider_heard_of_a_create_leaves_one_cluster() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_before());
    let orders = acme.create(&New::pg("orders")).await;
    kill_at(&mut world, hold).await;
    is_ours_and_sealed(&world, &acme, orders.id()).await;
}

/// Every request of a create in turn is the last one that the host sends.
///
/// rule: CR-006
#[tokio::test]
async fn a_kill_at_any_request_of_a_create_leaves_one_cluster() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    for step in 0..6 {
        let fault = Fault::on("*", "/v2/databases/**").skip(step);
        let hold = world.double.fault(if step % 2 == 0 {
            fault.hold_after()
        } else {
            fault.hold_before()
        });
        let first = world
            .double
            .fault(Fault::on("*", "/v2/databases").skip(step).hold_after());
        let orders = acme.create(&New::pg(&format!("orders-{step}"))).await;
        tokio::select! {
            () = world.double.wait_held(hold) => {}
            () = world.double.wait_held(first) => {}
        }
        world.kill_host();
        world.double.clear_faults();
        world.start_host().await;
        acme.wait_through(orders.id(), "ready").await;
        assert_eq!(
            world.double.objects().clusters.len(),
            1,
            "at request {step}: {:?}",
            world.writes()
        );
        acme.deleted(orders.id()).await;
    }
    assert!(world.double.objects().clusters.is_empty());
}

/// rule: CR-199, CR-204
#[tokio::test]
async fn a_kill_in_a_delete_ends_it_once() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    for (name, after) in [("before", false), ("after", true)] {
        let orders = acme.ready(&New::pg(name)).await;
        let fault = Fault::on("DELETE", "/v2/databases/*");
        let hold = world.double.fault(if after {
            fault.hold_after()
        } else {
            fault.hold_before()
        });
        acme.delete(orders.id()).await;
        kill_at(&mut world, hold).await;
        acme.wait_through(orders.id(), "deleted").await;
        assert!(world.double.objects().clusters.is_empty());
        assert_eq!(
            acme.happened(orders.id()).await,
            ["created", "ready", "deleting", "deleted"]
        );
    }
}

/// rule: CR-171, CR-174
#[tokio::test]
async fn a_kill_in_an_update_applies_it() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world
        .double
        .fault(Fault::on("PUT", "/v2/databases/*/resize").hold_after());
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    kill_at(&mut world, hold).await;
    let ready = acme.wait_through(orders.id(), "ready").await;
    assert_eq!(ready.provider_id(), orders.provider_id());
    assert_eq!(ready.version(), 2);
    assert_eq!(world.double.objects().clusters[0].num_nodes, 2);
    assert_eq!(world.double.objects().totals.clusters_made, 1);
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "updating", "updated"]
    );
}

/// rule: CR-006
#[tokio::test]
async fn a_kill_in_the_create_of_an_app_leaves_one_app() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/apps").hold_after());
    let shop = acme.create(&New::app("shop")).await;
    kill_at(&mut world, hold).await;
    acme.wait_through(shop.id(), "ready").await;
    assert_eq!(world.double.objects().totals.apps_made, 1);
}

/// The password of a user that later reads do not show was lost with the answer: a visible state,
/// and never an empty value.
///
/// rule: CR-008, CR-019
#[tokio::test]
async fn a_secret_that_a_crash_lost_is_told() {
    let mut world =
        World::with(|settings| settings.double.secrets.user_passwords = UserPasswords::Absent)
            .await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases/*/users").hold_after());
    let reports = acme.create(&New::user(orders.id(), "reports")).await;
    kill_at(&mut world, hold).await;
    let ready = acme.wait_through(reports.id(), "ready").await;
    assert_eq!(ready.reason(), "secretLost", "{ready:#?}");
    assert!(ready.secrets().is_empty());
    assert_eq!(
        world.double.objects().clusters[0].users,
        ["doadmin", "reports"]
    );
    assert_eq!(world.double.objects().totals.users_made, 1);
}

/// rule: CR-005, CR-095
#[tokio::test]
async fn what_was_answered_is_there_after_a_kill() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    world
        .double
        .fault(Fault::on("*", "/v2/**").always().hold_before());
    let mut made = Vec::new();
    for index in 0..10 {
        made.push(
            acme.create(&New::app(&format!("app-{index}")))
                .await
                .id()
                .to_owned(),
        );
    }
    let described = acme.input(json!({"resourceId": made[0], "description": "kept"}));
    acme.api.ok("cloudResources/update", &described).await;
    acme.delete(&made[1]).await;
    world.kill_host();
    world.start_host().await;
    let all = acme.list_by(json!({"includeDeleted": true})).await;
    let ids: Vec<&str> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, made);
    let first = acme.get(&made[0]).await;
    assert_eq!(
        (first.version(), &first["description"]),
        (2, &json!("kept"))
    );
    assert!(["deleting", "deleted"].contains(&acme.get(&made[1]).await.state()));
    for id in &made {
        assert_eq!(acme.happened(id).await[0], "created");
    }
}

/// rule: CR-006
#[tokio::test]
async fn a_host_that_is_asked_to_end_ends_well_and_goes_on_where_it_was() {
    let mut world = World::with(|settings| settings.double.times.create = 600_000).await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    acme.wait(orders.id(), "provisioning").await;
    assert!(world.stop_host().await, "the host ended badly");
    world.double.finish_everything();
    world.start_host().await;
    is_ours_and_sealed(&world, &acme, orders.id()).await;
}
