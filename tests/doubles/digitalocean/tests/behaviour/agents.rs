//! Environments of agents, their sessions and triggers.

use double_digitalocean::{Fault, FaultBody, PlantedAgentConfig, PlantedSession};
use serde_json::{Value, json};

use crate::client::{Rig, id_in};

const CONFIGS: &str = "/v2/agents/configs";
const SESSIONS: &str = "/v2/agents/sessions";

fn config_body(name: &str) -> Value {
    let manifest = json!({
        "apiVersion": "agents.digitalocean.com/v1alpha1",
        "kind": "Agent",
        "metadata": {"name": name, "labels": {"team": "blue"}},
        "spec": {
            "agent": "claude-code",
            "secrets": [{"name": "KEY", "source": "tenantSecret", "value": "canary"}],
        },
    });
    json!({"name": name, "manifest_yaml": manifest.to_string()})
}

async fn environment(rig: &Rig, name: &str) -> String {
    let reply = rig.post(CONFIGS, &config_body(name)).await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    id_in(&reply.json()["config"])
}

async fn session(rig: &Rig, config: &str, name: &str) -> String {
    let reply = rig
        .post(SESSIONS, &json!({"config_id": config, "name": name}))
        .await;
    assert_eq!(reply.status, 201, "{}", reply.text);
    let id = reply.json()["session"]["session_id"].clone();
    id.as_str().unwrap().to_owned()
}

