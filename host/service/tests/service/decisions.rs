//! Who may do what: every method refuses, and attributes narrow.

use berth_service::{Code, cloud_resources, policies, principals, projects};
use serde_json::{Value, json};

use crate::harness::{World, allow, allow_if, deny, input, told};

/// rule: CR-030, CR-035, CR-036
#[tokio::test]
async fn the_owner_may_without_a_policy_unless_one_denies() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let creator = world
        .caller("acme", &[allow(&["compute:cloud-resources:create"])])
        .await;
    let made = world
        .create(&creator, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    assert!(world.get(&creator, &tenant.id, &made.id).await.is_ok());
    assert!(
        world
            .update(
                &creator,
                &tenant.id,
                &made.id,
                json!({"description": "mine"})
            )
            .await
            .is_ok()
    );
    assert_eq!(
        told(world.names(&creator, &tenant.id, json!({})).await).0,
        Code::AccessDenied,
        "a list is the tenant's"
    );

    let put = json!({"tenantId": "acme", "title": "no", "document": deny(&["compute:cloud-resources:update"])});
    let no = policies::put::handle(&world.service, &tenant.admin, input(put))
        .await
        .unwrap();
    let attach = json!({"tenantId": "acme", "principalId": creator.principal.id,
        "policies": [creator.principal.policies[0], no.id]});
    principals::update::handle(&world.service, &tenant.admin, input(attach))
        .await
        .unwrap();
    let refusal = world
        .update(&creator, &tenant.id, &made.id, json!({"description": "x"}))
        .await
        .unwrap_err();
    assert_eq!(refusal.code, Code::AccessDenied);
    assert!(
        refusal.message.contains(no.id.as_str()),
        "{}",
        refusal.message
    );
    assert!(world.delete(&creator, &tenant.id, &made.id).await.is_ok());
}

/// rule: CR-038
#[tokio::test]
async fn the_owners_right_ends_with_the_resource_and_readers_of_the_tenant_go_on() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let creator = world
        .caller("acme", &[allow(&["compute:cloud-resources:create"])])
        .await;
    let reader = world
        .caller(
            "acme",
            &[allow_if(
                &["compute:cloud-resources:read"],
                json!({"StringEquals": {"resource.family": "platform"}}),
            )],
        )
        .await;
    let made = world
        .create(&creator, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    world.as_if_deleted(&made.id).await;
    assert_eq!(
        told(world.get(&creator, &tenant.id, &made.id).await).0,
        Code::AccessDenied
    );
    assert!(world.get(&reader, &tenant.id, &made.id).await.is_ok());
}

/// rule: CR-037, CR-162
#[tokio::test]
async fn foreign_and_missing_ids_answer_alike() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    let foreign = world
        .create(&other.admin, &world.app(&other.id, "main"))
        .await
        .unwrap()
        .id;
    let missing = "crs_00000000000000000000000000".parse().unwrap();
    let nobody = world.caller("acme", &[]).await;
    let narrow = world
        .caller(
            "acme",
            &[allow_if(
                &["compute:cloud-resources:*"],
                json!({"StringEquals": {"resource.kind": "do.app"}}),
            )],
        )
        .await;
    for (caller, code) in [
        (&tenant.admin, Code::NotFound),
        (&nobody, Code::AccessDenied),
        (&narrow, Code::AccessDenied),
    ] {
        let mut answers = Vec::new();
        for id in [&foreign, &missing] {
            let mut refusals = vec![
                world.get(caller, &tenant.id, id).await.unwrap_err(),
                world
                    .update(caller, &tenant.id, id, json!({"description": "x"}))
                    .await
                    .unwrap_err(),
                world.delete(caller, &tenant.id, id).await.unwrap_err(),
            ];
            for refusal in &mut refusals {
                assert_eq!(refusal.code, code);
                refusal.message = refusal.message.replace(id.as_str(), "<id>");
            }
            answers.push(refusals);
        }
        assert_eq!(answers[0], answers[1]);
    }
}

/// rule: CR-032, CR-033, CR-034
#[tokio::test]
async fn each_attribute_narrows_each_action() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let project = json!({"tenantId": "acme", "title": "p"});
    let project = projects::create::handle(&world.service, &tenant.admin, input(project))
        .await
        .unwrap();
    let mut database = world.pg(&tenant.id, "db");
    database["projectId"] = json!(project.id);
    let app = world.app(&tenant.id, "app");
    let attributes = [
        ("kind", json!("do.database.pg")),
        ("family", json!("data")),
        ("region", json!("nyc3")),
        ("projectId", json!(project.id)),
    ];
    for (attribute, value) in attributes {
        let key = format!("resource.{attribute}");
        let actions = ["compute:cloud-resources:*"];
        let caller = world
            .caller(
                "acme",
                &[allow_if(&actions, json!({"StringEquals": {key: value}}))],
            )
            .await;
        let mut inside = database.clone();
        inside["name"] = json!(format!("db-{}", attribute.to_lowercase()));
        let inside = world.create(&caller, &inside).await.unwrap();
        let (code, _, _) = told(world.create(&caller, &app).await);
        assert_eq!(code, Code::AccessDenied, "{attribute}");
        // Another's resource, so that no owner's right hides what the policy says.
        let mut outside = world.app(&tenant.id, &format!("app-{}", attribute.to_lowercase()));
        outside["idempotencyKey"] = json!(attribute);
        let outside = world.create(&tenant.admin, &outside).await.unwrap();
        let mut theirs = database.clone();
        theirs["name"] = json!(format!("their-{}", attribute.to_lowercase()));
        theirs["idempotencyKey"] = json!(format!("their-{attribute}"));
        let theirs = world.create(&tenant.admin, &theirs).await.unwrap();
        for (id, may) in [(&inside.id, true), (&theirs.id, true), (&outside.id, false)] {
            assert_eq!(
                world.get(&caller, &tenant.id, id).await.is_ok(),
                may,
                "{attribute} get"
            );
            let change = json!({"description": "x"});
            assert_eq!(
                world.update(&caller, &tenant.id, id, change).await.is_ok(),
                may,
                "{attribute} update"
            );
            assert_eq!(
                world.delete(&caller, &tenant.id, id).await.is_ok(),
                may,
                "{attribute} delete"
            );
        }
    }
}

