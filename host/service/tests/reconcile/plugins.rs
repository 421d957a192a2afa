use berth_domain::resource::Reason;

use crate::cloud::Cloud;
use crate::harness::World;
use crate::host::{Host, until, until_state};

#[tokio::test(flavor = "multi_thread")]
async fn without_its_plugin_a_resource_waits_and_says_so() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let never = world
        .create(&acme.admin, &world.pg(&acme.id, "never"))
        .await
        .unwrap()
        .id;
    let waiting = world
        .create(&acme.admin, &world.pg(&acme.id, "waiting"))
        .await
        .unwrap()
        .id;
    world.delete(&acme.admin, &acme.id, &never).await.unwrap();
    let generation = world.service.registry().deactivate("do").unwrap();

    let host = Host::start(&world, &cloud);
    // Nothing of it is at the provider, so nobody need be asked.
    until_state(&world, &never, "deleted").await;
    let row = until(&world, &waiting, |row| row.message.is_some()).await;
    assert_eq!(
        (row.state.as_str(), row.message.unwrap().reason),
        ("pending", Reason::Host)
    );
    assert_eq!(cloud.with(|state| state.calls.len()), 0);

    world
        .service
        .registry()
        .activate(generation.digest())
        .unwrap();
    until_state(&world, &waiting, "ready").await;
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_places_only_serves_the_api() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    let settings = berth_service::ReconcileSettings {
        concurrency: 0,
        ..crate::host::quick()
    };
    let host = Host::start_with(&world, &cloud, settings);
    tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    assert_eq!(world.row(&id).await.state.as_str(), "pending");
    host.stop().await;
}
