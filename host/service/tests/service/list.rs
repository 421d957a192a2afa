//! Lists.

use berth_service::Code;
use berth_service::cloud_resources::list;
use serde_json::{Value, json};

use crate::harness::{World, allow, allow_if, input, json_of, told};

/// rule: CR-145, CR-146, CR-147, CR-148, CR-149, CR-150
#[tokio::test]
async fn each_field_narrows_and_together_they_all_hold() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    world
        .create(&other.admin, &world.app(&other.id, "theirs"))
        .await
        .unwrap();
    let project = json!({"tenantId": "acme", "title": "p"});
    let project =
        berth_service::projects::create::handle(&world.service, &tenant.admin, input(project))
            .await
            .unwrap();
    let account = world.account_of("acme", json!({})).await;
    let pool = world.pool_on("acme", &account).await;
    let mut second = world.pg(&tenant.id, "second");
    second["projectId"] = json!(project.id);
    let mut third = world.pg(&tenant.id, "third");
    third["poolId"] = json!(pool);
    for body in [world.app(&tenant.id, "first"), second, third] {
        world.create(&tenant.admin, &body).await.unwrap();
    }
    let cases: [(Value, &[&str]); 7] = [
        (json!({}), &["first", "second", "third"]),
        (json!({"kind": "do.database.pg"}), &["second", "third"]),
        (json!({"family": "platform"}), &["first"]),
        (json!({"poolId": pool}), &["third"]),
        (json!({"projectId": project.id}), &["second"]),
        (json!({"family": "data", "poolId": world.pool}), &["second"]),
        (json!({"family": "platform", "poolId": pool}), &[]),
    ];
    for (fields, names) in cases {
        assert_eq!(
            world
                .names(&tenant.admin, &tenant.id, fields.clone())
                .await
                .unwrap(),
            names,
            "{fields}"
        );
    }
}

/// rule: CR-151
#[tokio::test]
async fn deleted_resources_are_shown_when_asked_for() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let gone = world
        .create(&tenant.admin, &world.app(&tenant.id, "gone"))
        .await
        .unwrap();
    world
        .create(&tenant.admin, &world.app(&tenant.id, "here"))
        .await
        .unwrap();
    world.as_if_deleted(&gone.id).await;
    assert_eq!(
        world
            .names(&tenant.admin, &tenant.id, json!({}))
            .await
            .unwrap(),
        ["here"]
    );
    let all = world
        .names(&tenant.admin, &tenant.id, json!({"includeDeleted": true}))
        .await
        .unwrap();
    assert_eq!(all, ["gone", "here"]);
}

/// rule: CR-154, CR-155, CR-157
#[tokio::test]
async fn what_may_not_be_read_is_dropped_before_the_cap_and_the_cursor_goes_on() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let raise = json!({"tenantId": "acme", "quotas": {"do.app": 2000, "do.database.pg": 2000}});
    berth_service::tenants::update::handle(&world.service, &world.root, input(raise))
        .await
        .unwrap();
    for n in 0..502 {
        world
            .create(&tenant.admin, &world.app(&tenant.id, &format!("app-{n}")))
            .await
            .unwrap();
        if n % 100 == 0 {
            world
                .create(&tenant.admin, &world.pg(&tenant.id, &format!("db-{n}")))
                .await
                .unwrap();
        }
    }
    let on_tenant = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
        "Action": "compute:cloud-resources:read", "Resource": "compute-tenant/acme"}]});
    let apps = allow_if(
        &["compute:cloud-resources:read"],
        json!({"StringEquals": {"resource.family": "platform"}}),
    );
    let reader = world.caller("acme", &[on_tenant, apps]).await;
    let page = |cursor: Option<Value>| {
        let mut body = json!({"tenantId": "acme"});
        if let Some(cursor) = cursor {
            body["cursor"] = cursor;
        }
        input::<list::Input>(body)
    };
    let first = json_of(
        list::handle(&world.service, &reader, page(None))
            .await
            .unwrap(),
    );
    let second = page(Some(first["nextCursor"].clone()));
    let second = json_of(list::handle(&world.service, &reader, second).await.unwrap());
    let count = |answer: &Value| answer["items"].as_array().unwrap().len();
    assert_eq!((count(&first), count(&second)), (500, 2));
    assert!(second.get("nextCursor").is_none());
    let names: std::collections::BTreeSet<String> = [&first, &second]
        .iter()
        .flat_map(|answer| answer["items"].as_array().unwrap())
        .map(|item| item["name"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(names.len(), 502);
    assert!(names.iter().all(|name| name.starts_with("app-")));
}

#[tokio::test]
async fn a_cursor_of_something_else_is_refused() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    for cursor in ["x", "1:2", "1:pool_00000000000000000000000000"] {
        let (code, _, field) = told(
            world
                .names(&tenant.admin, &tenant.id, json!({"cursor": cursor}))
                .await,
        );
        assert_eq!((code, field.as_str()), (Code::InvalidInput, "cursor"));
    }
}

/// rule: CR-048, CR-144, CR-153
#[test]
fn the_input_of_a_list_is_strict() {
    let parse = |body: Value| serde_json::from_value::<list::Input>(body);
    assert!(parse(json!({"tenantId": "acme"})).is_ok());
    assert!(
        parse(json!({}))
            .unwrap_err()
            .to_string()
            .contains("tenantId")
    );
    let family = parse(json!({"tenantId": "acme", "family": "databases"}))
        .unwrap_err()
        .to_string();
    for name in [
        "storage",
        "network",
        "edge",
        "data",
        "platform",
        "ai",
        "observability",
    ] {
        assert!(family.contains(&format!("`{name}`")), "{family}");
    }
    for wrong in [json!("yes"), json!(1), json!(null)] {
        assert!(parse(json!({"tenantId": "acme", "includeDeleted": wrong})).is_err());
    }
}

/// Events follow the same rule: what may not be read is not told of.
#[tokio::test]
async fn events_are_read_by_who_may_read_their_resource() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world
        .create(&tenant.admin, &world.app(&tenant.id, "app"))
        .await
        .unwrap();
    let database = world
        .create(&tenant.admin, &world.pg(&tenant.id, "db"))
        .await
        .unwrap();
    let data = allow_if(
        &["compute:cloud-resources:read"],
        json!({"StringEquals": {"resource.family": "data"}}),
    );
    let reader = world
        .caller("acme", &[allow(&["compute:events:read"]), data])
        .await;
    let list = |caller, body: Value| {
        berth_service::events::list::handle(&world.service, caller, input(body))
    };
    let seen = list(&reader, json!({"tenantId": "acme"})).await.unwrap();
    assert_eq!(seen.items.len(), 1);
    assert_eq!(seen.items[0].resource_id, database.id);
    let all = list(&tenant.admin, json!({"tenantId": "acme"}))
        .await
        .unwrap();
    assert_eq!(
        all.items
            .iter()
            .map(|event| event.event.as_str())
            .collect::<Vec<_>>(),
        ["cloud.resource.created"; 2]
    );
    let after = json!({"tenantId": "acme", "cursor": all.items[0].sequence.to_string()});
    assert_eq!(list(&tenant.admin, after).await.unwrap().items.len(), 1);
    let only = json!({"tenantId": "acme", "resourceId": database.id});
    assert_eq!(list(&tenant.admin, only).await.unwrap().items.len(), 1);
}
