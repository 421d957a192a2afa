//! Tenants side by side, on shared and on own accounts.

use berth_e2e::{New, PROVIDER_TOKEN, World, names};
use double_digitalocean::{Config, Double};
use serde_json::{Value, json};

/// rule: CR-002, CR-003
#[tokio::test]
async fn tenants_share_an_offered_account_and_see_only_their_own() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let one = acme.ready(&New::pg("orders")).await;
    let two = umbrella.ready(&New::pg("orders")).await;
    assert_eq!(world.double.objects().clusters.len(), 2);
    assert_ne!(one.provider_id(), two.provider_id());
    assert_eq!(names(&acme.list().await), ["orders"]);
    umbrella.deleted(two.id()).await;
    let left = world.double.objects().clusters;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].id, one.provider_id());
}

/// rule: CR-002, CR-004
#[tokio::test]
async fn a_pool_on_an_own_account_needs_no_offer_and_creates_there_and_nowhere_else() {
    let world = World::start().await;
    let acme = world.bare_tenant("acme").await;
    let config = Config {
        token: PROVIDER_TOKEN.to_owned(),
        seed: 2,
        ..world.double.config()
    };
    let other = Double::start(config).await.unwrap();
    let egress = json!({
        "baseUrls": {"https://api.digitalocean.com": other.base_url()}, "plainHttp": true, "privateNetworks": true,
    });
    let account = world.account_with("acme", json!({"egress": egress})).await;
    let pool = world.pool_on("acme", &account).await;
    let orders = acme.on(&pool).ready(&New::pg("orders")).await;
    assert_eq!(other.objects().clusters.len(), 1);
    assert_eq!(world.double.log().len(), 0, "the other account was asked");
    assert_eq!(other.objects().clusters[0].id, orders.provider_id());
    let umbrella = world.bare_tenant("umbrella").await.on(&pool);
    umbrella
        .refused(&New::pg("orders"))
        .await
        .is("NOT_FOUND", "");
}

/// rule: CR-017, CR-018
#[tokio::test]
async fn ownership_marks_are_within_the_providers_alphabet_and_differ_between_tenants() {
    let world = World::start().await;
    // The provider folds the case of its tags and takes no dots: neither may make two tenants one.
    let ids = ["Acme.x", "acme.x", "acme_x", "acme:x", "acme_2ex"];
    let mut marks = Vec::new();
    for id in ids {
        let tenant = world.tenant(id).await;
        let orders = tenant.ready(&New::pg("orders")).await;
        let cluster = world
            .double
            .objects()
            .clusters
            .into_iter()
            .find(|cluster| cluster.id == orders.provider_id())
            .unwrap();
        let mark = |key: &str| {
            let start = format!("better-compute-{key}:");
            let found: Vec<&String> = cluster
                .tags
                .iter()
                .filter(|tag| tag.starts_with(&start))
                .collect();
            assert_eq!(found.len(), 1, "{key}: {:?}", cluster.tags);
            found[0].to_lowercase()
        };
        mark("managed");
        assert!(mark("resource").contains(orders.id()));
        marks.push(mark("tenant"));
        for tag in &cluster.tags {
            assert!(tag.len() <= 255);
            assert!(
                tag.bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"_-:".contains(&b)),
                "{tag}"
            );
        }
    }
    let all = marks.len();
    marks.sort();
    marks.dedup();
    assert_eq!(marks.len(), all, "two tenants have one mark: {marks:?}");
}

/// Every other module keeps tenants apart as well.
///
/// rule: CR-037, CR-145
#[tokio::test]
async fn no_module_reaches_into_another_tenant() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let reference = umbrella.secret("key", "hunter2hunter2hunter2").await;
    let shop = umbrella.create(&New::app("shop")).await;
    let foreign = |fields: Value| {
        let mut body = json!({"tenantId": "umbrella"});
        body.as_object_mut()
            .unwrap()
            .extend(fields.as_object().unwrap().clone());
        body
    };
    for (method, body) in [
        (
            "cloudResources/kinds",
            foreign(json!({"poolId": acme.pool})),
        ),
        ("cloudResources/create", umbrella.body(&New::app("other"))),
        ("cloudResources/list", foreign(json!({}))),
        (
            "cloudResources/get",
            foreign(json!({"resourceId": shop.id()})),
        ),
        (
            "cloudResources/update",
            foreign(json!({"resourceId": shop.id(), "description": "x"})),
        ),
        (
            "cloudResources/delete",
            foreign(json!({"resourceId": shop.id()})),
        ),
        ("secrets/put", foreign(json!({"name": "key", "value": "x"}))),
        ("secrets/list", foreign(json!({}))),
        ("secrets/reveal", foreign(json!({"name": "key"}))),
        ("events/list", foreign(json!({}))),
        ("policies/list", foreign(json!({}))),
        ("principals/list", foreign(json!({}))),
        ("projects/list", foreign(json!({}))),
        ("audit/list", foreign(json!({}))),
    ] {
        let refusal = acme.api.refused(method, &body).await;
        assert_eq!(refusal.code, "ACCESS_DENIED", "{method}: {refusal:#?}");
    }
    // A reference of the other tenant under the own tenant's name.
    let refusal = acme
        .api
        .refused("secrets/reveal", &acme.secret_named(&reference))
        .await;
    assert!(
        ["ACCESS_DENIED", "NOT_FOUND", "INVALID_INPUT"].contains(&refusal.code.as_str()),
        "{refusal:#?}"
    );
    // Operators' modules are closed to tenants, whatever their policies say.
    for (method, body) in [
        ("tenants/list", json!({})),
        (
            "tenants/create",
            json!({"tenantId": "mine", "title": "mine"}),
        ),
        ("plugins/list", json!({})),
        ("plugins/activate", json!({"digest": "0".repeat(64)})),
        ("accounts/create", world.account_body("acme")),
        (
            "offers/create",
            json!({"poolId": acme.pool, "tenantId": "acme"}),
        ),
    ] {
        acme.api
            .refused(method, &body)
            .await
            .is("ACCESS_DENIED", "");
    }
}
