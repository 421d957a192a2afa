//! The control API: [`Controls`] over HTTP, for tests in other processes. See the crate's page
//! for the table of its paths.

mod agents;
mod networks;
mod serverless;

use axum::extract::rejection::JsonRejection;
use axum::extract::{FromRequest, Path, Query, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, patch, post, put};
use axum::{Json, Router};
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::controls::{Controls, Refused, no_such};
use crate::drift::ClusterDrift;
use crate::faults::Fault;
use crate::plant::{PlantedApp, PlantedCluster};

pub(crate) fn router(controls: Controls) -> Router {
    Router::new()
        .route("/settings", get(settings).patch(change_settings))
        .route("/speed", post(speed))
        .route("/advance", post(advance))
        .route("/finish", post(finish))
        .route("/rate", delete(clear_rate))
        .route("/faults", get(faults).post(arm).delete(clear_faults))
        .route("/faults/{id}", get(fault).delete(release))
        .route("/log", get(log).delete(clear_log))
        .route("/count", get(count))
        .route("/objects", get(objects))
        .route("/objects/{id}", delete(vanish))
        .route("/objects/{id}/hide", post(hide))
        .route("/clusters", post(plant_cluster))
        .route("/clusters/{id}", patch(drift_cluster))
        .route("/clusters/{id}/users", post(plant_user))
        .route("/clusters/{id}/users/{name}", delete(vanish_user))
        .route("/apps", post(plant_app))
        .route("/apps/fail-next", post(fail_next))
        .route("/apps/{id}/fail", post(fail_deployment))
        .route("/apps/{id}/spec", put(drift_app))
        .route("/apps/{id}/secrets/{key}", get(app_secret))
        .route("/state", get(state))
        .merge(agents::router())
        .merge(networks::router())
        .merge(serverless::router())
        .fallback(|| async {
            Wrong(
                StatusCode::NOT_FOUND,
                "there is no such path of the control API".into(),
            )
        })
        .with_state(controls)
}

/// A control that did nothing, and why.
struct Wrong(StatusCode, String);

impl From<Refused> for Wrong {
    fn from(refused: Refused) -> Self {
        Self(StatusCode::BAD_REQUEST, refused.to_string())
    }
}

impl From<JsonRejection> for Wrong {
    fn from(rejection: JsonRejection) -> Self {
        Self(StatusCode::BAD_REQUEST, rejection.body_text())
    }
}

impl IntoResponse for Wrong {
    fn into_response(self) -> Response {
        (self.0, Json(json!({"error": self.1}))).into_response()
    }
}

type Done = Result<Json<Value>, Wrong>;

/// A JSON body whose refusal has the shape of [`Wrong`].
struct Body<T>(T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Wrong;

    async fn from_request(request: Request, state: &S) -> Result<Self, Wrong> {
        let Json(value) = Json::<T>::from_request(request, state).await?;
        Ok(Self(value))
    }
}

fn done() -> Done {
    Ok(Json(json!({})))
}

async fn settings(State(controls): State<Controls>) -> Response {
    Json(controls.config()).into_response()
}

