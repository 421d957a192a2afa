//! `cloudResources/release`: the labels come off, and the object lives on.

use berth_e2e::{New, World, names};
use double_digitalocean::{Fault, FaultBody};
use serde_json::json;

fn untag() -> Fault {
    Fault::on("DELETE", "/v2/tags/*/resources")
}

fn marks(world: &World) -> Vec<String> {
    let tags = world.double.objects().clusters[0].tags.clone();
    tags.into_iter()
        .filter(|tag| tag.starts_with("better-compute-"))
        .collect()
}

/// rule: CR-152, CR-244, CR-245, CR-246, CR-247
#[tokio::test]
async fn a_released_resource_leaves_its_cluster_running_and_unlabelled() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme
        .ready(&New::pg("orders").spec("tags", json!(["team:blue"])))
        .await;
    let reference = orders.secret("password").to_owned();
    let from = world.next_request();
    let releasing = acme.release(orders.id()).await;
    assert_eq!(
        (releasing.state(), &releasing["releasing"]),
        ("ready", &json!(true))
    );
    let released = acme.wait(orders.id(), "released").await;
    assert_eq!(released["releasing"], false);
    assert!(released["releasedAt"].is_number() && released["deletedAt"].is_null());
    assert!(released["ownerId"].is_null() && released.secrets().is_empty());

    let cluster = &world.double.objects().clusters[0];
    assert_eq!(cluster.id, orders.provider_id());
    assert_eq!(cluster.tags, ["team:blue"]);
    let writes = world.writes_since(from);
    let last = writes.last().unwrap();
    assert!(last.path.contains("better-compute-managed"), "{writes:?}");
    assert_eq!(writes.len(), 3, "{writes:?}");
    acme.api
        .refused("secrets/reveal", &acme.secret_named(&reference))
        .await
        .is("NOT_FOUND", "");
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "releasing", "released"]
    );

    assert_eq!(acme.list().await["items"], json!([]));
    let all = acme.list_by(json!({"includeDeleted": true})).await;
    assert_eq!(names(&all), ["orders"]);
    // Its name and its place in the quota are free, and nobody owns it any more.
    acme.ready(&New::pg("orders")).await;
    let nobody = acme.someone(&[]).await;
    nobody
        .api
        .refused("cloudResources/get", &acme.about(orders.id()))
        .await
        .is("ACCESS_DENIED", "");
}

/// rule: CR-182, CR-244
#[tokio::test]
async fn while_it_is_released_it_does_not_change_and_asking_again_changes_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let busy = world
        .double
        .fault(untag().always().answer(503, FaultBody::Error));
    acme.release(orders.id()).await;
    world
        .wait_requests("DELETE", "/v2/tags/*/resources", 2)
        .await;
    let waiting = acme.get(orders.id()).await;
    assert_eq!(
        (waiting.state(), &waiting["releasing"], waiting.reason()),
        ("ready", &json!(true), "waiting")
    );
    let again = acme.release(orders.id()).await;
    assert_eq!(again["releasing"], true);
    for change in [
        acme.change(orders.id(), json!({"num_nodes": 2})),
        acme.input(json!({"resourceId": orders.id(), "description": "x"})),
    ] {
        acme.api
            .refused("cloudResources/update", &change)
            .await
            .is("INVALID_STATE", "releasing");
    }
    acme.refused(&New::user(orders.id(), "reports"))
        .await
        .is("INVALID_STATE", "parent");
    world.double.release(busy);
    let released = acme.wait(orders.id(), "released").await;
    assert_eq!(released.message(), "");
    acme.api
        .refused(
            "cloudResources/update",
            &acme.change(orders.id(), json!({"num_nodes": 2})),
        )
        .await
        .is("INVALID_STATE", "released");
    assert_eq!(acme.release(orders.id()).await.state(), "released");
    assert_eq!(acme.delete(orders.id()).await.state(), "released");
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "releasing", "released"]
    );
}

/// rule: CR-256
#[tokio::test]
async fn a_release_needs_no_look_at_the_object() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let blind = Fault::on("GET", "/v2/databases/**")
        .always()
        .answer(500, FaultBody::Error);
    world.double.fault(blind);
    let lists = Fault::on("GET", "/v2/databases")
        .always()
        .answer(500, FaultBody::Error);
    world.double.fault(lists);
    acme.release(orders.id()).await;
    acme.wait_through(orders.id(), "released").await;
    assert_eq!(marks(&world), [""; 0]);
}

