//! What `create` records, and what it refuses.

use berth_domain::resource::State;
use berth_service::{Code, Settings};
use serde_json::json;

use crate::harness::{Choices, World, input, json_of, told};

/// rule: CR-089, CR-095
#[tokio::test]
async fn a_new_resource_is_pending_owned_by_its_caller_and_announced_once() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.pg(&tenant.id, "main"))
        .await
        .unwrap();
    assert_eq!(
        (made.state, made.version, made.adopted, made.releasing),
        (State::Pending, 1, false, false)
    );
    assert_eq!(made.owner_id.as_ref(), Some(&tenant.admin.principal.id));
    assert_eq!(made.region.as_deref(), Some("nyc3"));
    let shown = json_of(&made);
    for absent in [
        "providerId",
        "readyAt",
        "deletedAt",
        "message",
        "parentId",
        "projectId",
        "drift",
    ] {
        assert!(shown.get(absent).is_none(), "{absent} is shown");
    }
    assert_eq!(
        world.events(&tenant.id, &made.id).await,
        ["cloud.resource.created"]
    );
    assert_eq!(
        world.last_audit().await.0,
        "compute:cloud-resources:create Done"
    );
}

/// rule: CR-002, CR-003, CR-004
#[tokio::test]
async fn an_offered_pool_and_an_own_pool_both_serve_and_each_on_its_account() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let offered = world
        .create(&tenant.admin, &world.pg(&tenant.id, "offered"))
        .await
        .unwrap();
    assert_eq!(world.row(&offered.id).await.account, world.account);
    let account = world.account_of("acme", json!({})).await;
    let pool = world.pool_on("acme", &account).await;
    let mut body = world.pg(&tenant.id, "own");
    body["poolId"] = json!(pool);
    let own = world.create(&tenant.admin, &body).await.unwrap();
    assert_eq!(world.row(&own.id).await.account, account);
}

/// rule: CR-063, CR-098
#[tokio::test]
async fn a_pool_that_is_missing_foreign_or_not_offered_is_not_found() {
    let world = World::new().await;
    let tenant = world.bare_tenant("acme").await;
    let other = world.bare_tenant("other").await;
    let account = world.account_of("other", json!({})).await;
    let foreign = world.pool_on("other", &account).await;
    let missing = "pool_00000000000000000000000000".parse().unwrap();
    for pool in [&world.pool, &foreign, &missing] {
        let mut body = world.pg(&tenant.id, "main");
        body["poolId"] = json!(pool);
        assert_eq!(
            told(world.create(&tenant.admin, &body).await).0,
            Code::NotFound
        );
        let kinds = json!({"tenantId": tenant.id, "poolId": pool});
        let kinds = berth_service::cloud_resources::kinds::handle(
            &world.service,
            &tenant.admin,
            input(kinds),
        )
        .await;
        assert_eq!(told(kinds).0, Code::NotFound);
    }
    assert!(
        world
            .names(&other.admin, &other.id, json!({}))
            .await
            .unwrap()
            .is_empty()
    );
}

/// rule: CR-061, CR-062, CR-099, CR-100
#[tokio::test]
async fn a_pool_or_provider_that_does_not_serve_the_kind_is_unsupported() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let machines = json!({"tenantId": "acme", "title": "metal", "type": "machines"});
    let machines =
        berth_service::pools::create::handle(&world.service, &tenant.admin, input(machines))
            .await
            .unwrap();
    let account = world
        .account_of("acme", json!({"provider": "nobody"}))
        .await;
    let unserved = world.pool_on("acme", &account).await;
    for (pool, kind) in [
        (&machines.id, "do.database.pg"),
        (&unserved, "nobody.db"),
        (&world.pool, "do.unheard.of"),
    ] {
        let mut body = world.pg(&tenant.id, "main");
        body["poolId"] = json!(pool);
        body["kind"] = json!(kind);
        assert_eq!(
            told(world.create(&tenant.admin, &body).await).0,
            Code::Unsupported,
            "{kind}"
        );
    }
    for pool in [&machines.id, &unserved] {
        let kinds = json!({"tenantId": tenant.id, "poolId": pool});
        let kinds = berth_service::cloud_resources::kinds::handle(
            &world.service,
            &tenant.admin,
            input(kinds),
        )
        .await;
        assert_eq!(told(kinds).0, Code::Unsupported);
    }
}

/// rule: CR-102
#[tokio::test]
async fn a_kind_with_secret_outputs_needs_a_secret_store() {
    let world = World::with(Choices {
        no_vault: true,
        ..Choices::default()
    })
    .await;
    let tenant = world.tenant("acme").await;
    let (code, reason, _) = told(
        world
            .create(&tenant.admin, &world.pg(&tenant.id, "main"))
            .await,
    );
    assert_eq!((code, reason.as_str()), (Code::Unsupported, "secretStore"));
    assert!(
        world
            .create(&tenant.admin, &world.app(&tenant.id, "main"))
            .await
            .is_ok()
    );
}

