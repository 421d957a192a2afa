//! Every method of the API refuses who may not call it.

use std::collections::BTreeSet;

use berth_e2e::{New, Tenant, World};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

/// The methods as the host's own table has them: one that is missing below is found out.
const TABLE: &str = include_str!("../../../../host/api/src/methods.rs");

fn methods() -> BTreeSet<String> {
    let lines = TABLE.lines().map(str::trim);
    let paths = lines.filter_map(|line| {
        line.strip_prefix('"')?
            .split_once("\" => ")
            .map(|(path, _)| path)
    });
    paths
        .filter(|path| path.contains('/'))
        .map(str::to_owned)
        .collect()
}

/// A body for each method that is right in its shape, about things that are there.
pub(crate) async fn calls(world: &World, tenant: &Tenant) -> Vec<(&'static str, Value)> {
    let shop = tenant.create(&New::app("shop")).await;
    let project = world
        .root
        .ok("projects/create", &tenant.input(json!({"title": "web"})))
        .await["id"]
        .clone();
    let policies = world
        .root
        .ok("policies/list", &tenant.input(json!({})))
        .await;
    let policy = policies["items"][0]["id"].clone();
    let account = world.account_of(&tenant.id).await;
    let tokens = world
        .root
        .ok("principals/listTokens", &tenant.input(json!({})))
        .await;
    let token = tokens["items"][0]["id"].clone();
    let offers = world
        .root
        .ok("offers/list", &json!({"tenantId": tenant.id}))
        .await;
    let offer = offers["items"][0]["id"].clone();
    let digest = world.root.ok("plugins/list", &json!({})).await["items"][0]["digest"].clone();
    tenant.secret("key", "hunter2hunter2hunter2").await;
    let of = |fields: Value| tenant.input(fields);
    let principal = of(json!({"principalId": tenant.principal}));
    vec![
        ("cloudResources/kinds", of(json!({"poolId": tenant.pool}))),
        ("cloudResources/catalog", of(json!({"poolId": tenant.pool}))),
        ("cloudResources/signals", of(json!({"poolId": tenant.pool}))),
        ("cloudResources/create", tenant.body(&New::app("other"))),
        ("cloudResources/list", of(json!({}))),
        ("cloudResources/get", tenant.about(shop.id())),
        (
            "cloudResources/update",
            of(json!({"resourceId": shop.id(), "description": "x"})),
        ),
        ("cloudResources/delete", tenant.about(shop.id())),
        (
            "cloudResources/discover",
            of(json!({"poolId": tenant.pool, "kind": "do.app"})),
        ),
        (
            "cloudResources/adopt",
            tenant.adoption("other", "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30"),
        ),
        ("cloudResources/release", tenant.about(shop.id())),
        (
            "tenants/create",
            json!({"tenantId": "another", "title": "another"}),
        ),
        ("tenants/get", of(json!({}))),
        ("tenants/list", json!({})),
        ("tenants/update", of(json!({"title": "other"}))),
        ("projects/create", of(json!({"title": "other"}))),
        ("projects/get", of(json!({"projectId": project}))),
        ("projects/list", of(json!({}))),
        ("principals/create", of(json!({"title": "other"}))),
        ("principals/get", principal.clone()),
        ("principals/list", of(json!({}))),
        (
            "principals/update",
            of(json!({"principalId": tenant.principal, "title": "other"})),
        ),
        ("principals/delete", principal.clone()),
        ("principals/createToken", principal),
        ("principals/listTokens", of(json!({}))),
        ("principals/revokeToken", of(json!({"tokenId": token}))),
        (
            "policies/put",
            of(json!({"title": "other", "document": berth_e2e::everything()})),
        ),
        ("policies/get", of(json!({"policyId": policy}))),
        ("policies/list", of(json!({}))),
        ("policies/delete", of(json!({"policyId": policy}))),
        (
            "accounts/create",
            of(json!({"title": "other", "provider": "do", "credential": "x"})),
        ),
        ("accounts/get", of(json!({"accountId": account}))),
        ("accounts/list", of(json!({}))),
        (
            "accounts/update",
            of(json!({"accountId": account, "title": "other"})),
        ),
        (
            "pools/create",
            of(json!({"title": "other", "type": "provider", "accountId": account})),
        ),
        (
            "pools/update",
            of(json!({"poolId": tenant.pool, "title": "other"})),
        ),
        ("pools/get", of(json!({"poolId": tenant.pool}))),
        ("pools/list", of(json!({}))),
        ("offers/create", of(json!({"poolId": tenant.pool}))),
        ("offers/list", of(json!({}))),
        (
            "offers/update",
            json!({"offerId": offer, "suspended": true}),
        ),
        ("offers/delete", json!({"offerId": offer})),
        ("budgets/put", of(json!({"currency": "EUR", "micros": 1}))),
        ("budgets/list", of(json!({}))),
        (
            "budgets/delete",
            of(json!({"budgetId": "bdg_00000000000000000000000000"})),
        ),
        (
            "prices/put",
            json!({"meter": "cloud.resource.hours", "currency": "EUR", "micros": 1}),
        ),
        ("prices/list", of(json!({}))),
        ("usage/list", of(json!({}))),
        ("usage/export", of(json!({"format": "csv"}))),
        (
            "quotas/put",
            of(json!({"poolId": tenant.pool, "capacity": "gpus", "amount": 1})),
        ),
        (
            "quotas/get",
            of(json!({"poolId": tenant.pool, "capacity": "gpus"})),
        ),
        ("quotas/list", of(json!({}))),
        (
            "quotas/delete",
            of(json!({"poolId": tenant.pool, "capacity": "gpus"})),
        ),
        (
            "instances/put",
            of(json!({"accountId": world.account, "providerId": "1", "region": "nyc3"})),
        ),
        (
            "instances/sync",
            of(json!({"accountId": world.account, "instances": []})),
        ),
        (
            "instances/get",
            of(json!({"instanceId": "ins_00000000000000000000000000"})),
        ),
        ("instances/list", of(json!({}))),
        (
            "instances/delete",
            of(json!({"instanceId": "ins_00000000000000000000000000"})),
        ),
        (
            "networks/put",
            of(json!({"accountId": world.account, "vpcs": {"nyc3": "v"}})),
        ),
        (
            "networks/sync",
            of(json!({"accountId": world.account, "networks": []})),
        ),
        (
            "networks/get",
            of(json!({"networkId": "net_00000000000000000000000000"})),
        ),
        ("networks/list", of(json!({}))),
        (
            "networks/delete",
            of(json!({"networkId": "net_00000000000000000000000000"})),
        ),
        ("secrets/put", of(json!({"name": "other", "value": "x"}))),
        ("secrets/get", of(json!({"name": "key"}))),
        ("secrets/list", of(json!({}))),
        ("secrets/reveal", of(json!({"name": "key"}))),
        ("secrets/delete", of(json!({"name": "key"}))),
        ("events/list", of(json!({}))),
        ("audit/list", of(json!({}))),
        ("plugins/install", json!({"component": "AAAA"})),
        ("plugins/list", json!({})),
        ("plugins/show", json!({"digest": digest})),
        ("plugins/activate", json!({"digest": digest})),
        ("plugins/rollback", json!({"plugin": "do"})),
        (
            "resources/forget",
            of(json!({"resourceId": shop.id(), "reason": "its account is closed"})),
        ),
    ]
}

