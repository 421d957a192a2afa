//! The same key again: the same resource, or a conflict.

use berth_service::cloud_resources::create;
use berth_service::{Code, offers};
use serde_json::{Value, json};

use crate::harness::{World, input, told};

/// rule: CR-091, CR-092
#[tokio::test]
async fn a_retry_answers_with_the_row_as_it_is_whatever_changed_around_it() {
    let world = World::new().await;
    let tenant = world.bare_tenant("acme").await;
    let offer = json!({"poolId": world.pool, "tenantId": "acme"});
    let offer = offers::create::handle(&world.service, &world.root, input(offer))
        .await
        .unwrap();
    let body = world.pg(&tenant.id, "main");
    let made = world.create(&tenant.admin, &body).await.unwrap();
    assert_eq!(
        world.create(&tenant.admin, &body).await.unwrap().id,
        made.id
    );

    let withdrawn = input(json!({"offerId": offer.id}));
    offers::delete::handle(&world.service, &world.root, withdrawn)
        .await
        .unwrap();
    let none = input(json!({"tenantId": "acme", "quotas": {"do.database.pg": 0}}));
    berth_service::tenants::update::handle(&world.service, &world.root, none)
        .await
        .unwrap();
    world
        .update(
            &tenant.admin,
            &tenant.id,
            &made.id,
            json!({"spec": {"num_nodes": 2}}),
        )
        .await
        .unwrap();
    world.service.registry().deactivate("do");
    let again = world.create(&tenant.admin, &body).await.unwrap();
    assert_eq!((again.id.clone(), again.version), (made.id.clone(), 2));

    world.as_if_deleted(&made.id).await;
    let deleted = world.create(&tenant.admin, &body).await.unwrap();
    assert!(deleted.deleted_at.is_some());
    assert_eq!(
        world.events(&tenant.id, &made.id).await,
        ["cloud.resource.created"]
    );
}

/// rule: CR-093
#[tokio::test]
async fn any_other_field_under_the_same_key_is_a_conflict() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let mut body = world.pg(&tenant.id, "main");
    body["description"] = json!("words");
    world.create(&tenant.admin, &body).await.unwrap();
    let changes: [(&str, Value); 8] = [
        ("name", json!("other")),
        ("kind", json!("do.app")),
        ("description", json!("other words")),
        ("projectId", json!("prj_00000000000000000000000000")),
        ("parentId", json!("crs_00000000000000000000000000")),
        ("poolId", json!("pool_00000000000000000000000000")),
        (
            "spec",
            json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 2}),
        ),
        (
            "spec",
            json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1, "version": "16"}),
        ),
    ];
    for (field, value) in changes {
        let mut other = body.clone();
        other[field] = value;
        assert_eq!(
            told(world.create(&tenant.admin, &other).await).0,
            Code::Conflict,
            "{field}"
        );
    }
    let mut without = body.clone();
    without.as_object_mut().unwrap().remove("description");
    assert_eq!(
        told(world.create(&tenant.admin, &without).await).0,
        Code::Conflict
    );
    let reordered = json!({"spec": {"num_nodes": 1, "size": "db-s-1vcpu-1gb", "region": "nyc3"}});
    let mut same = body.clone();
    same["spec"] = reordered["spec"].clone();
    assert!(
        world.create(&tenant.admin, &same).await.is_ok(),
        "the order of members is no change"
    );
}

/// rule: CR-090
#[tokio::test]
async fn another_caller_or_tenant_has_its_own_keys() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    let colleague = world.caller("acme", &[crate::harness::everything()]).await;
    let first = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let mut body = world.app(&tenant.id, "second");
    body["idempotencyKey"] = json!("app-main");
    let second = world.create(&colleague, &body).await.unwrap();
    let third = world
        .create(&other.admin, &world.app(&other.id, "main"))
        .await
        .unwrap();
    assert!(first.id != second.id && second.id != third.id && first.id != third.id);
}

/// rule: CR-094
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_calls_with_one_key_at_the_same_moment_make_one_resource() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let body = world.pg(&tenant.id, "main");
    let calls = (0..8).map(|_| world.create(&tenant.admin, &body));
    let results = futures_util::future::join_all(calls).await;
    let ids: std::collections::BTreeSet<_> = results
        .into_iter()
        .map(|result| result.unwrap().id)
        .collect();
    assert_eq!(ids.len(), 1);
    let id = ids.first().unwrap();
    assert_eq!(
        world.events(&tenant.id, id).await,
        ["cloud.resource.created"]
    );
}

/// A retry is decided like the create was: who lost the right learns nothing.
#[tokio::test]
async fn a_retry_needs_the_right_to_create() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let body = world.pg(&tenant.id, "main");
    world.create(&tenant.admin, &body).await.unwrap();
    let stripped =
        json!({"tenantId": "acme", "principalId": tenant.admin.principal.id, "policies": []});
    berth_service::principals::update::handle(&world.service, &world.root, input(stripped))
        .await
        .unwrap();
    assert_eq!(
        told(world.create(&tenant.admin, &body).await).0,
        Code::AccessDenied
    );
}

/// rule: CR-088
#[test]
fn every_required_field_is_missed_by_its_name() {
    let body = json!({
        "tenantId": "acme", "poolId": "pool_00000000000000000000000000", "kind": "do.app", "name": "main",
        "spec": {}, "idempotencyKey": "k",
    });
    assert!(serde_json::from_value::<create::Input>(body.clone()).is_ok());
    for field in [
        "tenantId",
        "poolId",
        "kind",
        "name",
        "spec",
        "idempotencyKey",
    ] {
        let mut without = body.clone();
        without.as_object_mut().unwrap().remove(field);
        let error = serde_json::from_value::<create::Input>(without)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(&format!("missing field `{field}`")),
            "{error}"
        );
    }
    for (field, value) in [
        ("spec", json!([])),
        ("spec", json!(null)),
        ("description", json!(null)),
        ("more", json!(1)),
    ] {
        let mut other = body.clone();
        other[field] = value;
        assert!(
            serde_json::from_value::<create::Input>(other).is_err(),
            "{field}"
        );
    }
}
