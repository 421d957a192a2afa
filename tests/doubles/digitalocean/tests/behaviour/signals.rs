//! What the analysis of agents' sessions says.

use double_digitalocean::{Fault, FaultBody, PlantedAgentConfig, PlantedSession};
use serde_json::{Value, json};

use crate::client::Rig;

/// An agent that consented, with a session.
async fn agent(rig: &Rig, name: &str) -> (String, String) {
    let agent = rig
        .double
        .plant_agent_config(PlantedAgentConfig::named(name))
        .unwrap();
    rig.double.plant_consent(&agent, true);
    let mut planted = PlantedSession::of(&agent, name);
    planted.created_at = Some(1_800_000_000_000);
    let session = rig.double.plant_session(planted).unwrap();
    (agent, session)
}

async fn nodes(rig: &Rig, path: &str) -> Vec<Value> {
    let reply = rig.get(path).await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    let edges = reply.json()["edges"].as_array().unwrap().clone();
    edges.iter().map(|edge| edge["node"].clone()).collect()
}

#[tokio::test]
async fn who_did_not_consent_is_not_told_of() {
    let rig = Rig::frozen().await;
    let silent = rig
        .double
        .plant_agent_config(PlantedAgentConfig::named("silent"))
        .unwrap();
    let (open, _) = agent(&rig, "open").await;
    let list = rig.get("/v1/consent?source=agent").await.json();
    let consents = list["consents"].as_array().unwrap();
    assert_eq!(
        (consents.len(), &consents[0]["agent_id"]),
        (1, &json!(open))
    );
    let sessions = |id: &str| format!("/v1/signals/agents/{id}/sessions");
    assert_eq!(rig.get(&sessions(&silent)).await.status, 403);
    rig.double.plant_consent(&open, false);
    assert_eq!(
        rig.get("/v1/consent").await.json()["consents"][0]["enabled"],
        false
    );
    assert_eq!(rig.get(&sessions(&open)).await.status, 403);
    assert_eq!(rig.get(&sessions("none")).await.status, 404);
    assert_eq!(rig.get("/v1/consent?source=inference").await.status, 400);
    rig.double.plant_consent(&open, true);
    assert_eq!(nodes(&rig, &sessions(&open)).await, Vec::<Value>::new());
}

#[tokio::test]
async fn sessions_with_dialogues_are_told_with_their_signals() {
    let rig = Rig::frozen().await;
    let (agent, session) = agent(&rig, "one").await;
    rig.double
        .plant_dialogue(&session, &json!({"user_message": "all well"}));
    let found = json!({"signals": ["disengagement_escalation", "execution_looping"]});
    rig.double.plant_dialogue(&session, &found);
    let detailed = json!({"signals": [{"signal_type": "environment_exhaustion_api_error"}]});
    rig.double.plant_dialogue(&session, &detailed);
    let sessions = format!("/v1/signals/agents/{agent}/sessions");
    let told = nodes(&rig, &sessions).await;
    assert_eq!(told.len(), 1);
    assert_eq!(
        (
            &told[0]["session_id"],
            &told[0]["signal_count"],
            &told[0]["total_turns"]
        ),
        (&json!(session), &json!(3), &json!(3))
    );
    assert_eq!(told[0]["started_at"], "2027-01-15T08:00:00Z");
    let dialogues = format!("/v1/signals/sessions/{session}/dialogues");
    let told = nodes(&rig, &dialogues).await;
    assert_eq!(told.len(), 3);
    assert_eq!(told[1]["signals"], found["signals"]);
    let escalated = nodes(
        &rig,
        &format!("{dialogues}?signal_type=disengagement_escalation"),
    )
    .await;
    assert_eq!(escalated.len(), 1);
    for (query, count) in [
        (
            "?signal_type=execution_looping&signal_type=execution_failure",
            1,
        ),
        ("?signal_type=execution_failure", 0),
        ("?signal_type=environment_exhaustion_api_error", 1),
        ("?start_time=1800000000&end_time=1800000001", 1),
        ("?start_time=1800000001", 0),
        ("?end_time=1800000000", 0),
    ] {
        assert_eq!(
            nodes(&rig, &format!("{sessions}{query}")).await.len(),
            count,
            "{query}"
        );
    }
    let options = rig.get("/v1/signals/exports/options").await.json();
    let types = options["filters"]["signal_type"].as_array().unwrap();
    assert!(types.contains(&json!("disengagement_escalation")));
}

