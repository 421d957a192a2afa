//! `catalog` and `signals`: what a provider tells of a whole account.

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{PlantedAgentConfig, PlantedSession};
use serde_json::{Value, json};

async fn catalog(tenant: &Tenant, more: Value) -> Vec<(String, String)> {
    let mut body = tenant.input(json!({"poolId": tenant.pool}));
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    let answer = tenant.api.ok("cloudResources/catalog", &body).await;
    let text = |item: &Value, name: &str| item[name].as_str().unwrap().to_owned();
    let items = answer["items"].as_array().unwrap().iter();
    items
        .map(|item| (text(item, "slug"), text(item, "installsOn")))
        .collect()
}

/// rule: CR-065, CR-066, CR-067, CR-068
#[tokio::test]
async fn the_providers_applications_are_told_to_every_tenant_from_one_answer() {
    let world = World::start().await;
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    world.double.plant_one_click("ours", "kubernetes");
    let all = catalog(&acme, json!({})).await;
    assert!(
        all.contains(&("ours".into(), "kubernetes".into())),
        "{all:?}"
    );
    for on in ["instance", "kubernetes"] {
        let some = catalog(&other, json!({"installsOn": on})).await;
        let expected: Vec<_> = all
            .iter()
            .filter(|(_, installs_on)| installs_on == on)
            .collect();
        assert_eq!(some.iter().collect::<Vec<_>>(), expected);
        assert!(!some.is_empty());
    }
    assert_eq!(world.double.count("GET", "/v2/1-clicks"), 1);
    let wrong = acme.input(json!({"poolId": acme.pool, "installsOn": "moon"}));
    let refusal = acme.api.refused("cloudResources/catalog", &wrong).await;
    refusal.is_invalid_at("installsOn");
}

/// rule: CR-075, CR-077, CR-079, CR-080, CR-081, CR-086
#[tokio::test]
async fn a_failed_run_is_signalled_to_whose_it_is_and_to_the_pools_owner() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let ask = |tenant: &Tenant, pool: &str| {
        let (api, body) = (tenant.api.clone(), tenant.input(json!({"poolId": pool})));
        async move { api.call("cloudResources/signals", &body).await }
    };
    let refusal = ask(&acme, &world.pool).await.unwrap_err();
    refusal.is("UNSUPPORTED", "preview");

    let account = world.account_with("root", json!({"previews": true})).await;
    let pool = world.pool_on("root", &account).await;
    world.offer(&pool, "acme").await;
    let acme = acme.on(&pool);
    let manifest = json!({"manifest": "name: nightly\nagent: claude-code\n"});
    let mine = acme
        .ready(&New::of("do.agents.environment", "nightly", manifest))
        .await;
    let theirs = world
        .double
        .plant_agent_config(PlantedAgentConfig::named("by-hand"))
        .unwrap();
    for (environment, name) in [(mine.provider_id(), "run-1"), (theirs.as_str(), "run-2")] {
        world.double.plant_consent(environment, true);
        let failed = PlantedSession::of(environment, name).status("SESSION_STATUS_FAILED");
        world.double.plant_session(failed).unwrap();
    }
    let from = world.next_request();
    let seen = ask(&acme, &pool).await.unwrap();
    let items = seen["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{seen:#?}");
    assert_eq!(
        (
            &items[0]["resourceId"],
            &items[0]["kind"],
            &items[0]["severity"],
            &items[0]["providerId"]
        ),
        (
            &json!(mine.id()),
            &json!("do.agents.environment"),
            &json!("critical"),
            &json!(mine.provider_id())
        )
    );
    let mut platform = acme.clone();
    platform.id = "root".to_owned();
    platform.api = world.root.clone();
    let all = ask(&platform, &pool).await.unwrap();
    let about: std::collections::BTreeSet<_> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|signal| signal["providerId"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(about, [mine.provider_id().to_owned(), theirs].into());
    assert!(world.writes_since(from).is_empty());
}
