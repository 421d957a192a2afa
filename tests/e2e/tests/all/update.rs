//! `cloudResources/update`: what it takes, refuses and records.

use berth_e2e::{New, Resource, Tenant, World};
use double_digitalocean::Fault;
use futures_util::future::join_all;
use serde_json::{Value, json};

async fn refused(tenant: &Tenant, id: &str, spec: Value) -> berth_e2e::Refusal {
    tenant
        .api
        .refused("cloudResources/update", &tenant.change(id, spec))
        .await
}

async fn described(tenant: &Tenant, id: &str, description: Value) -> Resource {
    let body = tenant.input(json!({"resourceId": id, "description": description}));
    Resource(tenant.api.ok("cloudResources/update", &body).await)
}

/// rule: CR-165, CR-180
#[tokio::test]
async fn an_update_changes_the_spec_or_the_description_or_is_refused() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let refusal = acme
        .api
        .refused("cloudResources/update", &acme.about(orders.id()))
        .await;
    refusal.is("INVALID_INPUT", "");
    for wrong in [json!([]), json!("x"), Value::Null] {
        refused(&acme, orders.id(), wrong)
            .await
            .is_invalid_at("spec");
    }
    assert_eq!(acme.get(orders.id()).await.version(), 1);
    let both = acme
        .input(json!({"resourceId": orders.id(), "description": "x", "spec": {"num_nodes": 2}}));
    let changed = Resource(acme.api.ok("cloudResources/update", &both).await);
    assert_eq!(changed.version(), 2);
    assert_eq!(
        (&changed["description"], &changed["spec"]["num_nodes"]),
        (&json!("x"), &json!(2))
    );
    let settled = acme.wait(orders.id(), "ready").await;
    assert_eq!(
        settled.version(),
        2,
        "nothing but an update moves the version"
    );
}

/// rule: CR-166, CR-177
#[tokio::test]
async fn a_spec_is_merged_as_a_json_merge_patch() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders").spec("config", json!({"timezone": "UTC", "backup_hour": 3}));
    let orders = acme.ready(&new).await;
    acme.update(
        orders.id(),
        json!({"config": {"backup_hour": 4, "jit": true}}),
    )
    .await;
    let merged = acme.wait(orders.id(), "ready").await;
    assert_eq!(
        merged["spec"]["config"],
        json!({"timezone": "UTC", "backup_hour": 4, "jit": true})
    );
    acme.update(
        orders.id(),
        json!({"config": {"jit": null}, "maintenance": {"day": "monday", "hour": "02:00"}}),
    )
    .await;
    let merged = acme.wait(orders.id(), "ready").await;
    assert_eq!(
        merged["spec"]["config"],
        json!({"timezone": "UTC", "backup_hour": 4})
    );
    assert_eq!(
        merged["spec"]["size"], "db-s-1vcpu-1gb",
        "what is not named stays"
    );
    acme.update(orders.id(), json!({"maintenance": null})).await;
    let merged = acme.wait(orders.id(), "ready").await;
    assert_eq!(merged["spec"]["maintenance"], Value::Null);

    let shop = acme.ready(&New::app("shop")).await;
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let list = json!([{"name": "api", "image": image}]);
    acme.update(shop.id(), json!({"services": list})).await;
    let replaced = acme.wait(shop.id(), "ready").await;
    assert_eq!(replaced["spec"]["services"], list, "a list replaces a list");
}

/// So many components that each are a little over 4 KiB.
fn components(prefix: &str, count: usize) -> Value {
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let component = |index| json!({"name": format!("{prefix}-{index}"), "image": image, "run_command": "x".repeat(4_000)});
    (0..count).map(component).collect()
}

/// rule: CR-167, CR-168, CR-183
#[tokio::test]
async fn the_merged_spec_is_validated_and_a_refusal_changes_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let shop = acme
        .ready(&New::app("shop").spec("services", components("web", 10)))
        .await;
    let from = world.next_request();
    for (id, change, path) in [
        (orders.id(), json!({"num_nodes": 4}), "spec.num_nodes"),
        (orders.id(), json!({"size": null}), "spec.size"),
        (orders.id(), json!({"region": "fra1"}), "spec.region"),
        (orders.id(), json!({"colour": "red"}), "spec.colour"),
        // Neither half is too large; together they are.
        (
            shop.id(),
            json!({"workers": components("work", 10)}),
            "spec",
        ),
    ] {
        refused(&acme, id, change).await.is_invalid_at(path);
    }
    for before in [&orders, &shop] {
        let after = acme.get(before.id()).await;
        assert_eq!((after.version(), &after["spec"]), (1, &before["spec"]));
        assert_eq!(acme.happened(before.id()).await, ["created", "ready"]);
    }
    assert!(world.writes_since(from).is_empty());
    acme.update(shop.id(), json!({"workers": components("work", 2)}))
        .await;
    acme.wait(shop.id(), "ready").await;
}

/// rule: CR-169
#[tokio::test]
async fn a_reference_that_a_change_brings_in_is_checked() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let shop = acme.ready(&New::app("shop")).await;
    let foreign = umbrella.secret("key", "hunter2hunter2hunter2").await;
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let with = |value: &str| {
        let env = json!({"key": "API_KEY", "type": "SECRET", "value": value});
        json!({"services": [{"name": "web", "image": image, "envs": [env]}]})
    };
    for value in [
        foreign.as_str(),
        "secret://acme/none",
        "hunter2hunter2hunter2",
    ] {
        refused(&acme, shop.id(), with(value))
            .await
            .is_invalid_at("spec.services.0.envs.0.value");
    }
    let own = acme.secret("key", "hunter3hunter3hunter3").await;
    acme.update(shop.id(), with(&own)).await;
    acme.wait(shop.id(), "ready").await;
    let app = &world.double.objects().apps[0].id;
    assert_eq!(
        world.double.app_secret(app, "API_KEY").as_deref(),
        Some("hunter3hunter3hunter3")
    );
}

