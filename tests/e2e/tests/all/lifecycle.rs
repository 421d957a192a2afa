//! Whole lives: created, ready, changed, deleted.

use berth_e2e::{New, Resource, Tenant, World};
use double_digitalocean::Fault;
use serde_json::{Value, json};

const STATES: [&str; 8] = [
    "pending",
    "provisioning",
    "ready",
    "updating",
    "deleting",
    "deleted",
    "released",
    "error",
];

/// One life, the same for every kind; every state that is seen on the way is one of the contract's.
async fn live(tenant: &Tenant, new: &New, change: Value) -> Resource {
    let created = tenant.create(new).await;
    let id = created.id();
    let settled = |state: &'static str| {
        move |seen: &Resource| {
            assert!(STATES.contains(&seen.state()), "{seen:#?}");
            assert_ne!(seen.state(), "error", "{seen:#?}");
            seen.state() == state
        }
    };
    tenant.wait_for(id, "to be ready", settled("ready")).await;
    let changed = tenant.update(id, change.clone()).await;
    assert_eq!(changed.state(), "updating");
    assert_eq!(changed.version(), 2);
    let ready = tenant
        .wait_for(id, "to be ready again", settled("ready"))
        .await;
    for (field, value) in change.as_object().unwrap() {
        assert_eq!(ready["spec"][field], *value);
    }
    let leaving = tenant.delete(id).await;
    assert_eq!(leaving.state(), "deleting");
    let gone = tenant.wait_for(id, "to be gone", settled("deleted")).await;
    assert_eq!(
        tenant.happened(id).await,
        [
            "created", "ready", "updating", "updated", "deleting", "deleted"
        ]
    );
    assert_eq!(gone.secrets(), Vec::<String>::new());
    ready
}

/// rule: CR-001, CR-005, CR-006, CR-007, CR-171, CR-173, CR-174, CR-196, CR-199, CR-203, CR-204
#[tokio::test]
async fn a_database_lives() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = live(
        &acme,
        &New::pg("orders"),
        json!({"size": "db-s-2vcpu-4gb", "num_nodes": 2}),
    )
    .await;
    assert_eq!(
        world.writes(),
        [
            "POST /v2/databases".to_owned(),
            format!("PUT /v2/databases/{}/resize", orders.provider_id()),
            format!("DELETE /v2/databases/{}", orders.provider_id()),
        ]
    );
    let totals = world.double.objects().totals;
    assert_eq!((totals.clusters_made, totals.clusters_gone), (1, 1));
}

/// rule: CR-001, CR-006, CR-007, CR-173, CR-204
#[tokio::test]
async fn a_database_user_lives() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let new = New::user(orders.id(), "reports");
    let user = live(
        &acme,
        &new,
        json!({"settings": {"pg_allow_replication": true}}),
    )
    .await;
    let cluster = orders.provider_id();
    let at = format!("/v2/databases/{cluster}/users");
    assert_eq!(
        world.writes()[1..],
        [
            format!("POST {at}"),
            format!("PUT {at}/reports"),
            format!("DELETE {at}/reports")
        ]
    );
    assert_eq!(user["parentId"], json!(orders.id()));
    assert_eq!(world.double.objects().clusters[0].users, ["doadmin"]);
}

/// rule: CR-001, CR-006, CR-007, CR-173, CR-204
#[tokio::test]
async fn an_app_lives() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let two = json!([{"name": "web", "image": image, "instance_count": 2}]);
    let shop = live(&acme, &New::app("shop"), json!({"services": two})).await;
    assert_eq!(
        world.writes(),
        [
            "POST /v2/apps".to_owned(),
            format!("PUT /v2/apps/{}", shop.provider_id()),
            format!("DELETE /v2/apps/{}", shop.provider_id()),
        ]
    );
    assert_eq!(world.double.objects().totals.deployments_made, 2);
}

/// rule: CR-015, CR-017
#[tokio::test]
async fn an_object_is_called_after_its_resource_and_carries_its_marks() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let shop = acme.ready(&New::app("shop")).await;
    let objects = world.double.objects();
    assert_eq!(objects.clusters[0].name, orders.provider_name());
    assert_eq!(objects.apps[0].name, shop.provider_name());
    let tags = objects.clusters[0].tags.join(" ");
    for part in [
        "better-compute-managed:dep_",
        &format!("better-compute-resource:{}", orders.id()),
        "better-compute-tenant:",
    ] {
        assert!(tags.contains(part), "no {part} in {tags}");
    }
}

/// rule: CR-005
#[tokio::test]
async fn calls_answer_while_the_provider_does_not() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world
        .double
        .fault(Fault::on("*", "/v2/**").always().hold_before());
    let stock = acme.create(&New::pg("stock")).await;
    assert_eq!(stock.state(), "pending");
    assert_eq!(
        acme.update(orders.id(), json!({"num_nodes": 2}))
            .await
            .state(),
        "updating"
    );
    world.double.wait_held(hold).await;
    assert_eq!(acme.delete(orders.id()).await.state(), "deleting");
    assert_eq!(acme.list().await["items"].as_array().unwrap().len(), 2);
    world.double.release(hold);
    acme.wait_through(orders.id(), "deleted").await;
    acme.wait_through(stock.id(), "ready").await;
}

/// rule: CR-096
#[tokio::test]
async fn ready_is_published_once_with_the_names_of_outputs_and_no_value() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    acme.update(orders.id(), json!({"num_nodes": 2})).await;
    acme.wait(orders.id(), "ready").await;
    let events = acme.events(orders.id()).await;
    let ready: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "cloud.resource.ready")
        .collect();
    assert_eq!(ready.len(), 1);
    let names = |part: &str| -> Vec<String> {
        let mut names: Vec<String> =
            serde_json::from_value(ready[0]["payload"][part].clone()).unwrap();
        names.sort();
        names
    };
    assert_eq!(names("secretOutputs"), orders.secrets());
    let outputs = orders["outputs"].as_object().unwrap();
    let mut shown: Vec<String> = outputs.keys().cloned().collect();
    shown.sort();
    assert_eq!(names("outputs"), shown);
    let text = ready[0].to_string();
    for (_, value) in outputs {
        let value = value.as_str().unwrap_or_default();
        // Short values, such as `1`, stand anywhere by chance.
        assert!(
            value.len() < 8 || !text.contains(value),
            "{value} is in the event"
        );
    }
}

/// rule: CR-019, CR-020, CR-161
#[tokio::test]
async fn the_provider_id_and_the_sealed_outputs_become_visible_together() {
    let world = World::with(|settings| settings.double.times.create = 300).await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    acme.wait_for(orders.id(), "to be ready", |seen| {
        let accepted = seen["providerId"] != Value::Null;
        assert_eq!(
            accepted,
            !seen.secrets().is_empty(),
            "one without the other: {seen:#?}"
        );
        seen.state() == "ready"
    })
    .await;
    // Every method that answers with resources shows references.
    let seen = [
        acme.list().await["items"][0].clone(),
        acme.get(orders.id()).await.0,
        acme.update(orders.id(), json!({"num_nodes": 2})).await.0,
        acme.delete(orders.id()).await.0,
    ];
    for resource in seen {
        for (_, reference) in resource["secretOutputs"].as_object().unwrap() {
            assert!(
                reference.as_str().unwrap().starts_with("secret://acme/"),
                "{resource:#}"
            );
        }
        assert!(!resource["secretOutputs"].as_object().unwrap().is_empty());
    }
}