/// rule: CR-255
#[tokio::test]
async fn a_provider_that_has_no_time_is_asked_again_and_one_without_the_object_has_let_go() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for (index, fault) in [
        untag().answer(429, FaultBody::Error),
        untag().answer(503, FaultBody::Error),
        untag().skip(1).drop_before(),
        untag().skip(2).drop_after(),
        untag().act_and_answer(502, FaultBody::Empty),
    ]
    .into_iter()
    .enumerate()
    {
        let orders = acme.ready(&New::pg(&format!("orders-{index}"))).await;
        world.double.fault(fault);
        acme.release(orders.id()).await;
        acme.wait(orders.id(), "released").await;
        assert_eq!(marks(&world), [""; 0], "{index}");
        assert_eq!(
            acme.happened(orders.id()).await,
            ["created", "ready", "releasing", "released"],
            "{index}"
        );
        world.double.vanish(orders.provider_id()).unwrap();
    }
    let orders = acme.ready(&New::pg("gone")).await;
    world.double.vanish(orders.provider_id()).unwrap();
    acme.release(orders.id()).await;
    acme.wait_through(orders.id(), "released").await;
}

/// rule: CR-253
#[tokio::test]
async fn a_refusal_withdraws_the_release_of_what_was_created_here() {
    let world = World::with(|settings| {
        settings.set("service.reconcile.timing.steady", "1500");
    })
    .await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let before = marks(&world);
    let scope = FaultBody::Message {
        text: "You are missing the required permission tag:update.".to_owned(),
    };
    // Two labels are off when the provider refuses the third.
    for (index, fault) in [
        untag().skip(2).answer(403, scope.clone()),
        untag().skip(1).answer(403, scope),
        untag().answer(
            400,
            FaultBody::Message {
                text: "no".to_owned(),
            },
        ),
    ]
    .into_iter()
    .enumerate()
    {
        world.double.fault(fault);
        acme.release(orders.id()).await;
        acme.wait_happened(orders.id(), "failed", index + 1).await;
        let failed = acme
            .wait_for(orders.id(), "to be labelled again", |_| {
                let mut now = marks(&world);
                let mut before = before.clone();
                now.sort();
                before.sort();
                now == before
            })
            .await;
        if failed.state() == "error" {
            assert_eq!(failed.reason(), "releaseRefused", "{failed:#?}");
        }
        let ready = acme.wait_through(orders.id(), "ready").await;
        assert_eq!(ready["releasing"], false);
    }
    assert_eq!(
        acme.happened(orders.id()).await,
        [
            "created",
            "ready",
            "releasing",
            "failed",
            "releasing",
            "failed",
            "releasing",
            "failed"
        ]
    );
    // Managed as before.
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    acme.wait_happened(orders.id(), "updated", 1).await;
    acme.deleted(orders.id()).await;
    assert!(world.double.objects().clusters.is_empty());
}

/// rule: CR-254
#[tokio::test]
async fn an_adopted_resource_is_let_go_without_the_provider_where_that_refuses() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let planted = double_digitalocean::PlantedCluster::named("found");
    let found = world.double.plant_cluster(planted).unwrap();
    let orders = acme.adopted("orders", &found).await;
    let scope = FaultBody::Message {
        text: "You are missing the required permission tag:update.".to_owned(),
    };
    world.double.fault(untag().always().answer(403, scope));
    acme.release(orders.id()).await;
    acme.wait(orders.id(), "released").await;
    assert_eq!(
        acme.happened(orders.id()).await,
        ["adopted", "ready", "releasing", "released"]
    );
    // Its labels are there still, and it can be taken over again.
    assert_eq!(marks(&world).len(), 3);
    world.double.clear_faults();
    let again = acme.adopted("again", &found).await;
    assert_eq!(marks(&world).len(), 3);
    acme.deleted(again.id()).await;
}

/// rule: CR-210
#[tokio::test]
async fn a_delete_overrides_a_release() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let busy = untag().always().answer(503, FaultBody::Error);
    world.double.fault(busy);
    acme.release(orders.id()).await;
    world
        .wait_requests("DELETE", "/v2/tags/*/resources", 1)
        .await;
    let deleting = acme.delete(orders.id()).await;
    assert_eq!(
        (deleting.state(), &deleting["releasing"]),
        ("deleting", &json!(false))
    );
    acme.wait(orders.id(), "deleted").await;
    assert!(world.double.objects().clusters.is_empty());
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "releasing", "deleting", "deleted"]
    );
}

/// rule: CR-211
#[tokio::test]
async fn a_delete_of_what_the_provider_let_go_already_destroys_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world.double.fault(untag().skip(2).hold_after());
    acme.release(orders.id()).await;
    world.double.wait_held(hold).await;
    acme.delete(orders.id()).await;
    world.double.release(hold);
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed.reason(), "notManaged", "{failed:#?}");
    world.wait_looks().await;
    assert_eq!(world.double.objects().clusters.len(), 1);
    assert_eq!(world.double.count("DELETE", "/v2/databases/*"), 0);
    assert!(!acme.reveal(orders.secret("password")).await.is_empty());
}