async fn status(rig: &Rig, id: &str) -> String {
    let reply = rig.get(&format!("{SESSIONS}/{id}")).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()["session"]["status"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn names(rig: &Rig, path: &str, list: &str) -> Vec<String> {
    let reply = rig.get(path).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let all = reply.json()[list].as_array().unwrap().clone();
    all.iter()
        .map(|one| one["name"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn an_environment_shows_its_manifest_without_secrets() {
    let rig = Rig::frozen().await;
    let made = rig.post(CONFIGS, &config_body("builder")).await;
    assert_eq!(made.status, 201);
    let shown = made.json()["config"].clone();
    let id = id_in(&shown);
    let read = rig.get(&format!("{CONFIGS}/{id}")).await;
    for reply in [&made, &read] {
        assert!(!reply.text.contains("canary"), "{}", reply.text);
        assert_eq!(
            reply.json()["config"]["manifest"]["metadata"]["labels"]["team"],
            "blue"
        );
    }
    assert_eq!(
        shown["credentials"],
        json!([{"name": "KEY", "source": "tenantSecret"}])
    );
    assert_eq!(
        rig.double.agent_secret(&id, "KEY").unwrap().unwrap(),
        "canary"
    );
    let listed = rig.get(CONFIGS).await.json();
    assert_eq!(listed["configs"][0]["id"], id);
    assert!(
        listed["configs"][0].get("manifest").is_none(),
        "lists are short"
    );
    assert_eq!(listed["next_page_token"], "");
}

#[tokio::test]
async fn a_manifest_may_be_any_yaml() {
    let rig = Rig::frozen().await;
    let manifest =
        "agent: opencode\nmetadata:\n  labels: {team: blue}\nsecrets:\n  KEY:\n    value: canary\n";
    let body = json!({"name": "flat", "manifest_yaml": manifest});
    let made = rig.post(CONFIGS, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert!(!made.text.contains("canary"), "{}", made.text);
    let shown = made.json()["config"]["manifest"].clone();
    assert_eq!(
        (&shown["agent"], &shown["metadata"]["labels"]["team"]),
        (&json!("opencode"), &json!("blue"))
    );
}

#[tokio::test]
async fn a_name_is_unique_whatever_its_case_and_an_environment_never_changes() {
    let rig = Rig::frozen().await;
    let id = environment(&rig, "builder").await;
    assert_eq!(rig.post(CONFIGS, &config_body("Builder")).await.status, 409);
    for method in ["PUT", "PATCH"] {
        let reply = rig
            .call(method, &format!("{CONFIGS}/{id}"), &config_body("other"))
            .await;
        assert_eq!(reply.status, 405);
    }
    for wrong in [
        json!({"name": "a"}),
        json!({"name": "a b", "manifest_yaml": "{\"agent\": \"a\"}"}),
        json!({"name": "-a", "manifest_yaml": "{\"agent\": \"a\"}"}),
        json!({"name": "a", "manifest_yaml": "agent: ["}),
        json!({"name": "a", "manifest_yaml": "{}"}),
        json!({"name": "a", "manifest_yaml": "{\"agent\": \"a\"}", "secrets": {}}),
        json!({"name": "a", "manifest_yaml": "{\"agent\": \"a\"}", "tags": []}),
    ] {
        assert_eq!(rig.post(CONFIGS, &wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(rig.double.objects().totals.agent_configs_made, 1);
}

#[tokio::test]
async fn an_environment_stays_while_sessions_run_from_it() {
    let rig = Rig::frozen().await;
    let id = environment(&rig, "builder").await;
    let running = session(&rig, &id, "one").await;
    let path = format!("{CONFIGS}/{id}");
    let refused = rig.delete(&path).await;
    assert_eq!(refused.status, 409);
    assert!(refused.text.contains("active sessions"), "{}", refused.text);
    assert_eq!(
        rig.delete(&format!("{SESSIONS}/{running}")).await.status,
        204
    );
    assert_eq!(rig.delete(&path).await.status, 204);
    for reply in [rig.get(&path).await, rig.delete(&path).await] {
        assert_eq!(reply.status, 404);
    }
    assert_eq!(rig.get(&format!("{path}/sessions")).await.status, 404);
}

#[tokio::test]
async fn a_session_is_provisioned_paused_resumed_and_destroyed() {
    let rig = Rig::frozen().await;
    let config = environment(&rig, "builder").await;
    let id = session(&rig, &config, "one").await;
    let path = format!("{SESSIONS}/{id}");
    let times = rig.double.config().times;
    let turn = async |what: &str| {
        let request = rig.request("POST", &format!("{path}/{what}"));
        rig.send(request).await.unwrap().status
    };
    assert_eq!(status(&rig, &id).await, "SESSION_STATUS_PROVISIONING");
    assert_eq!(turn("pause").await, 409);
    rig.double.advance(times.session);
    assert_eq!(status(&rig, &id).await, "SESSION_STATUS_READY");
    assert_eq!(turn("pause").await, 204);
    let paused = rig.get(&path).await.json()["session"].clone();
    assert_eq!(
        (&paused["status"], &paused["pause_reason"]),
        (&json!("SESSION_STATUS_PAUSED"), &json!("manual"))
    );
    assert_eq!(turn("resume").await, 204);
    let renamed = rig
        .call("PATCH", &path, &json!({"name": "two"}))
        .await
        .json();
    assert_eq!(renamed["session"]["name"], "two");
    let set = rig
        .call("PATCH", &path, &json!({"resume_on_topoff": true}))
        .await
        .json();
    assert_eq!(
        (&set["session"]["name"], &set["session"]["resume_on_topoff"]),
        (&json!("two"), &json!(true))
    );
    rig.double
        .configure(|config| config.visibility.session_settings_in_reads = false)
        .unwrap();
    let quiet = rig.get(&path).await.json();
    assert!(quiet["session"].get("resume_on_topoff").is_none());
    assert_eq!(rig.call("PATCH", &path, &json!({})).await.status, 400);
    assert_eq!(rig.delete(&path).await.status, 204);
    assert_eq!(status(&rig, &id).await, "SESSION_STATUS_DESTROYING");
    assert_eq!(turn("resume").await, 409);
    rig.double.advance(times.session_destroy);
    assert_eq!(status(&rig, &id).await, "SESSION_STATUS_DESTROYED");
    assert_eq!(rig.delete(&path).await.status, 204, "it is as good");
    rig.double
        .configure(|config| config.visibility.destroyed_sessions = false)
        .unwrap();
    assert_eq!(rig.get(&path).await.status, 404);
    assert_eq!(rig.delete(&path).await.status, 404);
}

#[tokio::test]
async fn a_name_is_free_again_when_its_session_ends() {
    let rig = Rig::frozen().await;
    let config = environment(&rig, "builder").await;
    let first = session(&rig, &config, "one").await;
    let body = json!({"config_id": config, "name": "one"});
    assert_eq!(rig.post(SESSIONS, &body).await.status, 409);
    rig.double.fail_session(&first).unwrap();
    session(&rig, &config, "one").await;
    for wrong in [
        json!({"name": "two"}),
        json!({"config_id": config, "name": "a b"}),
        json!({"config_id": config, "name": "two", "agent_kind": "x"}),
    ] {
        assert_eq!(rig.post(SESSIONS, &wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(
        rig.post(SESSIONS, &json!({"config_id": "none"}))
            .await
            .status,
        404
    );
    let unnamed = rig
        .post(SESSIONS, &json!({"config_id": config}))
        .await
        .json();
    assert!(!unnamed["session"]["name"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn lists_leave_out_what_has_ended_unless_they_are_asked() {
    let rig = Rig::frozen().await;
    let config = environment(&rig, "builder").await;
    let other = rig
        .double
        .plant_agent_config(PlantedAgentConfig::named("other"))
        .unwrap();
    for (name, status) in [
        ("ready", "SESSION_STATUS_READY"),
        ("failed", "SESSION_STATUS_FAILED"),
        ("destroyed", "SESSION_STATUS_DESTROYED"),
        ("paused", "SESSION_STATUS_PAUSED"),
    ] {
        let planted = PlantedSession::of(&config, name).status(status);
        rig.double.plant_session(planted).unwrap();
    }
    rig.double
        .plant_session(PlantedSession::of(&other, "else"))
        .unwrap();
    for (query, found) in [
        ("", vec!["else", "paused", "ready"]),
        ("?status=SESSION_STATUS_FAILED", vec!["failed"]),
        (
            "?status=SESSION_STATUS_ALL",
            vec!["else", "paused", "destroyed", "failed", "ready"],
        ),
        ("?name=ready", vec!["ready"]),
    ] {
        assert_eq!(
            names(&rig, &format!("{SESSIONS}{query}"), "sessions").await,
            found
        );
    }
    let of_config = format!("{CONFIGS}/{config}/sessions");
    assert_eq!(
        names(&rig, &of_config, "sessions").await,
        ["paused", "ready"]
    );
    for wrong in [
        "?status=FAILED",
        "?page_size=201",
        "?page_size=0",
        "?page_token=zzz",
        "?limit=5",
    ] {
        assert_eq!(
            rig.get(&format!("{SESSIONS}{wrong}")).await.status,
            400,
            "{wrong}"
        );
    }
    let nobody = PlantedSession::of("none", "one");
    assert!(rig.double.plant_session(nobody).is_err());
}

#[tokio::test]
async fn parts_of_a_list_go_on_from_their_token() {
    let rig = Rig::frozen().await;
    for number in 0..7 {
        let planted = PlantedAgentConfig::named(&format!("agent-{number}"));
        rig.double.plant_agent_config(planted).unwrap();
    }
    let mut seen = Vec::new();
    let mut token = String::new();
    loop {
        let list = rig
            .get(&format!("{CONFIGS}?page_size=3&page_token={token}"))
            .await
            .json();
        let part = list["configs"].as_array().unwrap();
        seen.extend(
            part.iter()
                .map(|one| one["name"].as_str().unwrap().to_owned()),
        );
        token = list["next_page_token"].as_str().unwrap().to_owned();
        if token.is_empty() {
            break;
        }
    }
    let all: Vec<String> = (0..7)
        .rev()
        .map(|number| format!("agent-{number}"))
        .collect();
    assert_eq!(seen, all, "the newest first, each once");
    assert_eq!(
        names(&rig, &format!("{CONFIGS}?search=GENT-3"), "configs").await,
        ["agent-3"]
    );
}

#[tokio::test]
async fn sessions_fail_on_demand_hide_vanish_and_meet_faults() {
    let rig = Rig::frozen().await;
    let config = environment(&rig, "builder").await;
    rig.double.fail_next_sessions(1);
    let id = session(&rig, &config, "one").await;
    rig.double.finish_everything();
    assert_eq!(status(&rig, &id).await, "SESSION_STATUS_FAILED");
    for (id, path) in [
        (&id, format!("{SESSIONS}/{id}")),
        (&config, format!("{CONFIGS}/{config}")),
    ] {
        rig.double.hide(id, 1, true).unwrap();
        assert_eq!(rig.get(&path).await.status, 404);
        assert_eq!(rig.get(&path).await.status, 200);
        rig.double.vanish(id).unwrap();
        assert_eq!(rig.get(&path).await.status, 404);
    }
    rig.double
        .configure(|config| config.visibility.not_found_reads = 1)
        .unwrap();
    rig.double
        .fault(Fault::on("POST", CONFIGS).act_and_answer(502, FaultBody::Html));
    assert_eq!(rig.post(CONFIGS, &config_body("late")).await.status, 502);
    let id = rig.double.objects().agent_configs[0].id.clone();
    assert_eq!(rig.get(&format!("{CONFIGS}/{id}")).await.status, 404);
    assert_eq!(rig.get(&format!("{CONFIGS}/{id}")).await.status, 200);
}

#[tokio::test]
async fn firings_are_listed_by_status() {
    let rig = Rig::frozen().await;
    let id = rig.double.plant_trigger("nightly", "cron");
    for patch in [
        json!({"failure_reason": "out of budget"}),
        json!({"status": "succeeded", "failure_reason": null}),
        json!({"execution_id": null, "updated_at": 5}),
    ] {
        rig.double.plant_execution(&id, &patch).unwrap();
    }
    let path = format!("/v2/agents/triggers/{id}");
    assert_eq!(
        names(&rig, "/v2/agents/triggers?kind=cron", "triggers").await,
        ["nightly"]
    );
    assert_eq!(rig.get(&path).await.json()["trigger"]["trigger_id"], id);
    let failed = rig
        .get(&format!("{path}/executions?status=failed"))
        .await
        .json();
    let failed = failed["executions"].as_array().unwrap();
    assert_eq!(failed.len(), 2);
    assert_eq!(failed[1]["failure_reason"], "out of budget");
    assert!(failed[0].get("execution_id").is_none(), "a malformed one");
    assert_eq!(
        rig.get(&format!("{path}/executions?status=lost"))
            .await
            .status,
        400
    );
    rig.double.vanish(&id).unwrap();
    assert_eq!(rig.get(&path).await.status, 404);
    assert!(rig.double.plant_execution(&id, &json!({})).is_err());
}

#[tokio::test]
async fn what_happened_in_a_session_is_replayed() {
    let rig = Rig::frozen().await;
    let config = environment(&rig, "builder").await;
    let id = session(&rig, &config, "one").await;
    let path = format!("{SESSIONS}/{id}/events");
    for (kind, patch) in [
        ("run.started", json!({})),
        (
            "run.human_input_requested",
            json!({"data": {"request_id": "r1"}}),
        ),
        (
            "run.failed",
            json!({"data": {"code": "RUN_FAILURE_CODE_MODEL_ERROR"}}),
        ),
    ] {
        rig.double.plant_session_event(&id, kind, &patch).unwrap();
    }
    let reply = rig.get(&format!("{path}?replay_only=true")).await;
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.text.matches("\n\n").count(), 3);
    let data = reply
        .text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "));
    let events: Vec<Value> = data
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(events[1]["data"]["request_id"], "r1");
    assert_eq!(events[2]["seq"], 3);
    assert_eq!(rig.get(&path).await.status, 400, "no live streams");
}

#[tokio::test]
async fn errors_of_agents_have_a_shape_of_their_own() {
    let rig = Rig::frozen().await;
    let path = format!("{CONFIGS}/none");
    let nested = rig.get(&path).await;
    assert_eq!(nested.json()["error"]["code"], 404);
    assert!(nested.json()["error"]["message"].is_string());
    rig.double
        .configure(|config| config.refusals.nested_agent_errors = false)
        .unwrap();
    assert_eq!(rig.get(&path).await.json()["id"], "not_found");
}

#[tokio::test]
async fn without_the_preview_everything_is_forbidden() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"previews": {"agents": false, "signals": false}}))
        .unwrap();
    for path in [CONFIGS, SESSIONS, "/v2/agents/triggers", "/v1/consent"] {
        let reply = rig.get(path).await;
        assert_eq!(reply.status, 403, "{path}");
        assert!(reply.text.contains("not enabled"), "{}", reply.text);
    }
    assert_eq!(rig.post(CONFIGS, &config_body("builder")).await.status, 403);
    assert!(rig.double.objects().agent_configs.is_empty());
}
