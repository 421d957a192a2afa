//! What needs attention.

use berth_sdk::testing::{Exchange, exchange};
use berth_sdk::types::{Error, HttpError, Severity};
use serde_json::{Value, json};

use crate::{CONFIG, NAME, host};

const CONSENT: &str = "/v1/consent?source=agent";
const SESSIONS: &str = "/v2/agents/sessions?status=SESSION_STATUS_ALL&page_size=200";
const ANALYSED: &str = "/v1/signals/agents/0b1c2d3e-0000-4000-8000-00000000abcd/sessions?limit=100";

fn consent() -> Exchange {
    exchange("GET", CONSENT).answers(
        200,
        &json!({"consents": [
            {"agent_id": CONFIG, "enabled": true, "id": 1, "source": "agent"},
            {"agent_id": "silent", "enabled": false, "id": 2, "source": "agent"}
        ]}),
    )
}

fn sessions(sessions: &Value) -> Exchange {
    exchange("GET", SESSIONS).answers(200, &json!({"sessions": sessions}))
}

fn analysed(edges: &Value) -> Exchange {
    exchange("GET", ANALYSED).answers(
        200,
        &json!({"edges": edges, "page_info": {"has_next_page": false}}),
    )
}

fn dialogues(session: &str, edges: &Value) -> Exchange {
    exchange(
        "GET",
        &format!("/v1/signals/sessions/{session}/dialogues?limit=100"),
    )
    .answers(
        200,
        &json!({"edges": edges, "page_info": {"has_next_page": false}}),
    )
}

fn node(node: &Value) -> Value {
    json!([{"cursor": "c", "node": node}])
}

fn session_node(id: &str, started_at: &str) -> Value {
    node(&json!({"session_id": id, "signal_count": 2, "started_at": started_at}))
}

#[test]
fn signals_of_dialogues_are_about_the_environment_or_a_session_of_ours() {
    let berth = host();
    let ours = json!([{"session_id": "s-1", "name": NAME, "status": "SESSION_STATUS_READY", "config_id": CONFIG}]);
    let dialogue = json!({
        "id": 901, "sequence": 3, "run_status": "failed",
        "signals": ["disengagement_escalation", {"signal_type": "environment_exhaustion_api_error"}],
        "user_message": "let me talk to someone\nplease", "steps": [{"type": "tool_call"}]
    });
    for (shown, kind, id, detail) in [
        (
            ours,
            "do.agents.session",
            "s-1",
            format!("turn 3 of session {NAME}"),
        ),
        (
            json!([{"session_id": "s-1", "name": "by-hand", "config_id": CONFIG}]),
            "do.agents.environment",
            CONFIG,
            "turn 3 of session by-hand".to_owned(),
        ),
        (
            json!([]),
            "do.agents.environment",
            CONFIG,
            "turn 3 of session s-1".to_owned(),
        ),
    ] {
        berth.expect([
            consent(),
            sessions(&shown),
            analysed(&session_node("s-1", "2026-01-01T00:00:01Z")),
            dialogues("s-1", &node(&dialogue)),
        ]);
        let signals = berth.signals().unwrap();
        let told: Vec<_> = signals
            .iter()
            .map(|signal| (signal.severity, signal.title.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (Severity::Critical, "A user asked for a human"),
                (Severity::Warning, "An API that the agent uses failed"),
                (Severity::Critical, "A run failed")
            ]
        );
        for signal in &signals {
            assert_eq!(
                (signal.kind.as_str(), signal.provider_id.as_str()),
                (kind, id)
            );
            assert_eq!(signal.detail.as_deref(), Some(detail.as_str()));
            assert_eq!(signal.at, 1_767_225_601_000);
        }
        assert_eq!(signals[0].id, "s-1:901:disengagement_escalation");
        assert!(!format!("{signals:?}").contains("talk to someone"));
    }
}

#[test]
fn a_failed_session_of_an_environment_that_collects_is_critical() {
    let berth = host();
    let failed = |id: &str, config: &str, name: &str| {
        json!({
            "session_id": id, "name": name, "status": "SESSION_STATUS_FAILED", "config_id": config,
            "created_at": "2026-01-01T00:00:00Z", "last_event_at": "2026-01-01T00:00:05Z"
        })
    };
    berth.expect([
        consent(),
        sessions(&json!([
            failed("s-1", CONFIG, NAME),
            failed("s-2", "silent", "x")
        ])),
        analysed(&json!([])),
    ]);
    let signals = berth.signals().unwrap();
    assert_eq!(signals.len(), 1);
    assert_eq!(signals[0].id, "s-1:failed");
    assert_eq!(signals[0].severity, Severity::Critical);
    assert_eq!(signals[0].kind, "do.agents.session");
    assert_eq!(signals[0].at, 1_767_225_605_000);
}

