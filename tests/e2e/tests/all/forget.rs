//! Operators end rows that can't end otherwise.

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{ClusterDrift, Fault};
use serde_json::{Value, json};

fn forgetting(tenant: &Tenant, id: &str) -> Value {
    let mut body = tenant.about(id);
    body["reason"] = json!("the account was closed, ticket 4711");
    body
}

/// A cluster that nothing proves to be ours any more, with a delete that failed at that.
async fn stuck(world: &World, acme: &Tenant) -> String {
    let orders = acme.ready(&New::pg("orders")).await;
    let drift = ClusterDrift {
        tags: Some(Vec::new()),
        ..ClusterDrift::default()
    };
    world
        .double
        .drift_cluster(orders.provider_id(), drift)
        .unwrap();
    acme.delete(orders.id()).await;
    let failed = acme.wait(orders.id(), "error").await;
    assert_eq!(failed.reason(), "notManaged");
    orders.id().to_owned()
}

/// rule: CR-214
#[tokio::test]
async fn a_row_that_can_not_end_is_forgotten_and_its_object_is_left_alone() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let id = stuck(&world, &acme).await;
    let reference = acme.get(&id).await.secret("password").to_owned();
    let asked = world.next_request();
    let gone = world
        .root
        .ok("resources/forget", &forgetting(&acme, &id))
        .await;
    assert_eq!(
        (&gone["state"], &gone["id"]),
        (&json!("deleted"), &json!(id))
    );
    assert!(gone["deletedAt"].is_number(), "{gone:#}");
    assert!(world.writes_since(asked).is_empty());
    assert_eq!(world.double.objects().clusters.len(), 1);
    assert_eq!(acme.happened(&id).await.last().unwrap(), "deleted");
    let revealing = acme.secret_named(&reference);
    acme.api
        .refused("secrets/reveal", &revealing)
        .await
        .is("NOT_FOUND", "");
    // Its name is free, and so is its place in the quota.
    acme.create(&New::pg("orders")).await;
    let audit = json!({"tenantId": "acme", "action": "compute:cloud-resources:forget"});
    let audit = world.root.ok("audit/list", &audit).await;
    let row = &audit["items"][0];
    assert_eq!(row["outcome"], "done");
    assert_eq!(
        row["detail"]["reason"],
        "the account was closed, ticket 4711"
    );
    assert_eq!(row["detail"]["providerId"], gone["providerId"]);
    // Nothing is left to forget.
    let again = forgetting(&acme, &id);
    let refusal = world.root.refused("resources/forget", &again).await;
    refusal.is("INVALID_STATE", "ended");
}

/// rule: CR-214
#[tokio::test]
async fn what_may_end_by_itself_is_not_forgotten() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    let forget = async |id: &str| {
        let body = forgetting(&acme, id);
        world.root.refused("resources/forget", &body).await
    };
    forget(orders.id()).await.is("INVALID_STATE", "notDeleting");
    // Its child's delete hangs, and then the provider refuses it.
    let hold = world
        .double
        .fault(Fault::on("DELETE", "/v2/databases/*/users/*").hang_before());
    acme.delete(orders.id()).await;
    let refusal = forget(orders.id()).await;
    refusal.is("INVALID_STATE", "children");
    assert_eq!(refusal.details["resourceIds"], json!([reports.id()]));
    forget(reports.id()).await.is("INVALID_STATE", "underWay");
    world.double.release(hold);
    acme.wait_through(orders.id(), "deleted").await;
    let missing = forget("crs_00000000000000000000000000").await;
    missing.is("NOT_FOUND", "");
}

/// rule: CR-214
#[tokio::test]
async fn only_operators_forget_and_they_say_why() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let id = stuck(&world, &acme).await;
    let body = forgetting(&acme, &id);
    acme.api
        .refused("resources/forget", &body)
        .await
        .is("ACCESS_DENIED", "");
    for reason in [
        json!(null),
        json!(""),
        json!("   "),
        json!("a\nb"),
        json!("x".repeat(513)),
    ] {
        let mut wrong = body.clone();
        wrong["reason"] = reason;
        world
            .root
            .refused("resources/forget", &wrong)
            .await
            .is_invalid_at("reason");
    }
    let umbrella = world.tenant("umbrella").await;
    let foreign = forgetting(&umbrella, &id);
    world
        .root
        .refused("resources/forget", &foreign)
        .await
        .is("NOT_FOUND", "");
    assert_eq!(acme.get(&id).await.state(), "error");
}
