//! `cloudResources/get`.

use berth_e2e::{Component, New, World, names};
use double_digitalocean::Fault;
use serde_json::{Value, json};

/// rule: CR-041, CR-158, CR-165, CR-195
#[tokio::test]
async fn methods_about_one_resource_need_its_id() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let good = "0".repeat(26);
    let wrong = [
        json!(""),
        json!("crs_"),
        json!(format!("crs_{}", "0".repeat(25))),
        json!(format!("crs_{}", "0".repeat(53))),
        json!(format!("crs_{}u", "0".repeat(25))),
        json!(format!("CRS_{good}")),
        json!(good),
        json!(1),
        Value::Null,
    ];
    for method in ["get", "update", "delete"] {
        let method = format!("cloudResources/{method}");
        let mut body = acme.input(json!({}));
        if method.ends_with("update") {
            body["description"] = json!("x");
        }
        acme.api
            .refused(&method, &body)
            .await
            .is_invalid_at("resourceId");
        for value in &wrong {
            body["resourceId"] = value.clone();
            acme.api
                .refused(&method, &body)
                .await
                .is_invalid_at("resourceId");
        }
    }
}

/// rule: CR-159, CR-161
#[tokio::test]
async fn get_has_spec_state_version_and_outputs() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let new = New::pg("orders");
    let orders = acme.ready(&new).await;
    assert_eq!(orders["spec"], new.fields()["spec"]);
    assert_eq!(orders.version(), 1);
    let outputs = orders["outputs"].as_object().unwrap();
    assert!(!outputs.is_empty());
    for name in orders.secrets() {
        assert!(
            orders.secret(&name).starts_with("secret://acme/"),
            "{orders:#?}"
        );
        assert!(!outputs.contains_key(&name));
    }
}

/// rule: CR-160
#[tokio::test]
async fn the_provider_id_is_there_once_the_provider_has_accepted() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let hold = world
        .double
        .fault(Fault::on("POST", "/v2/databases").hold_before());
    let orders = acme.create(&New::pg("orders")).await;
    world.double.wait_held(hold).await;
    let asked = acme.get(orders.id()).await;
    assert_eq!(
        (asked.state(), &asked["providerId"]),
        ("pending", &Value::Null)
    );
    world.double.release(hold);
    let ready = acme.wait(orders.id(), "ready").await;
    assert_eq!(ready.provider_id(), world.double.objects().clusters[0].id);
}

/// rule: CR-164, CR-187, CR-213
#[tokio::test]
async fn a_kind_that_the_plugin_no_longer_knows_can_be_read_and_waits_to_be_deleted() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.ready(&New::app("shop")).await;
    let digest = world
        .install_only(&Component::Do.with("do.app", "do.apq"))
        .await;
    let refusal = world
        .root
        .refused("plugins/activate", &json!({"digest": digest}))
        .await;
    assert!(refusal.message.contains("do.app"), "{refusal:#?}");
    world
        .root
        .ok(
            "plugins/activate",
            &json!({"digest": digest, "override": ["do", "do.app", "do.apq"]}),
        )
        .await;

    assert_eq!(acme.get(shop.id()).await["spec"], shop["spec"]);
    assert_eq!(
        names(&acme.list_by(json!({"kind": "do.app"})).await),
        ["shop"]
    );
    let change = acme.change(shop.id(), json!({"disable_edge_cache": true}));
    acme.api
        .refused("cloudResources/update", &change)
        .await
        .is("UNSUPPORTED", "");
    acme.refused(&New::app("other")).await.is("UNSUPPORTED", "");

    acme.delete(shop.id()).await;
    let waiting = acme
        .wait_for(shop.id(), "to say why it waits", |seen| {
            !seen.message().is_empty()
        })
        .await;
    assert_eq!(waiting.state(), "deleting");
    assert!(
        waiting.message().contains("do.app"),
        "{}",
        waiting.message()
    );
    assert_eq!(world.double.objects().apps.len(), 1);
    // The way back: the version that knows the kind ends it.
    let back = world.install_only(&Component::Do.bytes()).await;
    let accepted = json!({"digest": back, "override": ["do", "do.app", "do.apq"]});
    world.root.ok("plugins/activate", &accepted).await;
    acme.wait(shop.id(), "deleted").await;
    assert_eq!(world.double.objects().apps.len(), 0);
}
