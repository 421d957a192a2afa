//! `do.agents.session`.

use berth_sdk::testing::{exchange, json, remember, wanted};
use berth_sdk::types::{Parent, Phase, Resource};
use serde_json::{Value, json};

use crate::{CONFIG, NAME, host};

const KIND: &str = "do.agents.session";
const ID: &str = "7f6e5d4c-0000-4000-8000-00000000abcd";
const ALL: &str = "/v2/agents/sessions";
const OURS: &str = "/v2/agents/sessions/7f6e5d4c-0000-4000-8000-00000000abcd";
const OF_ENVIRONMENT: &str = "/v2/agents/configs/0b1c2d3e-0000-4000-8000-00000000abcd/sessions";

fn parent() -> Parent {
    Parent {
        kind: "do.agents.environment".to_owned(),
        provider_id: CONFIG.to_owned(),
        name: "bc-r-parent".to_owned(),
        outputs: "{}".to_owned(),
    }
}

fn session(spec: &Value) -> Resource {
    let mut session = wanted(KIND, spec);
    session.parent = Some(parent());
    session
}

fn shown(status: &str) -> Value {
    json!({
        "session_id": ID, "name": NAME, "team_id": 42, "agent_kind": "AGENT_KIND_OPENCODE",
        "status": status, "config_id": CONFIG, "created_at": "2026-01-01T00:00:00Z",
        "last_event_at": "2026-01-01T00:00:00Z"
    })
}

#[test]
fn a_session_is_started_from_its_environment_under_our_name() {
    let berth = host();
    let mut ours = session(&json!({"resume_on_topoff": true}));
    berth.expect([exchange("POST", ALL)
        .sending(&json!({"name": NAME, "config_id": CONFIG, "resume_on_topoff": true}))
        .answers(
            200,
            &json!({"session": shown("SESSION_STATUS_PROVISIONING")}),
        )]);
    let created = berth.create(&ours).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        (ID, &Phase::Converging)
    );
    assert_eq!(created.pending, Vec::<String>::new());
    remember(&mut ours, &created);

    ours.spec = json!({"resume_on_topoff": false}).to_string();
    berth.expect([
        exchange("GET", OURS).answers(200, &json!({"session": shown("SESSION_STATUS_READY")}))
    ]);
    assert_eq!(berth.observe(&ours).unwrap().pending, ["resume_on_topoff"]);
    berth.expect([exchange("PATCH", OURS)
        .sending(&json!({"resume_on_topoff": false}))
        .answers(200, &json!({"session": shown("SESSION_STATUS_READY")}))]);
    let applied = berth.update(&ours, &["resume_on_topoff"]).unwrap();
    assert_eq!((applied.phase, applied.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn its_status_tells_how_far_it_is() {
    let berth = host();
    let mut ours = session(&json!({}));
    ours.provider_id = Some(ID.to_owned());
    for (status, phase) in [
        ("SESSION_STATUS_PROVISIONING", Phase::Converging),
        ("SESSION_STATUS_READY", Phase::Ready),
        ("SESSION_STATUS_DETACHED", Phase::Ready),
        ("SESSION_STATUS_PAUSED", Phase::Ready),
        ("SESSION_STATUS_DESTROYING", Phase::Converging),
        ("SESSION_STATUS_DESTROYED", Phase::Gone),
        (
            "SESSION_STATUS_FAILED",
            Phase::Failed("the session failed at the provider; delete it".to_owned()),
        ),
    ] {
        berth.expect([exchange("GET", OURS).answers(200, &json!({"session": shown(status)}))]);
        let seen = berth.observe(&ours).unwrap();
        assert_eq!(seen.phase, phase, "{status}");
        assert_eq!(json(&seen.outputs)["status"], status);
    }
}

#[test]
fn a_session_that_ended_under_our_name_is_not_the_one_that_is_looked_for() {
    let berth = host();
    let ours = session(&json!({}));
    let all = format!("{OF_ENVIRONMENT}?status=SESSION_STATUS_ALL&page_size=200");
    let ended = shown("SESSION_STATUS_DESTROYED");
    berth.expect([exchange("GET", &all).answers(200, &json!({"sessions": [ended]}))]);
    assert!(berth.find(&ours).unwrap().is_none());
    let failed = shown("SESSION_STATUS_FAILED");
    berth.expect([exchange("GET", &all).answers(200, &json!({"sessions": [ended, failed]}))]);
    let found = berth.find(&ours).unwrap().unwrap();
    assert!(matches!(found.phase, Phase::Failed(_)));
}

#[test]
fn the_sessions_of_an_environment_are_listed_and_deleting_one_that_is_gone_is_done() {
    let berth = host();
    let page = format!("{OF_ENVIRONMENT}?page_size=200");
    berth.expect([exchange("GET", &page).answers(
        200,
        &json!({"sessions": [shown("SESSION_STATUS_READY")], "next_page_token": ""}),
    )]);
    let listed = berth.list(KIND, Some(&parent()), None).unwrap();
    assert_eq!((listed.items.len(), listed.next), (1, None));

    let mut ours = session(&json!({}));
    ours.provider_id = Some(ID.to_owned());
    berth.expect([exchange("DELETE", OURS)]);
    berth.delete(&ours).unwrap();
    berth.expect([exchange("DELETE", OURS).answers_text(404, "")]);
    berth.delete(&ours).unwrap();
}