#[test]
fn without_consent_nothing_is_told_and_nothing_more_is_asked() {
    for none in [
        exchange("GET", CONSENT).answers(
            403,
            &json!({"id": "forbidden", "message": "missing scope signals:query"}),
        ),
        exchange("GET", CONSENT).answers_text(404, ""),
        exchange("GET", CONSENT).answers(200, &json!({"consents": []})),
        exchange("GET", CONSENT).answers(
            200,
            &json!({"consents": [{"agent_id": "a", "enabled": false}]}),
        ),
    ] {
        let berth = host();
        berth.expect([none]);
        assert!(berth.signals().unwrap().is_empty());
    }
}

#[test]
fn a_provider_that_is_away_is_an_error_and_not_silence() {
    let berth = host();
    berth.expect([exchange("GET", CONSENT).fails(HttpError::Lost("cut".to_owned()))]);
    assert!(matches!(berth.signals(), Err(Error::Unavailable(_))));
    berth.expect([
        consent(),
        sessions(&json!([])),
        exchange("GET", ANALYSED).answers_text(429, ""),
    ]);
    assert!(matches!(berth.signals(), Err(Error::Throttled(_))));
}

#[test]
fn pages_are_followed_by_the_last_cursor_and_only_so_far() {
    let berth = host();
    let page = |cursor: &str| {
        json!({
            "edges": [{"cursor": "x", "node": null}, {"cursor": cursor, "node": {"session_id": cursor, "signal_count": 1, "started_at": "2026-01-01T00:00:00Z"}}],
            "page_info": {"has_next_page": true}
        })
    };
    berth.expect([
        consent(),
        sessions(&json!([])),
        exchange("GET", ANALYSED).answers(200, &page("a")),
        exchange("GET", &format!("{ANALYSED}&after=a")).answers(200, &page("b")),
        exchange("GET", &format!("{ANALYSED}&after=b")).answers(200, &page("c")),
        dialogues("a", &json!([])),
        dialogues("b", &json!([])),
        exchange("GET", "/v1/signals/sessions/c/dialogues?limit=100").answers_text(404, ""),
    ]);
    assert!(berth.signals().unwrap().is_empty());
}

#[test]
fn one_call_sends_sixty_requests_and_tells_five_thousand_signals_at_most() {
    let berth = host();
    let many: Vec<Value> = (0..100)
        .map(|n| {
            json!({"cursor": n.to_string(), "node": {
                "session_id": format!("s-{n}"), "signal_count": 1,
                "started_at": format!("2026-01-01T00:{:02}:{:02}Z", n / 60, n % 60)
            }})
        })
        .collect();
    berth.expect([consent(), sessions(&json!([])), analysed(&json!(many))]);
    for n in (43..100).rev() {
        // Of the newest session first.
        berth.expect([dialogues(&format!("s-{n}"), &json!([]))]);
    }
    assert!(berth.signals().unwrap().is_empty());

    let turns: Vec<Value> = (0..5_200)
        .map(|n| json!({"cursor": "c", "node": {"id": n, "signals": ["Looping"]}}))
        .collect();
    berth.expect([
        consent(),
        sessions(&json!([])),
        analysed(&session_node("s-1", "2026-01-01T00:00:00Z")),
        dialogues("s-1", &json!(turns)),
    ]);
    let signals = berth.signals().unwrap();
    assert_eq!(signals.len(), 5_000);
    assert_eq!(signals[0].title, "Signal: Looping");
    assert_eq!(signals[0].severity, Severity::Info);
}

#[test]
fn what_is_malformed_is_dropped_and_the_others_are_told() {
    let berth = host();
    berth.expect([
        consent(),
        sessions(&json!([])),
        analysed(&node(&json!({"session_id": "s-1", "signal_count": 1}))),
        dialogues(
            "s-1",
            &json!([
                {"cursor": "c", "node": {"id": 1, "signals": ["Looping"]}},
                {"cursor": "c", "node": {"signals": ["Looping"], "created_at": "2026-01-01T00:00:00Z"}},
                {"cursor": "c", "node": {"id": 2, "signals": ["", 7, {}], "created_at": "2026-01-01T00:00:00Z"}},
                {"cursor": "c", "node": "what"}, {"cursor": "c", "node": {"id": 3, "signals": "x", "sequence": -1}}, {},
                {"cursor": "c", "node": {"id": "d-3", "signals": ["Looping"], "created_at": "2026-01-01T00:00:00Z"}}
            ]),
        ),
    ]);
    let ids: Vec<String> = berth
        .signals()
        .unwrap()
        .into_iter()
        .map(|signal| signal.id)
        .collect();
    assert_eq!(ids, ["s-1:d-3:Looping"]);
}
