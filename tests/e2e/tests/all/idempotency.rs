//! Retries of `cloudResources/create`.

use berth_e2e::{New, World, everything, names};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// rule: CR-091
#[tokio::test]
async fn a_retry_answers_with_the_resource_as_it_is_now_and_makes_nothing_twice() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders");
    let first = acme.create(&new).await;
    assert_eq!(acme.create(&new).await.id(), first.id());
    let ready = acme.wait(first.id(), "ready").await;
    let again = acme.create(&new).await;
    assert_eq!((again.id(), again.state()), (first.id(), "ready"));
    assert_eq!(again["outputs"], ready["outputs"]);
    assert_eq!(names(&acme.list().await), ["orders"]);
    assert_eq!(world.double.objects().totals.clusters_made, 1);
    acme.update(first.id(), json!({"num_nodes": 2})).await;
    assert_eq!(
        acme.create(&new).await["spec"]["num_nodes"],
        2,
        "a retry shows what was changed since"
    );
}

/// rule: CR-090
#[tokio::test]
async fn another_caller_or_tenant_with_the_same_key_gets_a_resource_of_its_own() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let colleague = acme.someone(&[everything()]).await;
    let umbrella = world.tenant("umbrella").await;
    let key = "the-same";
    let one = acme
        .create(&New::pg("orders").with("idempotencyKey", key))
        .await;
    let two = colleague
        .create(&New::pg("stock").with("idempotencyKey", key))
        .await;
    let three = umbrella
        .create(&New::pg("orders").with("idempotencyKey", key))
        .await;
    assert_ne!(one.id(), two.id());
    assert_ne!(one.id(), three.id());
    assert_eq!(names(&acme.list().await), ["orders", "stock"]);
    assert_eq!(two["ownerId"], json!(colleague.principal));
}

/// rule: CR-092
#[tokio::test]
async fn a_retry_is_answered_whatever_happened_since() {
    let world = World::with(|settings| {
        settings.set("service.maxPerKind", "1");
    })
    .await;
    let acme = world.bare_tenant("acme").await;
    let offer = world.offer(&world.pool, "acme").await;
    let new = New::pg("orders");
    let orders = acme.ready(&new).await;
    // The quota is used up by now.
    assert_eq!(acme.create(&new).await.id(), orders.id());
    world
        .root
        .ok("offers/delete", &json!({"offerId": offer}))
        .await;
    acme.refused(&New::pg("stock")).await.is("NOT_FOUND", "");
    assert_eq!(acme.create(&new).await.id(), orders.id());
    acme.deleted(orders.id()).await;
    let late = acme.create(&new).await;
    assert_eq!((late.id(), late.state()), (orders.id(), "deleted"));
    assert_eq!(world.double.objects().totals.clusters_made, 1);
}

/// rule: CR-093
#[tokio::test]
async fn the_same_key_with_any_other_field_is_a_conflict() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let other_pool = world.pool_on("root", &world.account).await;
    world.offer(&other_pool, "acme").await;
    let project = world
        .root
        .ok("projects/create", &acme.input(json!({"title": "web"})))
        .await;
    let new = New::pg("orders").with("description", "of the shop");
    let orders = acme.create(&new).await;
    for (what, other) in [
        ("name", new.clone().with("name", "stock")),
        (
            "kind",
            New::app("orders").with("idempotencyKey", new.fields()["idempotencyKey"].clone()),
        ),
        ("spec", new.clone().spec("num_nodes", 2)),
        ("more spec", new.clone().spec("storage_size_mib", 20_480)),
        ("less spec", new.clone().without_spec("version")),
        ("pool", new.clone().with("poolId", other_pool.clone())),
        ("description", new.clone().with("description", "")),
        ("no description", new.clone().without("description")),
        (
            "project",
            new.clone().with("projectId", project["id"].clone()),
        ),
        ("parent", new.clone().with("parentId", orders.id())),
    ] {
        let refusal = acme.refused(&other).await;
        assert_eq!(
            (refusal.code.as_str(), refusal.status),
            ("CONFLICT", 409),
            "{what}: {refusal:#?}"
        );
    }
    // The order of members and the spelling of a number are not what was asked for.
    let mut reordered = acme.body(&new);
    let spec = r#"{"version":"16","num_nodes":1,"size":"db-s-1vcpu-1gb","region":"nyc3"}"#;
    reordered["spec"] = serde_json::from_str(spec).unwrap();
    assert_eq!(
        acme.api.ok("cloudResources/create", &reordered).await["id"],
        json!(orders.id())
    );
    assert_eq!(names(&acme.list().await), ["orders"]);
}

/// rule: CR-094, CR-095
#[tokio::test]
async fn calls_with_the_same_key_at_the_same_moment_make_one_resource() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders");
    let all = join_all((0..12).map(|_| acme.create(&new))).await;
    let id = all[0].id();
    assert!(all.iter().all(|one| one.id() == id));
    acme.wait(id, "ready").await;
    assert_eq!(names(&acme.list().await), ["orders"]);
    assert_eq!(world.double.objects().totals.clusters_made, 1);
    let created = acme
        .happened(id)
        .await
        .into_iter()
        .filter(|event| event == "created")
        .count();
    assert_eq!(created, 1);
}

/// rule: CR-095
#[tokio::test]
async fn the_event_is_there_as_soon_as_the_resource_is() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let events = acme.events(orders.id()).await;
    assert_eq!(events[0]["type"], "cloud.resource.created");
    assert_eq!(events[0]["resourceId"], json!(orders.id()));
    assert_eq!(events[0]["payload"]["state"], "pending");
}

/// A retry of someone who may not create any more tells nothing.
///
/// rule: CR-036
#[tokio::test]
async fn a_retry_is_decided_too() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders");
    acme.create(&new).await;
    let deny = json!({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Deny", "Action": "compute:cloud-resources:create", "Resource": "*"}],
    });
    let policy = world
        .root
        .ok(
            "policies/put",
            &acme.input(json!({"title": "no", "document": deny})),
        )
        .await;
    let principal = world
        .root
        .ok(
            "principals/get",
            &acme.input(json!({"principalId": acme.principal})),
        )
        .await;
    let mut policies: Vec<Value> = principal["policies"].as_array().unwrap().clone();
    policies.push(policy["id"].clone());
    let body = acme.input(json!({"principalId": acme.principal, "policies": policies}));
    world.root.ok("principals/update", &body).await;
    acme.refused(&new).await.is("ACCESS_DENIED", "");
}
