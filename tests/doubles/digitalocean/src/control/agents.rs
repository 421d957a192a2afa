//! Controls of agents and of what their analysis says.

use axum::extract::{Path, State};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Done, FailNext, done};
use crate::agents::{PlantedAgentConfig, PlantedSession};
use crate::controls::Controls;

pub(super) fn router() -> Router<Controls> {
    Router::new()
        .route("/agents/configs", post(plant_config))
        .route("/agents/configs/{id}/secrets/{name}", get(secret))
        .route("/agents/configs/{id}/consent", put(consent))
        .route("/agents/configs/{id}/analysed", post(analysed))
        .route("/agents/sessions", post(plant_session))
        .route("/agents/sessions/fail-next", post(fail_next))
        .route("/agents/sessions/{id}/fail", post(fail))
        .route("/agents/sessions/{id}/dialogues", post(dialogue))
        .route("/agents/sessions/{id}/events/{kind}", post(event))
        .route("/agents/triggers", post(plant_trigger))
        .route("/agents/triggers/{id}/executions", post(execution))
}

async fn plant_config(
    State(controls): State<Controls>,
    Body(planted): Body<PlantedAgentConfig>,
) -> Done {
    Ok(Json(json!({"id": controls.plant_agent_config(planted)?})))
}

async fn secret(
    State(controls): State<Controls>,
    Path((id, name)): Path<(String, String)>,
) -> Done {
    Ok(Json(json!({"value": controls.agent_secret(&id, &name)?})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Enabled {
    enabled: bool,
}

async fn consent(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(wanted): Body<Enabled>,
) -> Done {
    controls.plant_consent(&id, wanted.enabled);
    done()
}

async fn analysed(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(patch): Body<Value>,
) -> Done {
    controls.plant_analysed_session(&id, &patch);
    done()
}

async fn plant_session(
    State(controls): State<Controls>,
    Body(planted): Body<PlantedSession>,
) -> Done {
    Ok(Json(json!({"id": controls.plant_session(planted)?})))
}

async fn fail_next(State(controls): State<Controls>, Body(wanted): Body<FailNext>) -> Done {
    controls.fail_next_sessions(wanted.count);
    done()
}

async fn fail(State(controls): State<Controls>, Path(id): Path<String>) -> Done {
    controls.fail_session(&id)?;
    done()
}

async fn dialogue(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(patch): Body<Value>,
) -> Done {
    controls.plant_dialogue(&id, &patch);
    done()
}

async fn event(
    State(controls): State<Controls>,
    Path((id, kind)): Path<(String, String)>,
    Body(patch): Body<Value>,
) -> Done {
    controls.plant_session_event(&id, &kind, &patch)?;
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedTrigger {
    name: String,
    kind: String,
}

async fn plant_trigger(
    State(controls): State<Controls>,
    Body(planted): Body<PlantedTrigger>,
) -> Done {
    let id = controls.plant_trigger(&planted.name, &planted.kind);
    Ok(Json(json!({"id": id})))
}

async fn execution(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(patch): Body<Value>,
) -> Done {
    controls.plant_execution(&id, &patch)?;
    done()
}