/// rule: CR-032
#[tokio::test]
async fn provider_account_and_pool_narrow_as_well() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let account = world.account_of("acme", json!({})).await;
    let own = world.pool_on("acme", &account).await;
    for (attribute, value) in [
        ("resource.providerAccountId", json!(account)),
        ("resource.poolId", json!(own)),
        ("resource.provider", json!("do")),
    ] {
        let caller = world
            .caller(
                "acme",
                &[allow_if(
                    &["compute:cloud-resources:create"],
                    json!({"StringEquals": {attribute: value}}),
                )],
            )
            .await;
        let name = attribute.replace("resource.", "").to_lowercase();
        let mut inside = world.app(&tenant.id, &format!("in-{name}"));
        inside["poolId"] = json!(own);
        assert!(world.create(&caller, &inside).await.is_ok(), "{attribute}");
        let outside = world
            .create(&caller, &world.app(&tenant.id, &format!("out-{name}")))
            .await;
        assert_eq!(
            outside.is_ok(),
            attribute == "resource.provider",
            "{attribute}"
        );
    }
    let other = json!({"StringEquals": {"resource.provider": "aws"}});
    let other = world
        .caller(
            "acme",
            &[allow_if(&["compute:cloud-resources:create"], other)],
        )
        .await;
    assert_eq!(
        told(world.create(&other, &world.app(&tenant.id, "aws")).await).0,
        Code::AccessDenied
    );
}

/// rule: CR-138
#[tokio::test]
async fn who_may_not_create_learns_of_no_name_quota_parent_or_spec() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let nobody = world.caller("acme", &[]).await;
    let mut parent = world.user(
        &tenant.id,
        &"crs_00000000000000000000000000".parse().unwrap(),
        "u",
    );
    parent["spec"] = json!({"wrong": true});
    let mut spec = world.app(&tenant.id, "other");
    spec["spec"] = json!({"wrong": true});
    for body in [world.app(&tenant.id, "main"), parent, spec] {
        assert_eq!(
            told(world.create(&nobody, &body).await).0,
            Code::AccessDenied
        );
    }
}

/// rule: CR-031
#[tokio::test]
async fn kinds_and_list_are_decided_on_the_tenant() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let on_tenant = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow",
        "Action": "compute:cloud-resources:read", "Resource": "compute-tenant/acme"}]});
    let caller = world.caller("acme", &[on_tenant]).await;
    world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let kinds = json!({"tenantId": "acme", "poolId": world.pool});
    assert!(
        cloud_resources::kinds::handle(&world.service, &caller, input(kinds))
            .await
            .is_ok()
    );
    assert!(
        world
            .names(&caller, &tenant.id, json!({}))
            .await
            .unwrap()
            .is_empty(),
        "each item is decided too"
    );
}

/// An operator acts in every tenant, as far as its own policies say.
#[tokio::test]
async fn an_operator_acts_in_tenants_as_far_as_its_policies_go() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    assert!(world.get(&world.root, &tenant.id, &made.id).await.is_ok());
    let reader = world
        .caller("root", &[allow(&["compute:cloud-resources:read"])])
        .await;
    assert!(world.get(&reader, &tenant.id, &made.id).await.is_ok());
    assert_eq!(
        told(world.delete(&reader, &tenant.id, &made.id).await).0,
        Code::AccessDenied
    );
}

/// A change of groups or policies holds from the next decision on.
#[tokio::test]
async fn a_written_policy_holds_at_once() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let grouped = json!({"StringEquals": {"principal.groups": "database-team"}});
    let put = |document: Value| json!({"tenantId": "acme", "title": "t", "document": document});
    let document = allow_if(
        &["compute:cloud-resources:read"],
        json!({"ForAnyValue:StringEquals": grouped["StringEquals"]}),
    );
    let caller = world.member("acme", &[document], &["database-team"]).await;
    assert!(world.names(&caller, &tenant.id, json!({})).await.is_ok());
    let mut narrowed = put(deny(&["compute:cloud-resources:read"]));
    narrowed["policyId"] = json!(caller.principal.policies[0]);
    policies::put::handle(&world.service, &tenant.admin, input(narrowed))
        .await
        .unwrap();
    assert_eq!(
        told(world.names(&caller, &tenant.id, json!({})).await).0,
        Code::AccessDenied
    );
}
