//! `cloudResources/list`.

use std::collections::BTreeSet;

use berth_e2e::{New, World, names};
use double_digitalocean::Fault;
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

/// rule: CR-144, CR-145
#[tokio::test]
async fn a_list_has_the_tenants_own_resources_oldest_first() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    for name in ["zebra", "apple", "mango"] {
        acme.create(&New::app(name)).await;
        umbrella.create(&New::app(&format!("not-{name}"))).await;
    }
    let answer = acme.list().await;
    assert_eq!(names(&answer), ["zebra", "apple", "mango"]);
    assert_eq!(answer["nextCursor"], Value::Null);
    acme.api
        .refused("cloudResources/list", &json!({}))
        .await
        .is_invalid_at("tenantId");
}

/// rule: CR-146, CR-147, CR-148, CR-149, CR-150
#[tokio::test]
async fn a_list_is_narrowed_by_what_is_asked_for() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let other_pool = world.pool_on("root", &world.account).await;
    world.offer(&other_pool, "acme").await;
    let project = world
        .root
        .ok("projects/create", &acme.input(json!({"title": "web"})))
        .await["id"]
        .clone();
    acme.create(&New::pg("pg-plain")).await;
    acme.create(&New::app("app-plain")).await;
    acme.create(&New::pg("pg-project").with("projectId", project.clone()))
        .await;
    acme.create(&New::app("app-project").with("projectId", project.clone()))
        .await;
    acme.on(&other_pool).create(&New::pg("pg-pool")).await;
    acme.on(&other_pool)
        .create(&New::app("app-both").with("projectId", project.clone()))
        .await;
    for (narrowed, expected) in [
        (json!({"poolId": other_pool}), vec!["pg-pool", "app-both"]),
        (
            json!({"projectId": project}),
            vec!["pg-project", "app-project", "app-both"],
        ),
        (
            json!({"kind": "do.database.pg"}),
            vec!["pg-plain", "pg-project", "pg-pool"],
        ),
        (
            json!({"family": "platform"}),
            vec!["app-plain", "app-project", "app-both"],
        ),
        (json!({"family": "ai"}), vec![]),
        (
            json!({"poolId": other_pool, "family": "data"}),
            vec!["pg-pool"],
        ),
        (
            json!({"poolId": other_pool, "projectId": project, "kind": "do.app"}),
            vec!["app-both"],
        ),
        (json!({"kind": "do.app", "family": "data"}), vec![]),
        (json!({"kind": "do.unheard-of"}), vec![]),
    ] {
        assert_eq!(
            names(&acme.list_by(narrowed.clone()).await),
            expected,
            "{narrowed}"
        );
    }
}

/// rule: CR-048
#[tokio::test]
async fn a_family_is_one_of_seven() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for family in [
        "storage",
        "network",
        "edge",
        "data",
        "platform",
        "ai",
        "observability",
    ] {
        acme.list_by(json!({"family": family})).await;
    }
    for wrong in [
        json!("Data"),
        json!("databases"),
        json!(""),
        json!(1),
        Value::Null,
    ] {
        let refusal = acme
            .api
            .refused("cloudResources/list", &acme.input(json!({"family": wrong})))
            .await;
        refusal.is_invalid_at("family");
    }
    let refusal = acme
        .api
        .refused(
            "cloudResources/list",
            &acme.input(json!({"family": "cats"})),
        )
        .await;
    assert!(
        refusal.message.contains("observability"),
        "it names the families: {}",
        refusal.message
    );
}

/// rule: CR-151, CR-153
#[tokio::test]
async fn deleted_resources_are_listed_where_they_are_asked_for() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let old = acme.ready(&New::app("old")).await;
    acme.create(&New::app("new")).await;
    acme.deleted(old.id()).await;
    assert_eq!(names(&acme.list().await), ["new"]);
    assert_eq!(
        names(&acme.list_by(json!({"includeDeleted": false})).await),
        ["new"]
    );
    let all = acme.list_by(json!({"includeDeleted": true})).await;
    assert_eq!(names(&all), ["old", "new"]);
    assert_eq!(all["items"][0]["state"], "deleted");
    for wrong in [json!("true"), json!(1), json!([]), Value::Null] {
        let body = acme.input(json!({"includeDeleted": wrong}));
        acme.api
            .refused("cloudResources/list", &body)
            .await
            .is_invalid_at("includeDeleted");
    }
}

/// rule: CR-154, CR-155, CR-157
#[tokio::test]
async fn a_list_of_many_goes_on_with_a_cursor_and_has_each_once() {
    let world = World::with(|settings| {
        settings
            .set("service.maxPerKind", "1000")
            .set("service.reconcile.concurrency", "1");
    })
    .await;
    let acme = world.tenant("acme").await;
    // The provider does nothing meanwhile: this is about rows.
    world
        .double
        .fault(Fault::on("*", "/v2/**").always().hold_before());
    let all: Vec<String> = (0..511).map(|index| format!("app-{index}")).collect();
    let bodies: Vec<Value> = all
        .iter()
        .enumerate()
        .map(|(index, name)| {
            // Every hundredth is in another family of this tenant.
            acme.body(&if index % 100 == 50 {
                New::pg(name)
            } else {
                New::app(name)
            })
        })
        .collect();
    stream::iter(&bodies)
        .for_each_concurrent(16, |body| async {
            drop(acme.api.ok("cloudResources/create", body).await)
        })
        .await;

    let first = acme.list().await;
    assert_eq!(names(&first).len(), 500);
    let rest = acme.list_by(json!({"cursor": first["nextCursor"]})).await;
    assert_eq!(names(&rest).len(), 11);
    assert_eq!(rest["nextCursor"], Value::Null);
    let seen: BTreeSet<String> = names(&first).into_iter().chain(names(&rest)).collect();
    assert_eq!(seen, all.into_iter().collect::<BTreeSet<_>>());

    // Who may not read five of them sees the other 506, and the cap counts what is seen.
    let no_data = json!({
        "Version": "2012-10-17",
        "Statement": [
            {"Effect": "Allow", "Action": "compute:*", "Resource": "*"},
            {"Effect": "Deny", "Action": "compute:cloud-resources:read", "Resource": "compute-cloud-resource/*",
             "Condition": {"StringEquals": {"resource.family": "data"}}},
        ],
    });
    let someone = acme.someone(&[no_data]).await;
    let first = someone.list().await;
    assert_eq!(names(&first).len(), 500);
    let rest = someone
        .list_by(json!({"cursor": first["nextCursor"]}))
        .await;
    assert_eq!(names(&rest).len(), 6);
    let body = acme.input(json!({"cursor": "nonsense"}));
    acme.api
        .refused("cloudResources/list", &body)
        .await
        .is_invalid_at("cursor");
}
