//! What `update` takes, refuses and announces.

use berth_domain::resource::State;
use berth_service::Code;
use berth_service::cloud_resources::update;
use serde_json::json;

use crate::harness::{World, allow_if, input, told};

/// rule: CR-166, CR-178, CR-180
#[tokio::test]
async fn a_pending_resource_takes_a_merge_patch_without_an_event() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let mut body = world.pg(&tenant.id, "main");
    body["spec"]["config"] = json!({"work_mem": 8, "timezone": "UTC"});
    let made = world.create(&tenant.admin, &body).await.unwrap();
    let patch =
        json!({"spec": {"num_nodes": 2, "config": {"work_mem": null, "max_connections": 90}}});
    let updated = world
        .update(&tenant.admin, &tenant.id, &made.id, patch)
        .await
        .unwrap();
    assert_eq!(
        json!(updated.spec),
        json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 2,
        "config": {"timezone": "UTC", "max_connections": 90}})
    );
    assert_eq!((updated.state, updated.version), (State::Pending, 2));
    assert_eq!(
        world.events(&tenant.id, &made.id).await,
        ["cloud.resource.created"]
    );
}

/// rule: CR-171, CR-173
#[tokio::test]
async fn a_ready_resource_goes_updating_and_says_so() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    world.as_if_ready(&made.id).await;
    let updated = world
        .update(
            &tenant.admin,
            &tenant.id,
            &made.id,
            json!({"spec": {"num_nodes": 2}}),
        )
        .await
        .unwrap();
    assert_eq!(updated.state, State::Updating);
    assert_eq!(
        world.events(&tenant.id, &made.id).await,
        ["cloud.resource.created", "cloud.resource.updating"]
    );
    let row = world.row(&made.id).await;
    assert_eq!(row.unapplied.into_iter().collect::<Vec<_>>(), ["num_nodes"]);
}

/// rule: CR-177, CR-179
#[tokio::test]
async fn a_change_of_nothing_or_of_words_moves_the_version_and_no_more() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    world.as_if_ready(&made.id).await;
    let changes = [
        json!({"spec": {}}),
        json!({"spec": {"num_nodes": 1, "region": "nyc3"}}),
        json!({"spec": {"version": null}}),
        json!({"description": "words"}),
    ];
    for (count, change) in changes.into_iter().enumerate() {
        let updated = world
            .update(&tenant.admin, &tenant.id, &made.id, change)
            .await
            .unwrap();
        assert_eq!(
            (updated.state, updated.version),
            (State::Ready, count as u64 + 2)
        );
    }
    assert_eq!(
        world.events(&tenant.id, &made.id).await,
        ["cloud.resource.created"]
    );
}

/// rule: CR-170
#[tokio::test]
async fn null_takes_the_description_away() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let mut body = world.app(&tenant.id, "main");
    body["description"] = json!("words");
    let made = world.create(&tenant.admin, &body).await.unwrap();
    assert!(made.description.is_some());
    let updated = world
        .update(
            &tenant.admin,
            &tenant.id,
            &made.id,
            json!({"description": null}),
        )
        .await
        .unwrap();
    assert_eq!(updated.description, None);
}

/// rule: CR-176
#[tokio::test]
async fn a_fixed_field_needs_a_replacement_and_nothing_changes() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cluster = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap()
        .id;
    let made = world
        .create(&tenant.admin, &world.user(&tenant.id, &cluster, "alice"))
        .await
        .unwrap();
    let both = json!({"spec": {"name": "bob", "settings": {"pg_allow_replication": true}}});
    let refusal = world
        .update(&tenant.admin, &tenant.id, &made.id, both)
        .await
        .unwrap_err();
    assert_eq!(refusal.code, Code::InvalidState);
    assert_eq!(
        refusal.details.get("reason"),
        Some(&json!("replaceRequired"))
    );
    assert_eq!(refusal.details.get("fields"), Some(&json!(["name"])));
    let row = world.row(&made.id).await;
    assert_eq!(
        (row.version, json!(row.spec)),
        (1, json!({"name": "alice"}))
    );
}

