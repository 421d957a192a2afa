use serde_json::json;

use crate::cloud::Cloud;
use crate::harness::World;
use crate::host::{Host, until, until_state};

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_lands_while_the_create_runs_keeps_the_id_and_is_applied() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.hold_creates();
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    cloud.made.acquire().await.unwrap().forget();
    let change = json!({"spec": {"num_nodes": 2}});
    world
        .update(&acme.admin, &acme.id, &id, change)
        .await
        .unwrap();
    cloud.creates.add_permits(100);
    let row = until_state(&world, &id, "ready").await;
    assert_eq!(
        (row.provider_id.as_deref(), row.version),
        (Some("object-1"), 2)
    );
    cloud.with(|state| assert_eq!(state.objects["object-1"].spec["num_nodes"], 2));
    assert_eq!(cloud.count("create"), 1);
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delete_that_lands_while_the_create_runs_deletes_what_came_of_it() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    cloud.hold_creates();
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    cloud.made.acquire().await.unwrap().forget();
    world.delete(&acme.admin, &acme.id, &id).await.unwrap();
    cloud.creates.add_permits(100);
    until_state(&world, &id, "deleted").await;
    assert_eq!(
        (
            cloud.count("create"),
            cloud.count("delete"),
            cloud.objects()
        ),
        (1, 1, 0)
    );
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_written_once_however_often_it_is_looked_at() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    until_state(&world, &id, "ready").await;
    // The provider's own hand.
    cloud.with(|state| {
        state
            .objects
            .get_mut("object-1")
            .unwrap()
            .spec
            .insert("size".to_owned(), json!("db-s-4vcpu-8gb"));
    });
    until(&world, &id, |row| row.drift.contains_key("size")).await;
    let change = json!({"spec": {"num_nodes": 2}});
    world
        .update(&acme.admin, &acme.id, &id, change)
        .await
        .unwrap();
    until_state(&world, &id, "ready").await;
    let looked = cloud.count("observe");
    crate::host::until_cloud(&cloud, |cloud| cloud.count("observe") > looked + 2).await;
    cloud.with(|state| {
        let updates: Vec<&String> = state
            .calls
            .iter()
            .filter(|call| call.starts_with("update"))
            .collect();
        assert_eq!(
            updates,
            ["update do.database.pg object-1 num_nodes"],
            "drift is shown, not written"
        );
    });
    host.stop().await;
}