#[tokio::test]
async fn edges_go_on_from_their_cursor() {
    let rig = Rig::frozen().await;
    let (_, session) = agent(&rig, "one").await;
    for number in 0..45 {
        rig.double
            .plant_dialogue(&session, &json!({"sequence": number}));
    }
    let path = format!("/v1/signals/sessions/{session}/dialogues");
    let mut seen = Vec::new();
    let mut after = String::new();
    loop {
        let part = rig.get(&format!("{path}?after={after}")).await.json();
        let edges = part["edges"].as_array().unwrap();
        seen.extend(edges.iter().map(|edge| edge["node"]["sequence"].clone()));
        after = edges.last().unwrap()["cursor"].as_str().unwrap().to_owned();
        assert_eq!(part["page_info"]["end_cursor"], after);
        if part["page_info"]["has_next_page"] == false {
            break;
        }
        assert_eq!(edges.len(), 20);
    }
    let all: Vec<Value> = (0..45).rev().map(|number| json!(number)).collect();
    assert_eq!(seen, all, "the newest first, each once");
    for wrong in [
        "?limit=101",
        "?limit=0",
        "?after=zzz",
        "?page=1",
        "?signal_type=made_up",
    ] {
        assert_eq!(
            rig.get(&format!("{path}{wrong}")).await.status,
            400,
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn malformed_sessions_and_dialogues_can_be_planted() {
    let rig = Rig::frozen().await;
    let (agent, session) = agent(&rig, "one").await;
    rig.double
        .plant_dialogue(&session, &json!({"signals": 5, "id": null}));
    rig.double.plant_dialogue(&session, &json!("no object"));
    rig.double
        .plant_analysed_session(&agent, &json!({"session_id": "odd", "started_at": "soon"}));
    rig.double.plant_analysed_session(&agent, &json!(null));
    rig.double
        .plant_dialogue("odd", &json!({"user_message": "x\ny"}));
    let told = nodes(&rig, &format!("/v1/signals/agents/{agent}/sessions")).await;
    assert_eq!(told.len(), 3);
    assert_eq!(
        (&told[0], &told[1]["started_at"]),
        (&Value::Null, &json!("soon"))
    );
    let dialogues = nodes(&rig, &format!("/v1/signals/sessions/{session}/dialogues")).await;
    assert_eq!(dialogues[0], "no object");
    assert_eq!(dialogues[1]["signals"], 5);
    assert_eq!(
        nodes(&rig, "/v1/signals/sessions/odd/dialogues")
            .await
            .len(),
        1
    );
    assert_eq!(
        rig.get("/v1/signals/sessions/none/dialogues").await.status,
        404
    );
}

#[tokio::test]
async fn signals_are_read_only_and_faults_reach_them() {
    let rig = Rig::frozen().await;
    let (agent, session) = agent(&rig, "one").await;
    for path in [
        "/v1/consent".to_owned(),
        format!("/v1/signals/agents/{agent}/sessions"),
        format!("/v1/signals/sessions/{session}/dialogues"),
        "/v1/signals/exports/options".into(),
    ] {
        assert_eq!(rig.post(&path, &json!({})).await.status, 405, "{path}");
        rig.double
            .fault(Fault::on("GET", &path).answer(500, FaultBody::Garbage));
        assert_eq!(rig.get(&path).await.status, 500, "{path}");
        assert_eq!(rig.get(&path).await.status, 200, "{path}");
    }
    rig.double
        .fault(Fault::on("GET", "/v1/**").answer(403, FaultBody::Error));
    assert_eq!(rig.get("/v1/consent").await.status, 403);
}
