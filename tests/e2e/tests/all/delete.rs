//! `cloudResources/delete`.

use berth_e2e::{New, World};
use double_digitalocean::{ClusterDrift, Fault, FaultBody};
use serde_json::{Value, json};

/// rule: CR-196, CR-197, CR-203, CR-204
#[tokio::test]
async fn a_delete_marks_everything_and_takes_the_children_first() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let mut users = Vec::new();
    for name in ["reports", "writer"] {
        users.push(acme.ready(&New::user(orders.id(), name)).await);
    }
    let hold = world.double.fault(
        Fault::on("DELETE", "/v2/databases/*/users/*")
            .always()
            .hold_before(),
    );
    let leaving = acme.delete(orders.id()).await;
    assert_eq!(leaving.state(), "deleting");
    for user in &users {
        assert_eq!(acme.get(user.id()).await.state(), "deleting");
    }
    world.double.wait_held(hold).await;
    let waiting = acme
        .wait_for(orders.id(), "to say what it waits for", |seen| {
            seen.reason() == "waiting"
        })
        .await;
    assert!(
        waiting.message().contains("living in it"),
        "{}",
        waiting.message()
    );
    assert_eq!(world.double.count("DELETE", "/v2/databases/*"), 0);
    world.double.release(hold);
    acme.wait(orders.id(), "deleted").await;
    let deletes: Vec<String> = world
        .writes()
        .into_iter()
        .filter(|write| write.starts_with("DELETE"))
        .collect();
    assert_eq!(deletes.len(), 3);
    assert!(
        deletes[2].ends_with(orders.provider_id()),
        "the parent goes last: {deletes:?}"
    );
    for id in users.iter().map(|user| user.id()).chain([orders.id()]) {
        assert_eq!(
            acme.happened(id).await,
            ["created", "ready", "deleting", "deleted"]
        );
    }
}

/// rule: CR-198
#[tokio::test]
async fn a_child_that_comes_while_its_parent_is_being_marked_goes_too() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for round in 0..6 {
        let orders = acme.ready(&New::pg(&format!("orders-{round}"))).await;
        let user = acme.body(&New::user(orders.id(), &format!("reports-{round}")));
        let delete = acme.about(orders.id());
        let (created, deleted) = tokio::join!(
            acme.api.call("cloudResources/create", &user),
            acme.api.call("cloudResources/delete", &delete),
        );
        assert_eq!(deleted.unwrap()["state"], "deleting");
        acme.wait(orders.id(), "deleted").await;
        match created {
            Ok(child) => {
                acme.wait(child["id"].as_str().unwrap(), "deleted").await;
            }
            Err(refusal) => refusal.is("INVALID_STATE", ""),
        }
    }
    assert!(world.double.objects().clusters.is_empty());
}

/// rule: CR-199, CR-200, CR-201
#[tokio::test]
async fn what_is_gone_has_no_owner_and_no_secrets() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reference = orders.secret("password").to_owned();
    assert!(!acme.reveal(&reference).await.is_empty());
    let gone = acme.deleted(orders.id()).await;
    assert_eq!(gone["secretOutputs"], json!({}));
    assert_eq!(gone["ownerId"], Value::Null);
    assert!(gone["deletedAt"].as_i64().unwrap() > 0);
    acme.api
        .refused("secrets/reveal", &acme.secret_named(&reference))
        .await
        .is("NOT_FOUND", "");
    let secrets = acme.api.ok("secrets/list", &acme.input(json!({}))).await;
    assert_eq!(secrets["items"], json!([]));
    assert!(world.double.objects().clusters.is_empty());
}

/// rule: CR-205
#[tokio::test]
async fn what_the_provider_never_accepted_is_deleted_without_it() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    world.double.fault(
        Fault::on("POST", "/v2/databases")
            .always()
            .answer(422, FaultBody::Error),
    );
    let orders = acme.create(&New::pg("orders")).await;
    acme.wait(orders.id(), "error").await;
    // A child of a parent that never is asks for nothing either.
    let reports = acme.create(&New::user(orders.id(), "reports")).await;
    let from = world.next_request();
    acme.deleted(orders.id()).await;
    acme.wait(reports.id(), "deleted").await;
    assert!(world.writes_since(from).is_empty());
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "failed", "deleting", "deleted"]
    );
}

/// rule: CR-206
#[tokio::test]
async fn what_may_have_reached_the_provider_is_searched_for_before_it_ends() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    // The create is carried out and its answer is lost; the delete comes before anyone looks.
    let hold = world.double.fault(
        Fault::on("GET", "/v2/databases")
            .skip(2)
            .always()
            .hold_before(),
    );
    world
        .double
        .fault(Fault::on("POST", "/v2/databases").drop_after());
    let orders = acme.create(&New::pg("orders")).await;
    world.double.wait_held(hold).await;
    assert_eq!(world.double.objects().clusters.len(), 1);
    assert_eq!(acme.get(orders.id()).await["providerId"], Value::Null);
    acme.delete(orders.id()).await;
    world.double.release(hold);
    acme.wait_through(orders.id(), "deleted").await;
    let objects = world.double.objects();
    assert!(objects.clusters.is_empty(), "an object was left behind");
    assert_eq!(objects.totals.clusters_made, 1);
}

