//! Resources that live in others.

use berth_domain::id::ResourceId;
use berth_domain::resource::{NewResource, State, new_resource};
use berth_domain::spec::Spec;
use berth_service::Code;
use berth_store::{CreateChange, CreateOutcome};
use serde_json::json;

use crate::harness::{World, told};

/// rule: CR-118, CR-119
#[tokio::test]
async fn a_child_kind_needs_a_parent_and_others_take_none() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cluster = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    let mut without = world.user(&tenant.id, &cluster.id, "alice");
    without.as_object_mut().unwrap().remove("parentId");
    let mut with = world.app(&tenant.id, "app");
    with["parentId"] = json!(cluster.id);
    for body in [without, with] {
        let (code, _, field) = told(world.create(&tenant.admin, &body).await);
        assert_eq!((code, field.as_str()), (Code::InvalidInput, "parentId"));
    }
    let child = world
        .create(&tenant.admin, &world.user(&tenant.id, &cluster.id, "alice"))
        .await
        .unwrap();
    assert_eq!(child.parent_id, Some(cluster.id));
}

/// rule: CR-120
#[tokio::test]
async fn every_wrong_parent_is_the_same_refusal() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    let foreign = world
        .create(&other.admin, &world.pg(&other.id, "main"))
        .await
        .unwrap()
        .id;
    let wrong_kind = world
        .create(&tenant.admin, &world.app(&tenant.id, "app"))
        .await
        .unwrap()
        .id;
    let account = world.account_of("acme", json!({})).await;
    let mut elsewhere = world.pg(&tenant.id, "elsewhere");
    elsewhere["poolId"] = json!(world.pool_on("acme", &account).await);
    let elsewhere = world.create(&tenant.admin, &elsewhere).await.unwrap().id;
    let missing = "crs_00000000000000000000000000".parse().unwrap();
    let mut refusals = Vec::new();
    for parent in [&missing, &foreign, &wrong_kind, &elsewhere] {
        refusals.push(
            world
                .create(&tenant.admin, &world.user(&tenant.id, parent, "alice"))
                .await
                .unwrap_err(),
        );
    }
    assert_eq!(refusals[0].code, Code::InvalidInput);
    assert_eq!(refusals[0].details.get("field"), Some(&json!("parentId")));
    assert!(
        refusals.iter().all(|refusal| *refusal == refusals[0]),
        "{refusals:#?}"
    );
}

/// rule: CR-121
#[tokio::test]
async fn a_parent_that_is_going_takes_nothing_new() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cluster = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    world
        .delete(&tenant.admin, &tenant.id, &cluster.id)
        .await
        .unwrap();
    let body = world.user(&tenant.id, &cluster.id, "alice");
    assert_eq!(
        told(world.create(&tenant.admin, &body).await).0,
        Code::InvalidState
    );
    world.as_if_deleted(&cluster.id).await;
    assert_eq!(
        told(world.create(&tenant.admin, &body).await).0,
        Code::InvalidState
    );
}

/// rule: CR-122, CR-123, CR-129
#[tokio::test]
async fn an_identity_is_taken_once_a_parent_until_its_resource_is_deleted() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let first = world
        .create(&tenant.admin, &world.pg(&tenant.id, "first"))
        .await
        .unwrap()
        .id;
    let second = world
        .create(&tenant.admin, &world.pg(&tenant.id, "second"))
        .await
        .unwrap()
        .id;
    let alice = world
        .create(&tenant.admin, &world.user(&tenant.id, &first, "alice"))
        .await
        .unwrap();
    let mut twin = world.user(&tenant.id, &first, "alice");
    twin["name"] = json!("another-name");
    twin["idempotencyKey"] = json!("another-key");
    let refusal = world.create(&tenant.admin, &twin).await.unwrap_err();
    assert_eq!(refusal.code, Code::Conflict);
    assert_eq!(refusal.details.get("reason"), Some(&json!("identity")));
    assert_eq!(refusal.details.get("resourceId"), Some(&json!(alice.id)));
    let mut elsewhere = twin.clone();
    elsewhere["parentId"] = json!(second);
    elsewhere["idempotencyKey"] = json!("elsewhere");
    elsewhere["name"] = json!("elsewhere");
    assert!(world.create(&tenant.admin, &elsewhere).await.is_ok());
    world.as_if(&alice.id, |row| row.state = State::Error).await;
    assert_eq!(
        told(world.create(&tenant.admin, &twin).await).0,
        Code::Conflict
    );
    world.as_if_deleted(&alice.id).await;
    assert!(world.create(&tenant.admin, &twin).await.is_ok());
}

