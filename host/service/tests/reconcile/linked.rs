//! Instances and networks that specs name, where a run writes.

use berth_domain::id::ResourceId;
use serde_json::{Value, json};

use crate::cloud::Cloud;
use crate::harness::{Tenant, World, input, lay_over};
use crate::host::{Host, until, until_state};

async fn instance(world: &World, tenant: &Tenant, object: &str) -> String {
    let body = json!({"tenantId": tenant.id, "accountId": world.account, "providerId": object, "region": "nyc3"});
    let put = berth_service::instances::put::handle(&world.service, &world.root, input(body));
    put.await.unwrap().id
}

async fn instance_dies(world: &World, tenant: &Tenant, id: &str) {
    let body = json!({"tenantId": tenant.id, "instanceId": id});
    let delete = berth_service::instances::delete::handle(&world.service, &world.root, input(body));
    delete.await.unwrap();
}

async fn network(world: &World, tenant: &Tenant) -> String {
    let vpcs = json!({"nyc3": "vpc-nyc", "ams3": "vpc-ams"});
    let body = json!({"tenantId": tenant.id, "accountId": world.account, "vpcs": vpcs});
    let put = berth_service::networks::put::handle(&world.service, &world.root, input(body));
    put.await.unwrap().id
}

async fn network_dies(world: &World, tenant: &Tenant, id: &str) {
    let body = json!({"tenantId": tenant.id, "networkId": id});
    let delete = berth_service::networks::delete::handle(&world.service, &world.root, input(body));
    delete.await.unwrap();
}

async fn create(world: &World, tenant: &Tenant, spec: Value) -> ResourceId {
    let mut body = world.pg(&tenant.id, "main");
    lay_over(&mut body["spec"], spec);
    world.create(&tenant.admin, &body).await.unwrap().id
}

/// rule: CR-115, CR-116, CR-117
#[tokio::test(flavor = "multi_thread")]
async fn a_dead_instance_leaves_at_the_next_write_and_a_network_is_its_part_in_the_region() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let (one, two) = (
        instance(&world, &acme, "machine-1").await,
        instance(&world, &acme, "machine-2").await,
    );
    let net = network(&world, &acme).await;
    let cluster = create(&world, &acme, json!({"network": net})).await;
    let body = json!({
        "tenantId": acme.id, "poolId": world.pool, "kind": "do.database.firewall", "name": "wall",
        "parentId": cluster, "spec": {"instances": [one, two]}, "idempotencyKey": "wall",
    });
    let wall = world.create(&acme.admin, &body).await.unwrap().id;
    // Between the wish and the write.
    instance_dies(&world, &acme, &two).await;
    let host = Host::start(&world, &cloud);
    until_state(&world, &wall, "ready").await;
    cloud.with(|state| assert_eq!(state.linked, [["vpc-nyc"], ["machine-1"]]));

    let three = instance(&world, &acme, "machine-3").await;
    instance_dies(&world, &acme, &one).await;
    let change = json!({"spec": {"instances": [one, two, three]}});
    let changed = world.update(&acme.admin, &acme.id, &wall, change).await;
    assert_eq!(changed.unwrap().version, 2);
    until(&world, &wall, |row| row.state.as_str() == "ready").await;
    cloud.with(|state| assert_eq!(state.linked[2..], [["machine-3"]]));
    host.stop().await;
}

/// A create and an update wait, as an error that says what for; looks and the delete do not.
///
/// rule: CR-116
#[tokio::test(flavor = "multi_thread")]
async fn a_dead_network_stops_writes_and_neither_looks_nor_the_delete() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let net = network(&world, &acme).await;
    let id = create(&world, &acme, json!({"network": net})).await;
    network_dies(&world, &acme, &net).await;
    let host = Host::start(&world, &cloud);
    let row = until_state(&world, &id, "error").await;
    let message = row.message.unwrap();
    assert_eq!(serde_json::to_value(message.reason).unwrap(), "network");
    assert!(
        message.text.contains(&net) && message.text.contains("networks/put"),
        "{}",
        message.text
    );
    assert_eq!(cloud.count("create"), 0);

    // It is recorded again, and comes back as itself.
    assert_eq!(network(&world, &acme).await, net);
    until_state(&world, &id, "ready").await;
    assert_eq!(cloud.count("create"), 1);

    network_dies(&world, &acme, &net).await;
    let looks = cloud.count("observe");
    let change = json!({"spec": {"num_nodes": 2}});
    world
        .update(&acme.admin, &acme.id, &id, change)
        .await
        .unwrap();
    let row = until(&world, &id, |row| row.state.as_str() == "error").await;
    assert_eq!(
        serde_json::to_value(row.message.unwrap().reason).unwrap(),
        "network"
    );
    assert!(cloud.count("observe") > looks);
    assert_eq!(cloud.count("update"), 0);
    world.delete(&acme.admin, &acme.id, &id).await.unwrap();
    until_state(&world, &id, "deleted").await;
    assert_eq!(cloud.objects(), 0);
    host.stop().await;
}