/// rule: CR-207
#[tokio::test]
async fn an_object_that_is_not_provably_ours_stays() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let tags = world.double.objects().clusters[0].tags.clone();
    let swapped: Vec<String> = tags
        .iter()
        .map(|tag| tag.replace("managed:dep_", "managed:dep_0"))
        .collect();
    for (what, left) in [("no marks", Vec::new()), ("another deployment's", swapped)] {
        let drift = ClusterDrift {
            tags: Some(left),
            ..ClusterDrift::default()
        };
        world
            .double
            .drift_cluster(orders.provider_id(), drift)
            .unwrap();
        acme.delete(orders.id()).await;
        let failed = acme.wait(orders.id(), "error").await;
        assert_eq!(failed.reason(), "notManaged", "{what}: {failed:#?}");
        world.wait_requests("GET", "/v2/databases/*", 3).await;
        assert_eq!(acme.get(orders.id()).await.state(), "error");
        assert_eq!(world.double.objects().clusters.len(), 1, "{what}");
    }
    assert_eq!(world.double.count("DELETE", "/v2/databases/*"), 0);
    assert!(
        !acme.reveal(orders.secret("password")).await.is_empty(),
        "its secrets are destroyed"
    );
    // With its marks again it can be proven, and goes.
    let drift = ClusterDrift {
        tags: Some(tags),
        ..ClusterDrift::default()
    };
    world
        .double
        .drift_cluster(orders.provider_id(), drift)
        .unwrap();
    acme.wait_through(orders.id(), "deleted").await;
    assert!(world.double.objects().clusters.is_empty());
}

/// A user is proven through its cluster.
///
/// rule: CR-207
#[tokio::test]
async fn a_child_of_an_object_that_is_not_provably_ours_stays() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    let drift = ClusterDrift {
        tags: Some(Vec::new()),
        ..ClusterDrift::default()
    };
    world
        .double
        .drift_cluster(orders.provider_id(), drift)
        .unwrap();
    acme.delete(reports.id()).await;
    let failed = acme.wait(reports.id(), "error").await;
    assert_eq!(failed.reason(), "notManaged", "{failed:#?}");
    assert_eq!(
        world.double.objects().clusters[0].users,
        ["doadmin", "reports"]
    );
}

/// rule: CR-208
#[tokio::test]
async fn what_vanished_counts_as_deleted() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    let shop = acme.ready(&New::app("shop")).await;
    world
        .double
        .vanish_user(orders.provider_id(), "reports")
        .unwrap();
    acme.delete(reports.id()).await;
    acme.wait_through(reports.id(), "deleted").await;
    world.double.vanish(orders.provider_id()).unwrap();
    acme.delete(orders.id()).await;
    acme.wait_through(orders.id(), "deleted").await;
    world.double.vanish(shop.provider_id()).unwrap();
    acme.delete(shop.id()).await;
    acme.wait_through(shop.id(), "deleted").await;
}

/// rule: CR-209
#[tokio::test]
async fn deleting_again_changes_nothing_and_publishes_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world
        .double
        .fault(Fault::on("DELETE", "/v2/databases/*").hold_before());
    let first = acme.delete(orders.id()).await;
    world.double.wait_held(hold).await;
    let again = acme.delete(orders.id()).await;
    assert_eq!(
        (again.state(), again.version(), &again["updatedAt"]),
        ("deleting", 1, &first["updatedAt"])
    );
    world.double.release(hold);
    let gone = acme.wait(orders.id(), "deleted").await;
    assert_eq!(acme.delete(orders.id()).await, gone);
    assert_eq!(
        acme.happened(orders.id()).await,
        ["created", "ready", "deleting", "deleted"]
    );
    assert_eq!(world.double.count("DELETE", "/v2/databases/*"), 1);
}

/// A cluster that a delete occupies for a while is asked for once and looked at until it is gone.
///
/// rule: CR-199
#[tokio::test]
async fn a_delete_that_takes_its_time_is_waited_for() {
    let world = World::with(|settings| settings.double.times.linger = 600_000).await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    acme.delete(orders.id()).await;
    world.wait_requests("DELETE", "/v2/databases/*", 1).await;
    world.wait_requests("GET", "/v2/databases/*", 3).await;
    assert_eq!(acme.get(orders.id()).await.state(), "deleting");
    world.double.advance(600_000);
    acme.wait(orders.id(), "deleted").await;
}