/// rule: CR-015, CR-016
#[tokio::test]
async fn an_object_is_called_by_its_id_or_by_its_identity() {
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
    let name = world.row(&cluster).await.provider_name;
    assert_eq!(name, format!("bc-r-{}", &cluster.as_str()[4..28]));
    assert_eq!(world.row(&user).await.provider_name, "alice");
}

/// Two creates of one identity at the same moment: one stands, the other is told which.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_identity_is_not_taken_twice_at_the_same_moment() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let cluster = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap()
        .id;
    let calls = (0..6).map(|n| {
        let mut body = world.user(&tenant.id, &cluster, "alice");
        body["name"] = json!(format!("user-{n}"));
        body["idempotencyKey"] = json!(format!("key-{n}"));
        let (world, admin) = (&world, &tenant.admin);
        async move { world.create(admin, &body).await }
    });
    let results = futures_util::future::join_all(calls).await;
    let made: Vec<_> = results
        .iter()
        .filter_map(|result| result.as_ref().ok())
        .collect();
    assert_eq!(made.len(), 1);
    for refusal in results.iter().filter_map(|result| result.as_ref().err()) {
        assert_eq!(refusal.details.get("resourceId"), Some(&json!(made[0].id)));
    }
}

/// A firewall and its like: no plugin here has one, so a kind is made into one and recorded as `create` does.
///
/// rule: CR-124
#[tokio::test]
async fn a_parent_has_one_of_a_singleton_kind() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let first = world
        .create(&tenant.admin, &world.pg(&tenant.id, "first"))
        .await
        .unwrap()
        .id;
    let second = world
        .create(&tenant.admin, &world.pg(&tenant.id, "second"))
        .await
        .unwrap()
        .id;
    let generation = world.service.registry().active("do").unwrap();
    let mut kind = generation.kind("do.database.user").unwrap().clone();
    (kind.singleton, kind.identity) = (true, Vec::new());
    let record = |parent: &ResourceId, name: &str| {
        let mut new = NewResource {
            id: ResourceId::derive(&tenant.id, &tenant.admin.principal.id, name),
            tenant: tenant.id.clone(),
            project: None,
            pool: world.pool.clone(),
            account: world.account.clone(),
            provider: "do".to_owned(),
            kind: kind.id.parse().unwrap(),
            name: name.parse().unwrap(),
            description: None,
            parent: Some(parent.clone()),
            owner: tenant.admin.principal.id.clone(),
            spec: Spec::new(),
            defaults: Spec::new(),
            named: berth_domain::linked::Named::default(),
            demand: berth_domain::resource::Demand::default(),
            generation: generation.digest().to_string(),
            input_digest: String::new(),
        };
        new.spec.insert("name".to_owned(), json!(name));
        let row = new_resource(new, &kind, world.service.now()).row;
        let parent_kinds = vec!["do.database.pg".parse().unwrap()];
        let change = CreateChange {
            row,
            events: Vec::new(),
            quota: 20,
            default_capacity: 0,
            parent_kinds,
            audit: Vec::new(),
        };
        let store = world.service.store().clone();
        async move { store.create_resource(change).await.unwrap() }
    };
    let CreateOutcome::Created(made) = record(&first, "one").await else {
        panic!("the first is free")
    };
    assert_eq!(
        record(&first, "two").await,
        CreateOutcome::IdentityTaken(made.row.id.clone())
    );
    assert!(matches!(
        record(&second, "three").await,
        CreateOutcome::Created(_)
    ));
    world.as_if_deleted(&made.row.id).await;
    assert!(matches!(
        record(&first, "four").await,
        CreateOutcome::Created(_)
    ));
}
