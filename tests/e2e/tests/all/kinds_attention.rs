//! The provider's catalog and its signals, read by the real component.

use std::collections::BTreeSet;

use berth_e2e::{New, Tenant, World};
use double_digitalocean::{PlantedAgentConfig, PlantedSession};
use serde_json::{Value, json};

fn texts(answer: &Value, field: &str) -> Vec<String> {
    let items = answer["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item[field].as_str().unwrap().to_owned())
        .collect()
}

async fn catalog(tenant: &Tenant, fields: Value) -> Value {
    let mut input = tenant.input(fields);
    input["poolId"] = tenant.pool.clone().into();
    tenant.api.ok("cloudResources/catalog", &input).await
}

/// rule: CR-066, CR-067, CR-068, CR-069
#[tokio::test]
async fn one_clicks_are_told_by_what_they_install_on() {
    let world = World::with(|settings| {
        settings.double.one_clicks.droplet = 700;
        settings.double.one_clicks.kubernetes = 200;
    })
    .await;
    let acme = world.tenant("acme").await;
    for (wanted, count) in [("instance", 700), ("kubernetes", 200)] {
        let answer = catalog(&acme, json!({"installsOn": wanted})).await;
        let slugs: BTreeSet<String> = texts(&answer, "slug").into_iter().collect();
        assert_eq!(slugs.len(), count);
        assert!(texts(&answer, "installsOn").iter().all(|on| on == wanted));
    }
    let all = catalog(&acme, json!({})).await;
    assert_eq!(texts(&all, "slug").len(), 900);
    assert_eq!(world.writes(), [""; 0]);
    let slug = texts(&all, "slug").remove(0);
    acme.refused(&New::of(&format!("do.{slug}"), "x", json!({})))
        .await;
}

async fn signals(tenant: &Tenant) -> Value {
    let input = tenant.input(json!({"poolId": tenant.pool}));
    tenant.api.ok("cloudResources/signals", &input).await
}

/// rule: CR-074, CR-075, CR-076, CR-077, CR-081, CR-082
#[tokio::test]
async fn signals_of_agents_name_the_resource_that_records_them() {
    let world = World::with(|settings| {
        settings.double.times.session = 20;
    })
    .await;
    let acme = world.bare_tenant("acme").await;
    let account = world.account_with("acme", json!({"previews": true})).await;
    let acme = acme.on(&world.pool_on("acme", &account).await);
    let helper = acme
        .ready(&New::of(
            "do.agents.environment",
            "helper",
            json!({"manifest": "name: helper\nagent: claude-code\n"}),
        ))
        .await;
    let talk = acme
        .ready(&New::of("do.agents.session", "talk", json!({})).with("parentId", helper.id()))
        .await;
    let config = helper.provider_id();
    let by_hand = world
        .double
        .plant_session(PlantedSession::of(config, "by-hand"))
        .unwrap();
    let silent = world
        .double
        .plant_agent_config(PlantedAgentConfig::named("silent"))
        .unwrap();
    world
        .double
        .plant_session(PlantedSession::of(&silent, "unseen").status("SESSION_STATUS_FAILED"))
        .unwrap();
    world.double.plant_consent(config, true);
    world.double.plant_consent(&silent, false);
    let ours = talk.provider_id();
    world
        .double
        .plant_dialogue(ours, &json!({"signals": ["disengagement_escalation"]}));
    world.double.plant_dialogue(ours, &json!("not a dialogue"));
    world
        .double
        .plant_dialogue(&by_hand, &json!({"run_status": "failed"}));
    let before = world.next_request();

    let answer = signals(&acme).await;
    let items = answer["items"].as_array().unwrap();
    let about: BTreeSet<(&str, &str, &str)> = items
        .iter()
        .map(|item| {
            let text = |field: &str| item[field].as_str().unwrap();
            (text("title"), text("kind"), text("resourceId"))
        })
        .collect();
    assert_eq!(
        about,
        BTreeSet::from([
            ("A user asked for a human", "do.agents.session", talk.id()),
            ("A run failed", "do.agents.environment", helper.id()),
        ])
    );
    for item in items {
        assert_eq!(item["severity"], "critical");
        assert!(item["at"].as_u64().unwrap() > 0);
        let detail = item["detail"].as_str().unwrap();
        assert!(detail.chars().count() <= 500 && !detail.contains('\n'));
    }
    // What the user wrote is nobody else's.
    assert!(!answer.to_string().contains("please look"), "{answer:#}");
    let later = world.double.log_since(before);
    assert!(
        later.iter().all(|entry| entry.method == "GET"),
        "{later:#?}"
    );
}

/// rule: CR-059, CR-086, CR-101
#[tokio::test]
async fn without_previews_there_are_no_agents_and_no_signals_of_them() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let refusal = acme
        .api
        .refused(
            "cloudResources/signals",
            &acme.input(json!({"poolId": acme.pool})),
        )
        .await;
    assert_eq!(
        (refusal.code.as_str(), refusal.reason()),
        ("UNSUPPORTED", "preview")
    );
    let refusal = acme
        .refused(&New::of(
            "do.agents.environment",
            "helper",
            json!({"manifest": "agent: claude-code\n"}),
        ))
        .await;
    assert_eq!(
        (refusal.code.as_str(), refusal.reason()),
        ("UNSUPPORTED", "preview")
    );
    let account = world.account_with("acme", json!({"previews": true})).await;
    let own = acme.on(&world.pool_on("acme", &account).await);
    for (tenant, available) in [(&acme, false), (&own, true)] {
        let input = tenant.input(json!({"poolId": tenant.pool}));
        let kinds = tenant.api.ok("cloudResources/kinds", &input).await;
        let previews: Vec<&Value> = kinds["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|kind| kind["preview"] == true)
            .collect();
        assert_eq!(previews.len(), 2);
        assert!(previews.iter().all(|kind| kind["available"] == available));
    }
}
