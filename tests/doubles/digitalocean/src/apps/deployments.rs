//! Deployments of an app, its health and its alerts.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};

use super::record::Phase;
use super::render::components;
use crate::body;
use crate::error::{Answer, ApiError, json as answer};
use crate::pages::Page;
use crate::world::Shared;

/// `GET /v2/apps/{id}/deployments`, paged, newest first.
pub(crate) async fn list(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    page: Page,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let app = world.apps.get(&id, now, &world.config.times)?;
    let total = app.shown(now).count();
    let deployments: Vec<Value> = page.of(app.shown(now)).map(|one| one.json()).collect();
    let path = format!("/v2/apps/{id}/deployments");
    let links = page.links(&world.config.links_origin, &path, total);
    Ok(answer(
        StatusCode::OK,
        &json!({"deployments": deployments, "links": links, "meta": {"total": total}}),
    ))
}

/// `GET /v2/apps/{id}/deployments/{deployment}`.
pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Path((id, deployment)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let app = world.apps.get(&id, now, &world.config.times)?;
    let found = app
        .shown(now)
        .find(|one| one.id == deployment)
        .ok_or_else(ApiError::not_found)?;
    Ok(answer(StatusCode::OK, &json!({"deployment": found.json()})))
}

/// `POST /v2/apps/{id}/deployments` deploys the same spec again.
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    if world.apps.any(&id).is_none() {
        return Err(ApiError::not_found());
    }
    let _: Value = body::APP_DEPLOY.read(&bytes)?;
    let json = world.with_app(&id, now, |world, app| {
        world.begin_deployment(app, "manual", now, now);
        app.deployments
            .last()
            .map(|one| one.json())
            .ok_or_else(ApiError::not_found)
    })?;
    Ok(answer(StatusCode::OK, &json!({"deployment": json})))
}

/// `POST /v2/apps/{id}/deployments/{deployment}/cancel`.
pub(crate) async fn cancel(
    State(shared): State<Arc<Shared>>,
    Path((id, deployment)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let app = world.apps.get(&id, now, &world.config.times)?;
    let found = app
        .deployments
        .iter_mut()
        .find(|one| one.id == deployment)
        .ok_or_else(ApiError::not_found)?;
    if !found.phase.is_moving() {
        return Err(ApiError::conflict(format!(
            "deployment {deployment} can't be canceled: it is {}",
            found.phase.word()
        )));
    }
    found.phase = Phase::Canceled;
    Ok(answer(StatusCode::OK, &json!({"deployment": found.json()})))
}

/// `GET /v2/apps/{id}/health`: of services and workers that run.
pub(crate) async fn health(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let app = world.apps.get(&id, now, &world.config.times)?;
    let active = app.shown(now).find(|one| one.phase == Phase::Active);
    let healthy: Vec<Value> = active
        .into_iter()
        .flat_map(|one| components(&one.spec, "services").chain(components(&one.spec, "workers")))
        .map(|name| {
            json!({
                "name": name,
                "state": "HEALTHY",
                "replicas_desired": 1,
                "replicas_ready": 1,
                "cpu_usage_percent": 1.5,
                "memory_usage_percent": 10.0,
            })
        })
        .collect();
    Ok(answer(
        StatusCode::OK,
        &json!({"app_health": {"components": healthy}}),
    ))
}

/// `GET /v2/apps/{id}/alerts`.
pub(crate) async fn alerts(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let app = world.apps.get(&id, now, &world.config.times)?;
    let of_app = app.spec.get("alerts").and_then(Value::as_array);
    let alerts: Vec<Value> = of_app
        .into_iter()
        .flatten()
        .enumerate()
        .map(
            |(place, spec)| json!({"id": format!("{id}-{place}"), "spec": spec, "phase": "ACTIVE"}),
        )
        .collect();
    Ok(answer(StatusCode::OK, &json!({"alerts": alerts})))
}