/// rule: CR-167, CR-168
#[tokio::test]
async fn the_merged_spec_is_validated_and_measured() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    let wrong = [
        (json!({"num_nodes": 9}), "spec.num_nodes"),
        (json!({"size": null}), "spec.size"),
        (json!({"sise": "x"}), "spec.sise"),
        (json!({"tags": ["better-compute-tenant:x"]}), "spec.tags.0"),
    ];
    for (patch, field) in wrong {
        let (code, _, at) = told(
            world
                .update(&tenant.admin, &tenant.id, &made.id, json!({"spec": patch}))
                .await,
        );
        assert_eq!((code, at.as_str()), (Code::InvalidInput, field));
    }
    let app = world
        .create(&tenant.admin, &world.app(&tenant.id, "app"))
        .await
        .unwrap();
    // Each half fits; together they don't.
    let image =
        json!({"registry_type": "DOCKER_HUB", "registry": "library", "repository": "nginx"});
    let large = |key: &str| {
        json!({"name": key, "image": image,
        "envs": [{"key": "A", "type": "GENERAL", "value": "x".repeat(32_700)}]})
    };
    let half = json!({"spec": {"services": [large("web-a")]}});
    world
        .update(&tenant.admin, &tenant.id, &app.id, half)
        .await
        .unwrap();
    let other = json!({"spec": {"workers": [large("web-b")]}});
    let (code, _, field) = told(
        world
            .update(&tenant.admin, &tenant.id, &app.id, other)
            .await,
    );
    assert_eq!((code, field.as_str()), (Code::InvalidInput, "spec"));
    assert_eq!(world.row(&made.id).await.version, 1);
}

/// rule: CR-165
#[tokio::test]
async fn an_update_of_neither_is_refused() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    assert_eq!(
        told(
            world
                .update(&tenant.admin, &tenant.id, &made.id, json!({}))
                .await
        )
        .0,
        Code::InvalidInput
    );
    let id = json!({"tenantId": "acme"});
    assert!(serde_json::from_value::<update::Input>(id).is_err());
    let null = json!({"tenantId": "acme", "resourceId": made.id, "spec": null});
    assert!(serde_json::from_value::<update::Input>(null).is_err());
}

/// rule: CR-181
#[tokio::test]
async fn what_is_being_deleted_or_is_deleted_does_not_change() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    world
        .delete(&tenant.admin, &tenant.id, &made.id)
        .await
        .unwrap();
    for change in [
        json!({"description": "x"}),
        json!({"spec": {"disable_edge_cache": true}}),
    ] {
        assert_eq!(
            told(
                world
                    .update(&tenant.admin, &tenant.id, &made.id, change)
                    .await
            )
            .0,
            Code::InvalidState
        );
    }
    world.as_if_deleted(&made.id).await;
    let change = json!({"description": "x"});
    assert_eq!(
        told(
            world
                .update(&tenant.admin, &tenant.id, &made.id, change)
                .await
        )
        .0,
        Code::InvalidState
    );
}

/// rule: CR-183, CR-184
#[tokio::test]
async fn a_move_is_checked_against_the_account_and_decided_at_both_ends() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    let to = |region: &str| json!({"spec": {"region": region}});
    let (code, _, field) = told(
        world
            .update(&tenant.admin, &tenant.id, &made.id, to("sfo3"))
            .await,
    );
    assert_eq!((code, field.as_str()), (Code::InvalidInput, "spec.region"));
    let here = |regions: &[&str]| {
        allow_if(
            &["compute:cloud-resources:update"],
            json!({"StringEquals": {"resource.region": regions}}),
        )
    };
    let from = world.caller("acme", &[here(&["nyc3"])]).await;
    let into = world.caller("acme", &[here(&["ams3"])]).await;
    let both = world.caller("acme", &[here(&["nyc3", "ams3"])]).await;
    for caller in [&from, &into] {
        assert_eq!(
            told(world.update(caller, &tenant.id, &made.id, to("ams3")).await).0,
            Code::AccessDenied
        );
    }
    let moved = world
        .update(&both, &tenant.id, &made.id, to("ams3"))
        .await
        .unwrap();
    assert_eq!(moved.region.as_deref(), Some("ams3"));
}

/// rule: CR-180
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_at_the_same_moment_all_count() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    let one = async {
        let body =
            json!({"tenantId": "acme", "resourceId": made.id, "spec": {"config": {"work_mem": 8}}});
        update::handle(&world.service, &tenant.admin, input(body))
            .await
            .unwrap()
    };
    let other = async {
        let body = json!({"tenantId": "acme", "resourceId": made.id, "spec": {"config": {"timezone": "UTC"}}});
        update::handle(&world.service, &tenant.admin, input(body))
            .await
            .unwrap()
    };
    futures_util::future::join(one, other).await;
    let row = world.row(&made.id).await;
    assert_eq!(row.version, 3);
    assert_eq!(
        json!(row.spec["config"]),
        json!({"work_mem": 8, "timezone": "UTC"})
    );
}

/// Fifty writers of one row wait for each other; none is sent away with "try again".
#[tokio::test]
async fn many_updates_of_one_resource_at_once_all_land() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    let updates = (0..50).map(|number| {
        let patch = json!({"description": format!("number {number}")});
        world.update(&tenant.admin, &tenant.id, &made.id, patch)
    });
    for updated in futures_util::future::join_all(updates).await {
        updated.unwrap();
    }
    assert_eq!(world.row(&made.id).await.version, 51);
}
