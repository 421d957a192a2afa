use berth_domain::secret::SecretName;
use berth_vault::{Context, Sealed};
use serde_json::json;

use crate::cloud::Cloud;
use crate::harness::World;
use crate::host::{Host, until, until_cloud, until_state};

/// The sealed password of a resource, opened, and its version.
async fn password(
    world: &World,
    tenant: &berth_domain::id::TenantId,
    id: &berth_domain::id::ResourceId,
) -> Option<(String, u64)> {
    let name = SecretName::of_output(id, "password");
    let stored = world.service.store().secret(tenant, &name).await.unwrap()?;
    let place = Context {
        tenant: tenant.as_str(),
        name: name.as_str(),
        version: stored.info.version,
    };
    let sealed = Sealed::from_bytes(&stored.sealed).unwrap();
    let opened = world
        .service
        .vault()
        .unwrap()
        .open(&place, &sealed)
        .unwrap();
    Some((
        opened.expose_text().unwrap().to_owned(),
        stored.info.version,
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resource_is_created_sealed_changed_and_deleted() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let host = Host::start(&world, &cloud);
    let id = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;

    let row = until_state(&world, &id, "ready").await;
    assert_eq!(row.provider_id.as_deref(), Some("object-1"));
    assert_eq!(row.outputs["host"], "object-1.example.com");
    assert_eq!(
        password(&world, &acme.id, &id).await,
        Some(("canary-1".to_owned(), 1))
    );
    let view =
        serde_json::to_string(&world.get(&acme.admin, &acme.id, &id).await.unwrap()).unwrap();
    assert!(
        view.contains("secret://acme/") && !view.contains("canary"),
        "{view}"
    );

    let change = json!({"spec": {"num_nodes": 2}});
    assert_eq!(
        world
            .update(&acme.admin, &acme.id, &id, change)
            .await
            .unwrap()
            .state
            .as_str(),
        "updating"
    );
    until_state(&world, &id, "ready").await;
    assert_eq!(cloud.count("update do.database.pg object-1 num_nodes"), 1);

    world.delete(&acme.admin, &acme.id, &id).await.unwrap();
    until_state(&world, &id, "deleted").await;
    assert_eq!(cloud.objects(), 0);
    assert_eq!(password(&world, &acme.id, &id).await, None);
    assert_eq!(
        world.events(&acme.id, &id).await,
        [
            "created", "ready", "updating", "updated", "deleting", "deleted"
        ]
        .map(|event| format!("cloud.resource.{event}"))
    );
    let audit = world
        .service
        .store()
        .list_audit(Some(&acme.id), 100)
        .await
        .unwrap();
    for action in ["reconcile:create", "reconcile:update", "reconcile:delete"] {
        let is_written = |row: &berth_domain::audit::AuditRow| {
            row.action == action && row.resource.ends_with(id.as_str())
        };
        assert_eq!(
            audit.iter().filter(|row| is_written(row)).count(),
            1,
            "{action}"
        );
    }
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_sealed_anew_only_when_it_changed_and_never_by_nothing() {
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
    let looks = |count: usize| {
        let before = cloud.count("observe");
        move |cloud: &Cloud| cloud.count("observe") >= before + count
    };
    until_cloud(&cloud, looks(2)).await;
    assert_eq!(
        password(&world, &acme.id, &id).await,
        Some(("canary-1".to_owned(), 1))
    );

    cloud.with(|state| state.objects.get_mut("object-1").unwrap().password = "rotated".to_owned());
    until_cloud(&cloud, looks(2)).await;
    assert_eq!(
        password(&world, &acme.id, &id).await,
        Some(("rotated".to_owned(), 2))
    );

    cloud.with(|state| state.objects.get_mut("object-1").unwrap().password = String::new());
    until_cloud(&cloud, looks(2)).await;
    assert_eq!(
        password(&world, &acme.id, &id).await,
        Some(("rotated".to_owned(), 2))
    );
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn children_wait_for_their_parent_and_go_before_it() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let host = Host::start(&world, &cloud);
    let pg = world
        .create(&acme.admin, &world.pg(&acme.id, "main"))
        .await
        .unwrap()
        .id;
    let user = world
        .create(&acme.admin, &world.user(&acme.id, &pg, "app"))
        .await
        .unwrap()
        .id;
    until_state(&world, &user, "ready").await;
    cloud.with(|state| {
        let creates: Vec<&String> = state
            .calls
            .iter()
            .filter(|call| call.starts_with("create"))
            .collect();
        assert_eq!(
            creates,
            ["create do.database.pg -", "create do.database.user -"]
        );
    });
    world.delete(&acme.admin, &acme.id, &pg).await.unwrap();
    until_state(&world, &pg, "deleted").await;
    assert_eq!(world.row(&user).await.state.as_str(), "deleted");
    cloud.with(|state| {
        let deletes: Vec<&String> = state
            .calls
            .iter()
            .filter(|call| call.starts_with("delete"))
            .collect();
        assert_eq!(
            deletes,
            [
                "delete do.database.user object-2",
                "delete do.database.pg object-1"
            ]
        );
    });
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_longer_labelled_is_not_deleted() {
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
    cloud.with(|state| state.objects.get_mut("object-1").unwrap().labels.clear());
    world.delete(&acme.admin, &acme.id, &id).await.unwrap();
    let row = until_state(&world, &id, "error").await;
    assert!(row.message.unwrap().text.starts_with("nothing was deleted"));
    assert_eq!((cloud.count("delete"), cloud.objects()), (0, 1));
    host.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_object_that_another_row_has_is_not_shared() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let cloud = Cloud::new(world.service.store().clone());
    let host = Host::start(&world, &cloud);
    let first = world
        .create(&acme.admin, &world.pg(&acme.id, "first"))
        .await
        .unwrap()
        .id;
    until_state(&world, &first, "ready").await;
    cloud.fate(crate::cloud::Fate::Named("object-1"));
    let second = world
        .create(&acme.admin, &world.pg(&acme.id, "second"))
        .await
        .unwrap()
        .id;
    let row = until_state(&world, &second, "error").await;
    assert_eq!(row.provider_id, None);
    assert!(row.message.unwrap().text.contains(first.as_str()));
    until(&world, &first, |row| {
        row.provider_id.as_deref() == Some("object-1")
    })
    .await;
    host.stop().await;
}
