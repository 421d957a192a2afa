//! Controls of Functions namespaces and of inference endpoints.

use axum::extract::{Path, State};
use axum::routing::{patch, post};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Body, Done, FailNext, done};
use crate::controls::Controls;
use crate::inference::PlantedInference;

pub(super) fn router() -> Router<Controls> {
    Router::new()
        .route("/namespaces", post(plant_namespace))
        .route("/inferences", post(plant_inference))
        .route("/inferences/fail-next", post(fail_next))
        .route("/inferences/{id}", patch(drift))
        .route("/inferences/{id}/fail", post(fail))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Planted {
    label: String,
    region: String,
    key: Option<String>,
}

async fn plant_namespace(State(controls): State<Controls>, Body(planted): Body<Planted>) -> Done {
    let key = planted.key.as_deref();
    let id = controls.plant_namespace(&planted.label, &planted.region, key)?;
    Ok(Json(json!({"id": id})))
}

async fn plant_inference(
    State(controls): State<Controls>,
    Body(planted): Body<PlantedInference>,
) -> Done {
    Ok(Json(json!({"id": controls.plant_inference(planted)?})))
}

async fn drift(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(patch): Body<Value>,
) -> Done {
    controls.drift_inference(&id, &patch)?;
    done()
}

async fn fail_next(State(controls): State<Controls>, Body(wanted): Body<FailNext>) -> Done {
    controls.fail_next_inferences(wanted.count);
    done()
}

async fn fail(State(controls): State<Controls>, Path(id): Path<String>) -> Done {
    controls.fail_inference(&id)?;
    done()
}
