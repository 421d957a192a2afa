//! Instances and networks that specs name, at the provider.

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{PlantedDroplet, PlantedVpc};
use serde_json::{Value, json};

async fn instance(world: &World, tenant: &Tenant, object: &str) -> String {
    let body =
        tenant.input(json!({"accountId": world.account, "providerId": object, "region": "nyc3"}));
    let put = world.root.ok("instances/put", &body).await;
    put["id"].as_str().unwrap().to_owned()
}

fn droplet(world: &World, name: &str) -> String {
    let planted = PlantedDroplet::named(name, "nyc3");
    world.double.plant_droplet(planted).unwrap()
}

/// The sources that trust droplets.
fn trusted(world: &World) -> Vec<String> {
    let rules = world.double.objects().clusters[0].rules.clone();
    rules
        .into_iter()
        .filter(|rule| rule.contains("droplet"))
        .collect()
}

fn body_of(world: &World, path: &str) -> Value {
    let log = world.double.log();
    let made = log
        .iter()
        .find(|entry| entry.method == "POST" && entry.path == path);
    serde_json::from_str(&made.unwrap().body).unwrap()
}

/// rule: CR-113, CR-114, CR-115
#[tokio::test]
async fn a_cluster_joins_its_networks_vpc_and_trusts_the_tenants_machines() {
    let world = World::start().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let vpc = world
        .double
        .plant_vpc(PlantedVpc::named("private", "nyc3"))
        .unwrap();
    let machine = droplet(&world, "web-1");
    let put = acme.input(json!({"accountId": world.account, "vpcs": {"nyc3": vpc}}));
    let network = world.root.ok("networks/put", &put).await["id"].clone();
    let mine = instance(&world, &acme, &machine).await;
    let new = New::pg("orders")
        .spec("network", network)
        .spec("instances", json!([mine]));
    let refusal = other.refused(&new).await;
    refusal.is("INVALID_INPUT", "instance");
    let refusal = other.refused(&new.clone().without_spec("instances")).await;
    refusal.is("INVALID_INPUT", "network");
    acme.ready(&new).await;
    let made = body_of(&world, "/v2/databases");
    assert_eq!(made["private_network_uuid"], json!(vpc));
    assert_eq!(trusted(&world), [format!("droplet:{machine}")]);
}

/// rule: CR-117, CR-189
#[tokio::test]
async fn a_machine_that_is_gone_leaves_the_firewall_at_its_next_write() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let (one, two, three) = (
        droplet(&world, "a"),
        droplet(&world, "b"),
        droplet(&world, "c"),
    );
    let mut ids = Vec::new();
    for machine in [&one, &two, &three] {
        ids.push(instance(&world, &acme, machine).await);
    }
    let orders = acme.ready(&New::pg("orders")).await;
    let wall = New::of(
        "do.database.firewall",
        "wall",
        json!({"instances": ids[..2]}),
    );
    let wall = acme.ready(&wall.with("parentId", orders.id())).await;
    let rule = |machine: &str| format!("droplet:{machine}");
    assert_eq!(trusted(&world), [rule(&one), rule(&two)]);
    // The operator's system tells all there are: the first is not among them.
    let left = [&two, &three].map(|machine| json!({"providerId": machine, "region": "nyc3"}));
    let sync = acme.input(json!({"accountId": world.account, "instances": left}));
    let synced = world.root.ok("instances/sync", &sync).await;
    assert_eq!(synced["gone"][0]["id"], json!(ids[0]));
    assert_eq!(
        trusted(&world),
        [rule(&one), rule(&two)],
        "nothing happens by itself"
    );
    acme.update(wall.id(), json!({"instances": ids})).await;
    acme.wait(wall.id(), "ready").await;
    assert_eq!(trusted(&world), [rule(&two), rule(&three)]);
}