/// rule: CR-064, CR-072, CR-087, CR-137, CR-156, CR-163, CR-194, CR-216, CR-224, CR-242, CR-257
#[tokio::test]
async fn each_refuses_without_a_token_and_without_a_policy() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let nobody = acme.someone(&[]).await;
    let calls = calls(&world, &acme).await;
    let covered: BTreeSet<String> = calls
        .iter()
        .map(|(method, _)| (*method).to_owned())
        .collect();
    assert_eq!(
        covered,
        methods(),
        "a method is not in this test, or not in the table"
    );
    for (method, body) in &calls {
        let refusal = nobody.api.refused(method, body).await;
        assert_eq!(
            (refusal.code.as_str(), refusal.status),
            ("ACCESS_DENIED", 403),
            "{method}: {refusal:#?}"
        );
        let answer = nobody
            .api
            .send_raw(
                method,
                &[(CONTENT_TYPE, "application/json")],
                body.to_string().into(),
            )
            .await;
        let refusal = answer.unwrap().result().unwrap_err();
        assert_eq!(
            (refusal.code.as_str(), refusal.status),
            ("UNAUTHENTICATED", 401),
            "{method}: {refusal:#?}"
        );
    }
}

/// An administrator of one tenant is nobody in another, whatever the method.
///
/// rule: CR-037, CR-145
#[tokio::test]
async fn each_refuses_an_administrator_of_another_tenant() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    for (method, body) in &calls(&world, &acme).await {
        let refusal = umbrella.api.refused(method, body).await;
        assert_eq!(
            (refusal.code.as_str(), refusal.status),
            ("ACCESS_DENIED", 403),
            "{method}: {refusal:#?}"
        );
    }
    assert_eq!(acme.list().await["items"][0]["version"], 1);
    assert_eq!(
        acme.reveal("secret://acme/key").await,
        "hunter2hunter2hunter2"
    );
}
