//! Going back to the generation that was active before.

use berth_e2e::{Component, New, World};
use serde_json::{Value, json};

#[tokio::test]
async fn a_rollback_goes_back_to_what_was_active_before_and_says_to_what() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let none = world
        .root
        .refused("plugins/rollback", &json!({"plugin": "do"}))
        .await;
    none.is("INVALID_STATE", "noneBefore");
    let unknown = world
        .root
        .refused("plugins/rollback", &json!({"plugin": "aws"}))
        .await;
    unknown.is("NOT_FOUND", "");
    let listed = world.root.ok("plugins/list", &json!({})).await;
    let first = listed["items"][0]["digest"].clone();
    let next = world.install(Component::DoNext).await;
    let (well, said) = world.berth(
        &["plugin", "rollback", "do"],
        &[
            ("BERTH_URL", world.root.origin().as_str()),
            ("BERTH_TOKEN", world.root.token()),
        ],
    );
    assert!(well, "{said}");
    let answer: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(
        (&answer["digest"], &answer["from"], &answer["active"]),
        (&first, &json!(next), &json!(true))
    );
    let kinds = acme.input(json!({"poolId": acme.pool}));
    let kinds = acme.api.ok("cloudResources/kinds", &kinds).await;
    assert!(!kinds["items"].as_array().unwrap().is_empty());
    // The one that was active before is now the next one.
    let again = world
        .root
        .ok("plugins/rollback", &json!({"plugin": "do"}))
        .await;
    assert_eq!((&again["digest"], &again["from"]), (&json!(next), &first));
    let audit = json!({"action": "compute:plugins:write", "outcome": "done", "limit": 1});
    let audit = world.root.ok("audit/list", &audit).await;
    let detail = &audit["items"][0]["detail"];
    assert_eq!(
        (&detail["activated"], &detail["rolledBackFrom"]),
        (&json!(next), &first)
    );
}

#[tokio::test]
async fn a_rollback_is_refused_where_activating_is() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    // What is active knows a kind that the one before does not.
    let first = world.root.ok("plugins/list", &json!({})).await["items"][0]["digest"].clone();
    let lesser = world
        .install_only(&Component::Do.with("do.app", "do.apq"))
        .await;
    let body = json!({"digest": lesser, "override": ["do", "do.app", "do.apq"]});
    world.root.ok("plugins/activate", &body).await;
    world
        .root
        .ok(
            "plugins/rollback",
            &json!({"plugin": "do", "override": ["do", "do.app", "do.apq"]}),
        )
        .await;
    acme.ready(&New::app("shop")).await;
    let refusal = world
        .root
        .refused("plugins/rollback", &json!({"plugin": "do"}))
        .await;
    refusal.is("INVALID_STATE", "changes");
    let active = world.root.ok("plugins/list", &json!({})).await;
    let active = active["items"].as_array().unwrap();
    let active = active.iter().find(|item| item["active"] == true).unwrap();
    assert_eq!(active["digest"], first);
}