/// rule: CR-127, CR-128, CR-129
#[tokio::test]
async fn a_name_is_the_kinds_and_the_tenants_until_its_resource_is_deleted() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    let first = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let mut second = world.app(&tenant.id, "main");
    second["idempotencyKey"] = json!("another");
    let (code, reason, _) = told(world.create(&tenant.admin, &second).await);
    assert_eq!((code, reason.as_str()), (Code::Conflict, "name"));
    assert!(
        world
            .create(&tenant.admin, &world.pg(&tenant.id, "main"))
            .await
            .is_ok()
    );
    assert!(
        world
            .create(&other.admin, &world.app(&other.id, "main"))
            .await
            .is_ok()
    );
    world.as_if(&first.id, |row| row.state = State::Error).await;
    assert_eq!(
        told(world.create(&tenant.admin, &second).await).0,
        Code::Conflict
    );
    world
        .delete(&tenant.admin, &tenant.id, &first.id)
        .await
        .unwrap();
    assert_eq!(
        told(world.create(&tenant.admin, &second).await).0,
        Code::Conflict
    );
    world.as_if_deleted(&first.id).await;
    assert!(world.create(&tenant.admin, &second).await.is_ok());
}

/// rule: CR-130, CR-131, CR-132
#[tokio::test]
async fn a_full_quota_refuses_with_its_cap_and_a_deleted_resource_makes_room() {
    let settings = Settings {
        max_per_kind: 2,
        ..Settings::default()
    };
    let world = World::with(Choices {
        settings,
        ..Choices::default()
    })
    .await;
    assert_eq!(Settings::default().max_per_kind, 20);
    let tenant = world.tenant("acme").await;
    let first = world
        .create(&tenant.admin, &world.app(&tenant.id, "a"))
        .await
        .unwrap();
    world
        .create(&tenant.admin, &world.app(&tenant.id, "b"))
        .await
        .unwrap();
    let refusal = world
        .create(&tenant.admin, &world.app(&tenant.id, "c"))
        .await
        .unwrap_err();
    assert_eq!(
        (refusal.code, refusal.details.get("limit")),
        (Code::QuotaExceeded, Some(&json!(2)))
    );
    assert!(
        world
            .create(&tenant.admin, &world.pg(&tenant.id, "a"))
            .await
            .is_ok(),
        "another kind has its own"
    );
    world
        .delete(&tenant.admin, &tenant.id, &first.id)
        .await
        .unwrap();
    assert_eq!(
        told(
            world
                .create(&tenant.admin, &world.app(&tenant.id, "c"))
                .await
        )
        .0,
        Code::QuotaExceeded
    );
    world.as_if_deleted(&first.id).await;
    assert!(
        world
            .create(&tenant.admin, &world.app(&tenant.id, "c"))
            .await
            .is_ok()
    );
    let more = json!({"tenantId": "acme", "quotas": {"do.app": 3}});
    berth_service::tenants::update::handle(&world.service, &world.root, input(more))
        .await
        .unwrap();
    assert!(
        world
            .create(&tenant.admin, &world.app(&tenant.id, "d"))
            .await
            .is_ok()
    );
}

/// rule: CR-133
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_last_place_of_a_quota_is_taken_once() {
    let settings = Settings {
        max_per_kind: 3,
        ..Settings::default()
    };
    let world = World::with(Choices {
        settings,
        ..Choices::default()
    })
    .await;
    let tenant = world.tenant("acme").await;
    let calls = (0..12).map(|n| {
        let body = world.app(&tenant.id, &format!("app-{n}"));
        let (world, admin) = (&world, &tenant.admin);
        async move { world.create(admin, &body).await }
    });
    let results = futures_util::future::join_all(calls).await;
    assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 3);
    assert!(
        results
            .iter()
            .filter_map(|result| result.as_ref().err())
            .all(|error| error.code == Code::QuotaExceeded)
    );
}

/// rule: CR-042
#[tokio::test]
async fn a_project_must_be_the_tenants_own() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    let project = |tenant: &str| input(json!({"tenantId": tenant, "title": "a project"}));
    let own =
        berth_service::projects::create::handle(&world.service, &tenant.admin, project("acme"))
            .await
            .unwrap();
    let foreign =
        berth_service::projects::create::handle(&world.service, &other.admin, project("other"))
            .await
            .unwrap();
    let mut body = world.app(&tenant.id, "main");
    for wrong in [
        foreign.id.to_string(),
        "prj_00000000000000000000000000".to_owned(),
    ] {
        body["projectId"] = json!(wrong);
        let (code, _, field) = told(world.create(&tenant.admin, &body).await);
        assert_eq!((code, field.as_str()), (Code::InvalidInput, "projectId"));
    }
    body["projectId"] = json!(own.id);
    assert_eq!(
        world.create(&tenant.admin, &body).await.unwrap().project_id,
        Some(own.id)
    );
    body["projectId"] = json!("prj_short");
    assert!(serde_json::from_value::<berth_service::cloud_resources::create::Input>(body).is_err());
}