async fn change_settings(State(controls): State<Controls>, Body(patch): Body<Value>) -> Done {
    controls.patch_config(&patch)?;
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speed {
    speed: f64,
}

async fn speed(State(controls): State<Controls>, Body(wanted): Body<Speed>) -> Done {
    controls.patch_config(&json!({"speed": wanted.speed}))?;
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Advance {
    ms: u64,
}

async fn advance(State(controls): State<Controls>, Body(wanted): Body<Advance>) -> Done {
    controls.advance(wanted.ms);
    Ok(Json(json!({"now": controls.now()})))
}

async fn finish(State(controls): State<Controls>) -> Done {
    controls.finish_everything();
    Ok(Json(json!({"now": controls.now()})))
}

async fn clear_rate(State(controls): State<Controls>) -> Done {
    controls.clear_rate();
    done()
}

async fn faults(State(controls): State<Controls>) -> Response {
    Json(json!({"faults": controls.faults()})).into_response()
}

async fn arm(State(controls): State<Controls>, Body(fault): Body<Fault>) -> Done {
    Ok(Json(json!({"id": controls.fault(fault)})))
}

async fn clear_faults(State(controls): State<Controls>) -> Done {
    controls.clear_faults();
    done()
}

async fn fault(State(controls): State<Controls>, Path(id): Path<u64>) -> Done {
    let armed = controls.faults().into_iter().find(|armed| armed.id == id);
    let armed = armed.ok_or_else(|| no_such(&format!("fault {id}")))?;
    Ok(Json(json!({"fault": armed, "held": controls.held(id)})))
}

async fn release(State(controls): State<Controls>, Path(id): Path<u64>) -> Done {
    if controls.release(id) {
        return done();
    }
    Err(no_such(&format!("fault {id}")).into())
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: u64,
}

async fn log(State(controls): State<Controls>, Query(from): Query<Since>) -> Response {
    Json(json!({"entries": controls.log_since(from.since)})).into_response()
}

async fn clear_log(State(controls): State<Controls>) -> Done {
    controls.clear_log();
    done()
}

#[derive(Deserialize)]
struct Counted {
    method: String,
    path: String,
}

async fn count(State(controls): State<Controls>, Query(of): Query<Counted>) -> Done {
    Ok(Json(json!({"count": controls.count(&of.method, &of.path)})))
}

async fn objects(State(controls): State<Controls>) -> Response {
    Json(controls.objects()).into_response()
}

async fn vanish(State(controls): State<Controls>, Path(id): Path<String>) -> Done {
    controls.vanish(&id)?;
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hide {
    reads: u32,
    #[serde(default)]
    in_lists: bool,
}

async fn hide(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(wanted): Body<Hide>,
) -> Done {
    controls.hide(&id, wanted.reads, wanted.in_lists)?;
    done()
}

async fn plant_cluster(
    State(controls): State<Controls>,
    Body(planted): Body<PlantedCluster>,
) -> Done {
    Ok(Json(json!({"id": controls.plant_cluster(planted)?})))
}

async fn drift_cluster(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(drift): Body<ClusterDrift>,
) -> Done {
    controls.drift_cluster(&id, drift)?;
    done()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlantedUser {
    name: String,
    password: Option<String>,
}

async fn plant_user(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(planted): Body<PlantedUser>,
) -> Done {
    controls.plant_user(&id, &planted.name, planted.password.as_deref())?;
    done()
}

async fn vanish_user(
    State(controls): State<Controls>,
    Path((id, name)): Path<(String, String)>,
) -> Done {
    controls.vanish_user(&id, &name)?;
    done()
}

async fn plant_app(State(controls): State<Controls>, Body(planted): Body<PlantedApp>) -> Done {
    Ok(Json(json!({"id": controls.plant_app(planted)?})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FailNext {
    count: u32,
}

async fn fail_next(State(controls): State<Controls>, Body(wanted): Body<FailNext>) -> Done {
    controls.fail_next_deployments(wanted.count);
    done()
}

async fn fail_deployment(State(controls): State<Controls>, Path(id): Path<String>) -> Done {
    controls.fail_deployment(&id)?;
    done()
}

async fn drift_app(
    State(controls): State<Controls>,
    Path(id): Path<String>,
    Body(spec): Body<Value>,
) -> Done {
    controls.drift_app(&id, spec)?;
    done()
}

async fn app_secret(
    State(controls): State<Controls>,
    Path((id, key)): Path<(String, String)>,
) -> Done {
    Ok(Json(json!({"value": controls.app_secret(&id, &key)})))
}

async fn state(State(controls): State<Controls>) -> Response {
    let json = [(http::header::CONTENT_TYPE, "application/json")];
    (json, controls.saved()).into_response()
}
