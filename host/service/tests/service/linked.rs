//! `instances` and `networks`: what operators record, and who sees it.

use berth_service::{Code, ServiceError, Settings, instances, networks};
use serde_json::{Value, json};

use crate::harness::{Choices, Tenant, World, input, json_of, lay_over, told};

/// Calls a method of `instances` or `networks` as somebody, and answers as the API does.
macro_rules! call {
    ($world:expr, $caller:expr, $module:ident :: $method:ident, $body:expr) => {
        $module::$method::handle(&$world.service, $caller, input($body))
            .await
            .map(json_of)
    };
}

fn machine(world: &World, tenant: &Tenant, object: &str) -> Value {
    json!({"tenantId": tenant.id, "accountId": world.account, "providerId": object, "region": "nyc3"})
}

fn with(mut body: Value, more: Value) -> Value {
    lay_over(&mut body, more);
    body
}

async fn sync(world: &World, tenant: &Tenant, objects: &[&str]) -> Result<Value, ServiceError> {
    let items: Vec<Value> = objects
        .iter()
        .map(|object| json!({"providerId": object, "region": "nyc3"}))
        .collect();
    let body = json!({"tenantId": tenant.id, "accountId": world.account, "instances": items});
    call!(world, &world.root, instances::sync, body)
}

fn ids(items: &Value) -> Vec<String> {
    let items = items.as_array().unwrap().iter();
    items
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_instance_is_recorded_seen_by_its_tenant_and_gone() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let body = with(machine(&world, &acme, "42"), json!({"title": "web 1"}));
    let made = call!(world, &world.root, instances::put, body.clone()).unwrap();
    let id = made["id"].as_str().unwrap();
    assert!(id.starts_with("ins_") && id.len() == 30, "{id}");
    let (created, updated) = (&made["createdAt"], &made["updatedAt"]);
    assert_eq!(
        made,
        json!({"id": id, "tenantId": "acme", "accountId": world.account, "title": "web 1",
        "providerId": "42", "region": "nyc3", "state": "live", "createdAt": created, "updatedAt": updated})
    );
    // The same object is the same instance, and what is left out stays.
    let again = call!(
        world,
        &world.root,
        instances::put,
        machine(&world, &acme, "42")
    );
    assert_eq!(again.unwrap(), made);
    let about = json!({"tenantId": "acme", "instanceId": id});
    assert_eq!(
        call!(world, &acme.admin, instances::get, about.clone()).unwrap(),
        made
    );
    let all = json!({"tenantId": "acme"});
    let listed = call!(world, &acme.admin, instances::list, all.clone()).unwrap();
    assert_eq!(listed["items"], json!([made]));

    let gone = call!(world, &world.root, instances::delete, about.clone()).unwrap();
    assert_eq!(gone["state"], "gone");
    assert_eq!(
        call!(world, &world.root, instances::delete, about.clone()).unwrap(),
        gone
    );
    assert_eq!(
        call!(world, &acme.admin, instances::get, about).unwrap(),
        gone
    );
    let listed = call!(world, &acme.admin, instances::list, all.clone()).unwrap();
    assert_eq!(listed["items"], json!([]));
    let listed = call!(
        world,
        &acme.admin,
        instances::list,
        with(all, json!({"includeGone": true}))
    );
    assert_eq!(listed.unwrap()["items"], json!([gone]));
}

#[tokio::test]
async fn a_network_has_a_vpc_in_each_of_its_regions() {
    let world = World::new().await;
    let acme = world.tenant("acme").await;
    let body = json!({"tenantId": "acme", "accountId": world.account, "vpcs": {"nyc3": "v-1"}});
    let made = call!(world, &world.root, networks::put, body).unwrap();
    let id = made["id"].as_str().unwrap();
    assert!(id.starts_with("net_"), "{id}");
    let body = json!({"tenantId": "acme", "accountId": world.account, "networkId": id,
        "vpcs": {"nyc3": "v-1", "ams3": "v-2"}});
    let grown = call!(world, &world.root, networks::put, body).unwrap();
    assert_eq!(
        (&grown["id"], &grown["vpcs"]),
        (&json!(id), &json!({"ams3": "v-2", "nyc3": "v-1"}))
    );
    assert_eq!(
        call!(
            world,
            &acme.admin,
            networks::get,
            json!({"tenantId": "acme", "networkId": id})
        )
        .unwrap(),
        grown
    );
    let set = json!({"tenantId": "acme", "accountId": world.account, "networks": [{"vpcs": {"nyc3": "v-9"}}]});
    let synced = call!(world, &world.root, networks::sync, set).unwrap();
    assert_eq!(ids(&synced["gone"]), [id]);
    let listed = call!(
        world,
        &acme.admin,
        networks::list,
        json!({"tenantId": "acme"})
    )
    .unwrap();
    assert_eq!(listed["items"], synced["items"]);
    let fresh = ids(&synced["items"]).remove(0);
    let about = json!({"tenantId": "acme", "networkId": fresh});
    assert_eq!(
        call!(world, &world.root, networks::delete, about).unwrap()["state"],
        "gone"
    );
}

