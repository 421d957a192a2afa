//! Who may do what.

use berth_e2e::{New, Resource, Tenant, World, everything, names};
use serde_json::{Value, json};

/// Allows an action where a condition holds.
fn allow_where(actions: Value, condition: Value) -> Value {
    json!({
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*", "Condition": condition}],
    })
}

fn allow(actions: Value) -> Value {
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": actions, "Resource": "*"}]})
}

fn deny(actions: Value) -> Value {
    json!({"Version": "2012-10-17", "Statement": [{"Effect": "Deny", "Action": actions, "Resource": "*"}]})
}

/// Each of the six methods, about a resource of the tenant where it is about one.
fn calls(tenant: &Tenant, resource: &Resource) -> [(&'static str, Value); 6] {
    [
        (
            "cloudResources/kinds",
            tenant.input(json!({"poolId": tenant.pool})),
        ),
        ("cloudResources/create", tenant.body(&New::app("new"))),
        ("cloudResources/list", tenant.input(json!({}))),
        ("cloudResources/get", tenant.about(resource.id())),
        (
            "cloudResources/update",
            tenant.input(json!({"resourceId": resource.id(), "description": "x"})),
        ),
        ("cloudResources/delete", tenant.about(resource.id())),
    ]
}

/// rule: CR-064, CR-137, CR-156, CR-163, CR-194, CR-216
#[tokio::test]
async fn each_method_is_refused_without_a_policy() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.create(&New::app("shop")).await;
    let nobody = acme.someone(&[]).await;
    for (method, body) in calls(&nobody, &shop) {
        let refusal = nobody.api.refused(method, &body).await;
        refusal.is("ACCESS_DENIED", "");
        assert!(
            refusal.message.contains("compute:cloud-resources:"),
            "it names the action: {}",
            refusal.message
        );
    }
    assert_eq!(acme.get(shop.id()).await.version(), 1);
    assert_eq!(names(&acme.list().await), ["shop"]);
}

/// rule: CR-030, CR-031, CR-064, CR-137, CR-156, CR-163, CR-194, CR-216
#[tokio::test]
async fn each_method_needs_its_own_action_and_no_other() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.create(&New::app("shop")).await;
    let needs = ["read", "create", "read", "read", "update", "delete"];
    for action in ["read", "create", "update", "delete"] {
        let someone = acme
            .someone(&[allow(json!(format!("compute:cloud-resources:{action}")))])
            .await;
        for ((method, body), needed) in calls(&someone, &shop).into_iter().zip(needs) {
            // The last one to be allowed is the delete, in the last round.
            let result = someone.api.call(method, &body).await;
            match result {
                Ok(_) => assert_eq!(action, needed, "{method} needs {needed}, not {action}"),
                Err(refusal) => {
                    assert_ne!(action, needed, "{method}: {refusal:#?}");
                    refusal.is("ACCESS_DENIED", "");
                }
            }
        }
    }
    // Reading is decided on the tenant for a list and on the resource for one.
    let read = "compute:cloud-resources:read";
    let on = |resource: &str| json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": read, "Resource": resource}]});
    let tenant_only = acme.someone(&[on("compute-tenant/acme")]).await;
    assert_eq!(
        names(&tenant_only.list().await),
        Vec::<String>::new(),
        "items are decided too"
    );
    tenant_only
        .api
        .ok(
            "cloudResources/kinds",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    tenant_only
        .api
        .refused("cloudResources/get", &acme.about(shop.id()))
        .await
        .is("ACCESS_DENIED", "");
    let one_only = acme
        .someone(&[on(&format!("compute-cloud-resource/{}", shop.id()))])
        .await;
    one_only.get(shop.id()).await;
    one_only
        .api
        .refused("cloudResources/list", &acme.input(json!({})))
        .await
        .is("ACCESS_DENIED", "");
}

/// rule: CR-032, CR-033
#[tokio::test]
async fn a_policy_narrows_by_what_a_resource_is_and_where() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let account = world.account_of("root").await;
    let pool = world.pool_on("root", &account).await;
    world.offer(&pool, "acme").await;
    let project = world
        .root
        .ok("projects/create", &acme.input(json!({"title": "web"})))
        .await["id"]
        .clone();
    let plain = acme.create(&New::pg("plain").spec("region", "ams3")).await;
    let wanted = acme
        .on(&pool)
        .create(&New::app("wanted").with("projectId", project.clone()))
        .await;
    for (key, value) in [
        ("resource.kind", json!("do.app")),
        ("resource.providerAccountId", json!(account)),
        ("resource.poolId", json!(pool)),
        ("resource.region", json!("nyc")),
        ("resource.projectId", project.clone()),
        ("resource.family", json!("platform")),
    ] {
        let condition = json!({"StringEquals": {key: value}});
        let someone = acme
            .someone(&[allow_where(json!("compute:cloud-resources:*"), condition)])
            .await;
        someone.get(wanted.id()).await;
        someone
            .api
            .refused("cloudResources/get", &acme.about(plain.id()))
            .await
            .is("ACCESS_DENIED", "");
        someone
            .api
            .refused("cloudResources/delete", &acme.about(plain.id()))
            .await
            .is("ACCESS_DENIED", "");
    }
    let of_provider = |value: &str| {
        allow_where(
            json!("compute:cloud-resources:read"),
            json!({"StringEquals": {"resource.provider": value}}),
        )
    };
    acme.someone(&[of_provider("do")])
        .await
        .get(plain.id())
        .await;
    let someone = acme.someone(&[of_provider("aws")]).await;
    someone
        .api
        .refused("cloudResources/get", &acme.about(plain.id()))
        .await
        .is("ACCESS_DENIED", "");
}

