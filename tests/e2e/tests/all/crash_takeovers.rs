//! Killing the host at every point of a takeover and of a release.

use berth_e2e::{New, Tenant, World, pause};
use double_digitalocean::{Fault, PlantedCluster};

/// Pauses that a host gets to come to a point before it is killed: half a second.
const PATIENCE: u32 = 20;

/// The points around a step that asks the provider.
fn around(step: &str) -> [String; 4] {
    [
        format!("before-{step}"),
        format!("after-{step}-answer"),
        format!("before-{step}-commit"),
        format!("after-{step}-commit"),
    ]
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

fn marks(world: &World) -> usize {
    let tags = &world.double.objects().clusters[0].tags;
    tags.iter()
        .filter(|tag| tag.starts_with("better-compute-"))
        .count()
}

async fn is_taken_over(world: &World, acme: &Tenant, name: &str, found: &str, what: &str) {
    // The same request again: it was recorded, or is now.
    let recorded = acme.adopt(name, found).await;
    let ready = acme.wait_through(recorded.id(), "ready").await;
    assert_eq!((ready.provider_id(), marks(world)), (found, 3), "{what}");
    let password = acme.reveal(ready.secret("password")).await;
    assert!(world.password_canary().is_in(password.as_bytes()), "{what}");
    assert_eq!(
        acme.happened(ready.id()).await,
        ["adopted", "ready"],
        "{what}"
    );
}

/// rule: CR-238, CR-239, CR-241
#[tokio::test]
async fn a_kill_at_any_point_of_a_takeover_completes_it_once() {
    let mut world = World::start().await;
    let acme = world.owner("acme").await;
    let planted = PlantedCluster::named("found");
    let found = world.double.plant_cluster(planted).unwrap();
    for (index, point) in around("label").into_iter().enumerate() {
        let name = format!("orders-{index}");
        let wish = async || drop(acme.adopt(&name, &found).await);
        kill_at(&mut world, &point, wish).await;
        is_taken_over(&world, &acme, &name, &found, &point).await;
        let recorded = acme.adopt(&name, &found).await;
        acme.release(recorded.id()).await;
        acme.wait_through(recorded.id(), "released").await;
        assert_eq!(marks(&world), 0, "{point}");
    }
    assert_eq!(world.double.objects().clusters.len(), 1);
}

/// rule: CR-245, CR-247
#[tokio::test]
async fn a_kill_at_any_point_of_a_release_ends_it_once() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    for point in around("unlabel") {
        let orders = acme.ready(&New::pg("orders")).await;
        let wish = async || drop(acme.release(orders.id()).await);
        kill_at(&mut world, &point, wish).await;
        acme.wait_through(orders.id(), "released").await;
        assert_eq!(marks(&world), 0, "{point}");
        assert_eq!(
            acme.happened(orders.id()).await,
            ["created", "ready", "releasing", "released"],
            "{point}"
        );
        world.double.vanish(orders.provider_id()).unwrap();
    }
}

/// Every request of a takeover and of a release in turn is the last one that the host sends.
///
/// rule: CR-238, CR-245
#[tokio::test]
async fn a_kill_at_any_request_about_labels_neither_doubles_nor_loses() {
    let mut world = World::start().await;
    let acme = world.owner("acme").await;
    let planted = PlantedCluster::named("found");
    let found = world.double.plant_cluster(planted).unwrap();
    for step in 0..3 {
        let name = format!("orders-{step}");
        let hold = Fault::on("POST", "/v2/tags/*/resources").skip(step);
        let hold = world.double.fault(hold.hold_after());
        let recorded = acme.adopt(&name, &found).await;
        world.double.wait_held(hold).await;
        world.kill_host();
        world.double.release(hold);
        world.start_host().await;
        is_taken_over(&world, &acme, &name, &found, &format!("at {step}")).await;

        let hold = Fault::on("DELETE", "/v2/tags/*/resources").skip(step);
        let hold = world.double.fault(hold.hold_after());
        acme.release(recorded.id()).await;
        world.double.wait_held(hold).await;
        world.kill_host();
        world.double.release(hold);
        world.start_host().await;
        acme.wait_through(recorded.id(), "released").await;
        assert_eq!(marks(&world), 0, "at {step}");
        assert_eq!(
            acme.happened(recorded.id()).await,
            ["adopted", "ready", "releasing", "released"]
        );
    }
}

/// What a withdrawn release took off is put on again, whenever the host died.
///
/// rule: CR-253
#[tokio::test]
async fn a_kill_between_a_refusal_and_its_labels_restores_them() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    for (index, point) in [
        "before-unlabel-commit",
        "after-unlabel-commit",
        "before-label",
    ]
    .into_iter()
    .enumerate()
    {
        let orders = acme.ready(&New::pg("orders")).await;
        let scope = double_digitalocean::FaultBody::Message {
            text: "You are missing the required permission tag:update.".to_owned(),
        };
        // Whichever run asks: the one that is killed, or the next one.
        let tags = &world.double.objects().clusters[0].tags;
        let managed = tags.iter().find(|tag| tag.contains("-managed:")).unwrap();
        let path = format!("/v2/tags/{}/resources", managed.replace(':', "%3A"));
        let refusal = Fault::on("DELETE", &path);
        let refusal = world.double.fault(refusal.always().answer(403, scope));
        let wish = async || drop(acme.release(orders.id()).await);
        kill_at(&mut world, point, wish).await;
        let ready = acme
            .wait_for(orders.id(), "to be managed again", |seen| {
                seen.state() == "ready" && seen["releasing"] == false && marks(&world) == 3
            })
            .await;
        world.double.release(refusal);
        assert_eq!(
            acme.happened(ready.id()).await,
            ["created", "ready", "releasing", "failed"],
            "{index}: {point}"
        );
        acme.deleted(ready.id()).await;
    }
    assert!(world.double.objects().clusters.is_empty());
}