/// rule: CR-170, CR-179, CR-180
#[tokio::test]
async fn a_description_is_ours_alone_and_publishes_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme
        .ready(&New::pg("orders").with("description", "first"))
        .await;
    let from = world.next_request();
    let second = described(&acme, orders.id(), json!("second")).await;
    assert_eq!(
        (second.version(), second.state(), &second["description"]),
        (2, "ready", &json!("second"))
    );
    let none = described(&acme, orders.id(), Value::Null).await;
    assert_eq!((none.version(), &none["description"]), (3, &Value::Null));
    // A change of nothing.
    let same = acme.update(orders.id(), json!({"num_nodes": 1})).await;
    assert_eq!((same.version(), same.state()), (4, "ready"));
    let empty = acme.update(orders.id(), json!({})).await;
    assert_eq!((empty.version(), empty.state()), (5, "ready"));
    world.wait_looks().await;
    assert!(world.writes_since(from).is_empty());
    assert_eq!(acme.happened(orders.id()).await, ["created", "ready"]);
    let log = world.double.log();
    assert!(
        !log.iter()
            .any(|entry| entry.body.contains("first") || entry.body.contains("second"))
    );
}

/// rule: CR-176, CR-177
#[tokio::test]
async fn a_change_that_needs_another_object_names_its_fields_and_changes_nothing() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme
        .ready(&New::pg("orders").spec("tags", json!(["web"])))
        .await;
    let reports = acme.ready(&New::user(orders.id(), "reports")).await;
    let from = world.next_request();
    let refusal = refused(
        &acme,
        orders.id(),
        json!({"tags": ["shop"], "num_nodes": 2}),
    )
    .await;
    refusal.is("INVALID_STATE", "replaceRequired");
    assert_eq!(refusal.details["fields"], json!(["tags"]));
    assert!(refusal.message.contains("tags"), "{}", refusal.message);
    let refusal = refused(&acme, reports.id(), json!({"name": "other"})).await;
    refusal.is("INVALID_STATE", "replaceRequired");
    assert_eq!(refusal.details["fields"], json!(["name"]));
    assert_eq!(acme.get(orders.id()).await.version(), 1);
    assert!(world.writes_since(from).is_empty());
    // Sent as it is stored, it is no change.
    let same = acme
        .update(orders.id(), json!({"tags": ["web"], "num_nodes": 2}))
        .await;
    assert_eq!(same.version(), 2);
    acme.wait(orders.id(), "ready").await;
}

/// rule: CR-181
#[tokio::test]
async fn what_is_going_or_gone_can_not_be_changed() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let hold = world
        .double
        .fault(Fault::on("DELETE", "/v2/databases/*").hold_before());
    acme.delete(orders.id()).await;
    world.double.wait_held(hold).await;
    let describe = acme.input(json!({"resourceId": orders.id(), "description": "x"}));
    for body in [
        acme.change(orders.id(), json!({"num_nodes": 2})),
        describe.clone(),
    ] {
        acme.api
            .refused("cloudResources/update", &body)
            .await
            .is("INVALID_STATE", "");
    }
    world.double.release(hold);
    acme.wait(orders.id(), "deleted").await;
    acme.api
        .refused("cloudResources/update", &describe)
        .await
        .is("INVALID_STATE", "");
}

/// rule: CR-184
#[tokio::test]
async fn a_move_is_decided_with_the_old_and_the_new_region() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let there = acme.ready(&New::pg("there").spec("region", "ams3")).await;
    let here = acme.ready(&New::pg("here")).await;
    let only_here = json!({
        "Version": "2012-10-17",
        "Statement": [{
            "Effect": "Allow", "Action": "compute:cloud-resources:*", "Resource": "*",
            "Condition": {"StringEquals": {"resource.region": "nyc3"}},
        }],
    });
    let someone = acme.someone(&[only_here]).await;
    refused(&someone, there.id(), json!({"region": "nyc3"}))
        .await
        .is("ACCESS_DENIED", "");
    refused(&someone, here.id(), json!({"region": "ams3"}))
        .await
        .is("ACCESS_DENIED", "");
    assert_eq!(acme.get(here.id()).await.version(), 1);
    someone.update(here.id(), json!({"num_nodes": 2})).await;
    acme.update(here.id(), json!({"region": "ams3"})).await;
    acme.wait(here.id(), "ready").await;
}

/// rule: CR-180
#[tokio::test]
async fn updates_at_the_same_moment_all_count() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let settings = [
        ("backup_hour", 1),
        ("backup_minute", 2),
        ("autovacuum_naptime", 3),
        ("autovacuum_max_workers", 4),
        ("work_mem", 5),
        ("bgwriter_delay", 60),
    ];
    let change =
        |(name, value): (&str, i32)| acme.change(orders.id(), json!({"config": {name: value}}));
    let bodies: Vec<Value> = settings.into_iter().map(change).collect();
    let all = join_all(
        bodies
            .iter()
            .map(|body| acme.api.call("cloudResources/update", body)),
    )
    .await;
    let taken = all.iter().filter(|result| result.is_ok()).count();
    let settled = acme.get(orders.id()).await;
    assert_eq!(settled.version(), 1 + taken as u64);
    let config = settled["spec"]["config"].as_object().unwrap();
    assert_eq!(
        config.len(),
        taken,
        "an accepted change was lost: {config:?}"
    );
    for refusal in all.into_iter().filter_map(Result::err) {
        refusal.is("UNAVAILABLE", "");
    }
    acme.wait(orders.id(), "ready").await;
}
