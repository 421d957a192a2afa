//! What `delete` marks.

use berth_domain::resource::{Desired, State};
use berth_service::cloud_resources::delete;
use serde_json::json;

use crate::harness::World;

/// A cluster, its two users, and a cluster beside it go their ways.
///
/// rule: CR-007
#[tokio::test]
async fn a_resource_goes_with_all_that_lives_in_it_and_each_says_so_once() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cluster = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap()
        .id;
    let beside = world
        .create(&tenant.admin, &world.pg(&tenant.id, "beside"))
        .await
        .unwrap()
        .id;
    let mut users = Vec::new();
    for name in ["alice", "bob"] {
        users.push(
            world
                .create(&tenant.admin, &world.user(&tenant.id, &cluster, name))
                .await
                .unwrap()
                .id,
        );
    }
    let stranger = world
        .create(&tenant.admin, &world.user(&tenant.id, &beside, "carol"))
        .await
        .unwrap()
        .id;
    let deleting = world
        .delete(&tenant.admin, &tenant.id, &cluster)
        .await
        .unwrap();
    assert_eq!(deleting.state, State::Deleting);
    for id in users.iter().chain([&cluster]) {
        let row = world.row(id).await;
        assert_eq!(
            (row.state, row.desired, row.version),
            (State::Deleting, Desired::Deleted, 1)
        );
        assert_eq!(
            world.events(&tenant.id, id).await,
            ["cloud.resource.created", "cloud.resource.deleting"]
        );
    }
    for id in [&beside, &stranger] {
        assert_eq!(world.row(id).await.state, State::Pending);
    }
    let (_, detail) = world.last_audit().await;
    assert_eq!(detail["children"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn deleting_what_is_being_deleted_or_is_deleted_changes_nothing() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap()
        .id;
    let first = world
        .delete(&tenant.admin, &tenant.id, &made)
        .await
        .unwrap();
    let before = world.row(&made).await;
    assert_eq!(
        world
            .delete(&tenant.admin, &tenant.id, &made)
            .await
            .unwrap(),
        first
    );
    assert_eq!(world.row(&made).await, before);
    world.as_if_deleted(&made).await;
    assert_eq!(
        world
            .delete(&tenant.admin, &tenant.id, &made)
            .await
            .unwrap()
            .state,
        State::Deleted
    );
    assert_eq!(
        world.events(&tenant.id, &made).await,
        ["cloud.resource.created", "cloud.resource.deleting"]
    );
}

/// A child that was deleted by itself is not told to go again.
#[tokio::test]
async fn a_child_that_is_going_already_is_left_as_it_is() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cluster = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap()
        .id;
    let user = world
        .create(&tenant.admin, &world.user(&tenant.id, &cluster, "alice"))
        .await
        .unwrap()
        .id;
    world
        .delete(&tenant.admin, &tenant.id, &user)
        .await
        .unwrap();
    world
        .delete(&tenant.admin, &tenant.id, &cluster)
        .await
        .unwrap();
    assert_eq!(
        world.events(&tenant.id, &user).await,
        ["cloud.resource.created", "cloud.resource.deleting"]
    );
    assert_eq!(world.row(&cluster).await.state, State::Deleting);
}

/// rule: CR-041
#[test]
fn an_id_of_another_shape_is_refused() {
    for id in [
        "",
        "crs_",
        "crs_short",
        "pool_00000000000000000000000000",
        "crs_0000000000000000000000000I",
    ] {
        let body = json!({"tenantId": "acme", "resourceId": id});
        assert!(
            serde_json::from_value::<delete::Input>(body).is_err(),
            "{id}"
        );
    }
}
