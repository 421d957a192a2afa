//! Managed agents, which DigitalOcean has in preview.

use berth_e2e::{New, Tenant, World};
use serde_json::json;

use crate::kinds_life::live;

const MANIFEST: &str = "name: helper\nagent: claude-code\n";

fn environment() -> New {
    New::of(
        "do.agents.environment",
        "helper",
        json!({"manifest": MANIFEST}),
    )
}

fn session(parent: &str) -> New {
    New::of("do.agents.session", "talk", json!({})).with("parentId", parent)
}

async fn world() -> World {
    World::with(|settings| {
        settings.double.times.session = 50;
        settings.double.times.session_destroy = 50;
    })
    .await
}

/// A tenant on an account of its own that takes part in previews.
async fn with_previews(world: &World) -> Tenant {
    let acme = world.bare_tenant("acme").await;
    let account = world.account_with("acme", json!({"previews": true})).await;
    acme.on(&world.pool_on("acme", &account).await)
}

/// rule: CR-001, CR-006, CR-007, CR-015, CR-204
#[tokio::test]
async fn an_environment_and_its_session_live() {
    let world = world().await;
    let acme = with_previews(&world).await;
    let helper = acme.ready(&environment()).await;
    let talk = live(
        &acme,
        &session(helper.id()),
        Some(json!({"resume_on_topoff": true})),
    )
    .await;
    assert_eq!(talk["parentId"], helper.id());
    let id = talk.provider_id();
    assert_eq!(
        world.writes(),
        [
            "POST /v2/agents/configs".to_owned(),
            "POST /v2/agents/sessions".to_owned(),
            format!("PATCH /v2/agents/sessions/{id}"),
            format!("DELETE /v2/agents/sessions/{id}")
        ]
    );
    // Its sessions go first.
    let other = acme
        .ready(&session(helper.id()).with("idempotencyKey", "other"))
        .await;
    acme.deleted(helper.id()).await;
    assert_eq!(acme.get(other.id()).await.state(), "deleted");
    let last: Vec<String> = world.writes().into_iter().rev().take(2).collect();
    assert_eq!(
        last,
        [
            format!("DELETE /v2/agents/configs/{}", helper.provider_id()),
            format!("DELETE /v2/agents/sessions/{}", other.provider_id())
        ]
    );
}

#[tokio::test]
async fn a_manifest_with_secrets_is_put_in_when_the_request_leaves() {
    let mut world = world().await;
    let canary = "canary_agent_5f0e77aa";
    world.must_be_nowhere(berth_e2e::Canary::new(canary));
    let acme = with_previews(&world).await;
    let manifest = json!({
        "name": "helper", "agent": "claude-code", "secrets": {"KEY": {"value": canary}}
    });
    let reference = acme.secret("helper", &manifest.to_string()).await;
    let helper = acme
        .ready(&New::of(
            "do.agents.environment",
            "helper",
            json!({"secret_manifest": reference}),
        ))
        .await;
    assert_eq!(helper["spec"]["secret_manifest"], json!(reference));
    let known = world.double.agent_secret(helper.provider_id(), "KEY");
    assert_eq!(known.unwrap().as_deref(), Some(canary));
}

#[tokio::test]
async fn a_session_that_fails_says_so_and_can_be_deleted() {
    let world = world().await;
    let acme = with_previews(&world).await;
    let helper = acme.ready(&environment()).await;
    world.double.fail_next_sessions(1);
    let talk = acme.create(&session(helper.id())).await;
    let failed = acme.wait_through(talk.id(), "error").await;
    assert_eq!(failed.reason(), "failed");
    acme.delete(talk.id()).await;
    acme.wait_through(talk.id(), "deleted").await;
}
