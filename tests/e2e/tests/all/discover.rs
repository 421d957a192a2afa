//! `cloudResources/discover`: what there is on an account of one's own.

use std::collections::BTreeMap;

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{Fault, FaultBody, PlantedApp, PlantedCluster};
use serde_json::{Value, json};

const PG: &str = "do.database.pg";

/// What is discovered, by name.
async fn by_name(tenant: &Tenant, kind: &str) -> BTreeMap<String, Value> {
    let items = tenant.discover(kind).await.into_iter();
    items
        .map(|item| (item["name"].as_str().unwrap().to_owned(), item))
        .collect()
}

/// rule: CR-218, CR-219, CR-220
#[tokio::test]
async fn the_objects_of_an_own_account_are_told_with_who_manages_them() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let free = PlantedCluster {
        num_nodes: 2,
        region: "ams3".to_owned(),
        ..PlantedCluster::named("free").tag("team:blue")
    };
    let free = world.double.plant_cluster(free).unwrap();
    let theirs = PlantedCluster::named("theirs").tag("better-compute-managed:dep_other");
    world.double.plant_cluster(theirs).unwrap();
    let mysql = PlantedCluster {
        engine: "mysql".to_owned(),
        ..PlantedCluster::named("mysql")
    };
    world.double.plant_cluster(mysql).unwrap();

    let found = by_name(&acme, PG).await;
    assert_eq!(found.len(), 3, "{found:#?}");
    let ours = &found[&orders.provider_name()];
    assert_eq!(
        (&ours["providerId"], &ours["managedBy"], &ours["resourceId"]),
        (
            &json!(orders.provider_id()),
            &json!("this"),
            &json!(orders.id())
        )
    );
    assert_eq!(found["theirs"]["managedBy"], "other");
    let free_view = &found["free"];
    assert_eq!(
        (&free_view["providerId"], &free_view["region"]),
        (&json!(free), &json!("ams3"))
    );
    assert_eq!(free_view["spec"]["num_nodes"], 2);
    assert_eq!(free_view["spec"]["tags"], json!(["team:blue"]));
    for absent in ["managedBy", "resourceId"] {
        assert_eq!(free_view.get(absent), None, "{absent}");
    }
}

/// rule: CR-218
#[tokio::test]
async fn at_most_five_hundred_objects_are_told_each_once() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    // Apps come in pages, and there are more of them than the contract lets through.
    for number in 0..501 {
        let planted = PlantedApp::named(&format!("app-{number}"));
        world.double.plant_app(planted).unwrap();
    }
    let found = acme.discover("do.app").await;
    let mut ids: Vec<&str> = found
        .iter()
        .map(|item| item["providerId"].as_str().unwrap())
        .collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((found.len(), ids.len()), (500, 500));
}

/// rule: CR-217
#[tokio::test]
async fn what_is_asked_for_is_a_kind_of_a_pool() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    for field in ["tenantId", "poolId", "kind"] {
        let mut body = acme.input(json!({"poolId": acme.pool, "kind": PG}));
        body.as_object_mut().unwrap().remove(field);
        let refusal = acme.api.refused("cloudResources/discover", &body).await;
        refusal.is_invalid_at(field);
    }
    let of = |kind: &str| acme.input(json!({"poolId": acme.pool, "kind": kind}));
    let refused = async |kind: &str| acme.api.refused("cloudResources/discover", &of(kind)).await;
    refused("do.database.user")
        .await
        .is("UNSUPPORTED", "parent");
    refused("do.nothing").await.is("UNSUPPORTED", "kind");
    assert_eq!(world.double.log().len(), 0, "nobody had to be asked");
}

/// rule: CR-221, CR-222, CR-240
#[tokio::test]
async fn an_account_is_its_owners_to_look_through() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let planted = PlantedCluster::named("free");
    let free = world.double.plant_cluster(planted).unwrap();
    let body = acme.input(json!({"poolId": acme.pool, "kind": PG}));
    acme.api
        .refused("cloudResources/discover", &body)
        .await
        .is("ACCESS_DENIED", "notAccountOwner");
    acme.api
        .refused("cloudResources/adopt", &acme.adoption("mine", &free))
        .await
        .is("ACCESS_DENIED", "notAccountOwner");
    // Nor through the platform's own tenant.
    let as_root = json!({"tenantId": "root", "poolId": acme.pool, "kind": PG});
    acme.api
        .refused("cloudResources/discover", &as_root)
        .await
        .is("ACCESS_DENIED", "");
    assert_eq!(world.double.log().len(), 0, "nobody had to be asked");

    let found = world.root.ok("cloudResources/discover", &as_root).await;
    assert_eq!(found["items"][0]["providerId"], json!(free));
    let adoption = json!({
        "tenantId": "root", "poolId": world.pool, "kind": PG, "providerId": free,
        "name": "platform", "idempotencyKey": "k",
    });
    let adopted = world.root.ok("cloudResources/adopt", &adoption).await;
    assert_eq!(adopted["adopted"], true);
}

/// rule: CR-223
#[tokio::test]
async fn the_store_is_open_to_others_while_the_provider_is_asked() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let hold = world
        .double
        .fault(Fault::on("GET", "/v2/databases").hold_after());
    let asking = acme.clone();
    let asking = tokio::spawn(async move { asking.discover(PG).await });
    world.double.wait_held(hold).await;
    acme.secret("key", "hunter2hunter2hunter2").await;
    acme.create(&New::app("shop")).await;
    world.double.release(hold);
    assert!(asking.await.unwrap().is_empty());
}

#[tokio::test]
async fn a_provider_that_is_away_is_told() {
    let world = World::start().await;
    let acme = world.owner("acme").await;
    let body = acme.input(json!({"poolId": acme.pool, "kind": PG}));
    for (status, reason) in [(503, "provider"), (401, "denied"), (429, "throttled")] {
        let fault = Fault::on("GET", "/v2/databases").answer(status, FaultBody::Error);
        world.double.fault(fault);
        acme.api
            .refused("cloudResources/discover", &body)
            .await
            .is("UNAVAILABLE", reason);
    }
}