/// rule: CR-034
#[tokio::test]
async fn one_set_of_actions_serves_every_family() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.create(&New::pg("orders")).await;
    let shop = acme.create(&New::app("shop")).await;
    let family = json!({"StringEquals": {"resource.family": "data"}});
    let someone = acme
        .someone(&[
            allow_where(json!("compute:cloud-resources:*"), family),
            json!({"Version": "2012-10-17", "Statement": [
                {"Effect": "Allow", "Action": "compute:cloud-resources:read", "Resource": "compute-tenant/acme"}]}),
        ])
        .await;
    assert_eq!(names(&someone.list().await), ["orders"]);
    someone.create(&New::pg("stock")).await;
    someone
        .refused(&New::app("other"))
        .await
        .is("ACCESS_DENIED", "");
    for method in ["get", "delete"] {
        let method = format!("cloudResources/{method}");
        someone
            .api
            .refused(&method, &acme.about(shop.id()))
            .await
            .is("ACCESS_DENIED", "");
        someone.api.ok(&method, &acme.about(orders.id())).await;
    }
    let body = acme.input(json!({"resourceId": shop.id(), "description": "x"}));
    someone
        .api
        .refused("cloudResources/update", &body)
        .await
        .is("ACCESS_DENIED", "");
}

/// rule: CR-035, CR-036, CR-038
#[tokio::test]
async fn the_owner_may_until_a_deny_or_the_end() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let owner = acme
        .someone(&[allow(json!("compute:cloud-resources:create"))])
        .await;
    let other = acme
        .someone(&[allow(json!("compute:cloud-resources:create"))])
        .await;
    let shop = owner.create(&New::app("shop")).await;
    owner.get(shop.id()).await;
    owner
        .api
        .ok(
            "cloudResources/update",
            &acme.input(json!({"resourceId": shop.id(), "description": "x"})),
        )
        .await;
    other
        .api
        .refused("cloudResources/get", &acme.about(shop.id()))
        .await
        .is("ACCESS_DENIED", "");

    // An explicit deny wins over owning.
    let bound = acme
        .someone(&[
            allow(json!("compute:cloud-resources:create")),
            deny(json!("compute:cloud-resources:delete")),
        ])
        .await;
    let kept = bound.create(&New::app("kept")).await;
    bound.get(kept.id()).await;
    bound
        .api
        .refused("cloudResources/delete", &acme.about(kept.id()))
        .await
        .is("ACCESS_DENIED", "");

    // The end of the resource is the end of its owner's right, and not of a reader's.
    owner.delete(shop.id()).await;
    let gone = acme.wait(shop.id(), "deleted").await;
    assert_eq!(gone["ownerId"], Value::Null);
    owner
        .api
        .refused("cloudResources/get", &acme.about(shop.id()))
        .await
        .is("ACCESS_DENIED", "");
    let condition = json!({"StringEquals": {"resource.family": "platform", "resource.kind": "do.app", "resource.region": "nyc"}});
    let reader = acme
        .someone(&[allow_where(
            json!("compute:cloud-resources:read"),
            condition,
        )])
        .await;
    assert_eq!(reader.get(shop.id()).await.state(), "deleted");
}

/// rule: CR-037, CR-162
#[tokio::test]
async fn a_foreign_resource_and_one_that_never_was_answer_alike() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let foreign = umbrella.create(&New::app("shop")).await;
    let never = "crs_00000000000000000000000000";
    let nobody = acme.someone(&[]).await;
    for (caller, code) in [(&acme, "NOT_FOUND"), (&nobody, "ACCESS_DENIED")] {
        for method in ["get", "update", "delete"] {
            let mut told = Vec::new();
            for id in [foreign.id(), never] {
                let mut body = acme.about(id);
                if method == "update" {
                    body["description"] = json!("x");
                }
                let refusal = caller
                    .api
                    .refused(&format!("cloudResources/{method}"), &body)
                    .await;
                refusal.is(code, "");
                told.push((refusal.message.replace(id, "it"), refusal.details));
            }
            assert_eq!(told[0], told[1]);
        }
    }
    // Under the other tenant's own name the decision refuses.
    for method in ["get", "delete"] {
        let body = json!({"tenantId": "umbrella", "resourceId": foreign.id()});
        acme.api
            .refused(&format!("cloudResources/{method}"), &body)
            .await
            .is("ACCESS_DENIED", "");
    }
    assert_eq!(umbrella.get(foreign.id()).await.version(), 1);
}

/// Policies that a principal loses are lost at once.
///
/// rule: CR-163
#[tokio::test]
async fn a_right_that_is_taken_away_is_gone_with_the_next_call() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.create(&New::app("shop")).await;
    let someone = acme.someone(&[everything()]).await;
    someone.get(shop.id()).await;
    let body = acme.input(json!({"principalId": someone.principal, "policies": []}));
    world.root.ok("principals/update", &body).await;
    someone
        .api
        .refused("cloudResources/get", &acme.about(shop.id()))
        .await
        .is("ACCESS_DENIED", "");
}