#[tokio::test]
async fn a_sync_tells_all_there_are_and_the_rest_is_gone() {
    let world = World::new().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let theirs = sync(&world, &other, &["z"]).await.unwrap();
    let first = sync(&world, &acme, &["a", "b"]).await.unwrap();
    assert_eq!(first["gone"], json!([]));
    let second = sync(&world, &acme, &["b", "c"]).await.unwrap();
    let (first, now) = (ids(&first["items"]), ids(&second["items"]));
    assert_eq!(now[0], first[1], "what stays keeps its id");
    assert_eq!(ids(&second["gone"]), first[..1]);
    let (audited, detail) = world.last_audit().await;
    assert_eq!(audited, "compute:instances:write Done");
    assert_eq!(
        (&detail["recorded"], &detail["changed"], &detail["gone"]),
        (&json!(2), &json!(1), &json!(1))
    );
    let back = sync(&world, &acme, &["a"]).await.unwrap();
    assert_eq!(
        ids(&back["items"]),
        first[..1],
        "what comes back is what it was"
    );
    assert_eq!(sync(&world, &acme, &[]).await.unwrap()["items"], json!([]));
    let listed = call!(
        world,
        &other.admin,
        instances::list,
        json!({"tenantId": "other"})
    )
    .unwrap();
    assert_eq!(
        listed["items"], theirs["items"],
        "another tenant's set is its own"
    );
}

#[tokio::test]
async fn what_is_anothers_is_a_conflict_that_names_it_and_nothing_is_recorded() {
    let world = World::new().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let theirs = call!(
        world,
        &world.root,
        instances::put,
        machine(&world, &other, "z")
    )
    .unwrap();
    let refusal = sync(&world, &acme, &["a", "z"]).await.unwrap_err();
    assert_eq!(
        (refusal.code, &refusal.details["reason"]),
        (Code::Conflict, &json!("object"))
    );
    assert_eq!(
        (&refusal.details["holderId"], &refusal.details["field"]),
        (&theirs["id"], &json!("instances.1"))
    );
    let body = with(
        machine(&world, &acme, "y"),
        json!({"instanceId": theirs["id"]}),
    );
    let refused = told(call!(world, &world.root, instances::put, body));
    assert_eq!((refused.0, refused.1.as_str()), (Code::Conflict, "id"));
    let refused = told(sync(&world, &acme, &["a", "a"]).await);
    assert_eq!(
        refused,
        (Code::InvalidInput, "twice".into(), "instances.1".into())
    );
    let listed = call!(
        world,
        &acme.admin,
        instances::list,
        json!({"tenantId": "acme", "includeGone": true})
    );
    assert_eq!(listed.unwrap()["items"], json!([]));
}

/// The account is the platform's or the tenant's own; regions are those that it configures.
#[tokio::test]
async fn accounts_regions_and_sizes_are_checked() {
    let settings = Settings {
        max_synced: 2,
        ..Settings::default()
    };
    let world = World::with(Choices {
        settings,
        ..Choices::default()
    })
    .await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let own = world.account_of("acme", json!({})).await;
    let on = |tenant: &Tenant, account: &Value| {
        with(machine(&world, tenant, "a"), json!({"accountId": account}))
    };
    assert!(call!(world, &world.root, instances::put, on(&acme, &json!(own))).is_ok());
    let foreign = told(call!(
        world,
        &world.root,
        instances::put,
        on(&other, &json!(own))
    ));
    assert_eq!(
        (foreign.0, foreign.2.as_str()),
        (Code::NotFound, "accountId")
    );
    let nowhere = with(machine(&world, &acme, "a"), json!({"region": "mars1"}));
    let refused = told(call!(world, &world.root, instances::put, nowhere));
    assert_eq!(
        (refused.0, refused.2.as_str()),
        (Code::InvalidInput, "region")
    );
    let refusal = sync(&world, &acme, &["a", "b", "c"]).await.unwrap_err();
    assert!(
        refusal.message.contains("service.maxSynced"),
        "{}",
        refusal.message
    );
    let empty = json!({"tenantId": "acme", "accountId": world.account, "vpcs": {}});
    let refused = told(call!(world, &world.root, networks::put, empty));
    assert_eq!(
        (refused.0, refused.2.as_str()),
        (Code::InvalidInput, "vpcs")
    );
    for object in ["", "two words", &"x".repeat(201)] {
        let body = machine(&world, &acme, object);
        assert!(
            serde_json::from_value::<instances::put::Input>(body).is_err(),
            "{object}"
        );
    }
}

#[tokio::test]
async fn only_operators_record_and_a_tenant_sees_its_own() {
    let world = World::new().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let made = call!(
        world,
        &world.root,
        instances::put,
        machine(&world, &acme, "a")
    )
    .unwrap();
    let refused = told(call!(
        world,
        &acme.admin,
        instances::put,
        machine(&world, &acme, "b")
    ));
    assert_eq!(refused.0, Code::AccessDenied);
    let about = |tenant: &Tenant| json!({"tenantId": tenant.id, "instanceId": made["id"]});
    let refused = told(call!(world, &acme.admin, instances::delete, about(&acme)));
    assert_eq!(refused.0, Code::AccessDenied);
    let foreign = told(call!(world, &other.admin, instances::get, about(&other)));
    assert_eq!(foreign.0, Code::NotFound);
    let foreign = told(call!(world, &world.root, instances::delete, about(&other)));
    assert_eq!(foreign.0, Code::NotFound);
    assert_eq!(
        call!(world, &acme.admin, instances::get, about(&acme)).unwrap()["state"],
        "live"
    );
}
