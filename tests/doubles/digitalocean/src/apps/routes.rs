//! Creating, reading, replacing and deleting apps.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::record::{App, Deployment, Phase};
use super::{catalog, secrets, validate};
use crate::body;
use crate::clock::wall_ms;
use crate::clusters::record::Origin;
use crate::error::{Answer, ApiError, json as answer};
use crate::hiding::Hiding;
use crate::pages::Page;
use crate::world::{Shared, World};

const DEFAULT_PROJECT: &str = "88b72d1a-b78a-4d9f-9090-b53c4399073f";

#[derive(Deserialize)]
struct NewApp {
    spec: Value,
    project_id: Option<String>,
}

/// `POST /v2/apps` answers 200. The name is unique in the account.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewApp = body::APP_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut world = shared.world();
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let id = world.add_app(wanted.spec, wanted.project_id, hiding, Origin::Api, now)?;
    let app = world.apps.any(&id).ok_or_else(ApiError::not_found)?;
    Ok(answer(StatusCode::OK, &json!({"app": app.json(now)})))
}

impl World {
    /// Adds an app that satisfies every rule of the provider and tells its id.
    pub(crate) fn add_app(
        &mut self,
        mut spec: Value,
        project_id: Option<String>,
        hiding: Hiding,
        origin: Origin,
        now: u64,
    ) -> Result<String, ApiError> {
        validate::check(&spec)?;
        let name = spec["name"].as_str().unwrap_or_default().to_owned();
        if self.apps.has_name(&name) {
            return Err(ApiError::conflict(format!(
                "App name already exists: `{name}`"
            )));
        }
        let mut sealed = secrets::Sealed::new();
        secrets::seal(&mut spec, &mut sealed, &mut self.random)?;
        let id = self.random.uuid();
        let created_at = wall_ms();
        let mut app = App {
            id: id.clone(),
            name,
            spec,
            project_id: project_id.unwrap_or_else(|| DEFAULT_PROJECT.into()),
            sealed,
            deployments: Vec::new(),
            created_at,
            updated_at: created_at,
            hiding,
            origin,
            order: self.apps.next_order(),
        };
        self.begin_deployment(&mut app, "initial deployment", now, now);
        self.apps.insert(app);
        self.totals.apps_made += 1;
        Ok(id)
    }

    /// Deploys the app's spec.
    pub(crate) fn begin_deployment(&mut self, app: &mut App, cause: &str, now: u64, shown_at: u64) {
        let fails = self.apps.failing > 0;
        self.apps.failing = self.apps.failing.saturating_sub(1);
        self.totals.deployments_made += 1;
        app.deploy(Deployment {
            id: self.random.uuid(),
            spec: app.spec.clone(),
            cause: cause.to_owned(),
            phase: Phase::PendingBuild,
            fails,
            begun: now,
            shown_at,
            created_at: wall_ms(),
        });
        app.settle(now, &self.config.times);
    }

    /// Changes an app with what else the world holds at hand.
    pub(crate) fn with_app<T>(
        &mut self,
        id: &str,
        now: u64,
        change: impl FnOnce(&mut Self, &mut App) -> Result<T, ApiError>,
    ) -> Result<T, ApiError> {
        let mut app = self.apps.remove(id).ok_or_else(ApiError::not_found)?;
        app.settle(now, &self.config.times);
        let result = change(self, &mut app);
        self.apps.insert(app);
        result
    }
}

/// `GET /v2/apps`, paged, newest first: an object that is made meanwhile shifts the pages.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, page: Page) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let shown: Vec<String> = page
        .of(world.apps.ids().filter(|id| {
            world
                .apps
                .any(id)
                .is_some_and(|app| !app.hiding.hides_in_list(now))
        }))
        .cloned()
        .collect();
    let mut apps = Vec::with_capacity(shown.len());
    for id in shown {
        apps.push(world.apps.get(&id, now, &world.config.times)?.json(now));
    }
    let total = world.apps.len();
    let links = page.links(&world.config.links_origin, "/v2/apps", total);
    Ok(answer(
        StatusCode::OK,
        &json!({"apps": apps, "links": links, "meta": {"total": total}}),
    ))
}

/// `GET /v2/apps/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let app = world.apps.get(&id, now, &world.config.times)?;
    app.hiding.check_read(now)?;
    Ok(answer(StatusCode::OK, &json!({"app": app.json(now)})))
}

#[derive(Deserialize)]
struct AppUpdate {
    spec: Value,
}

/// `PUT /v2/apps/{id}` replaces the whole spec and deploys it, changed or not.
pub(crate) async fn update(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    if world.apps.any(&id).is_none() {
        return Err(ApiError::not_found());
    }
    let wanted: AppUpdate = body::APP_UPDATE.read(&bytes)?;
    let json = world.with_app(&id, now, |world, app| {
        let mut spec = wanted.spec;
        validate::check(&spec)?;
        let fixed = ["name", "region"];
        if let Some(member) = fixed
            .iter()
            .find(|member| changes(&app.spec, &spec, member))
        {
            return Err(ApiError::bad_request(format!(
                "error validating app spec field: `{member}` can't be changed"
            )));
        }
        secrets::seal(&mut spec, &mut app.sealed, &mut world.random)?;
        app.spec = spec;
        let shown_at = now.saturating_add(world.config.times.deployment_lag);
        world.begin_deployment(app, "app spec updated", now, shown_at);
        Ok(app.json(now))
    })?;
    Ok(answer(StatusCode::OK, &json!({"app": json})))
}

fn changes(old: &Value, new: &Value, member: &str) -> bool {
    let read = |spec: &Value| {
        let default = if member == "region" {
            catalog::DEFAULT_REGION
        } else {
            ""
        };
        spec[member].as_str().unwrap_or(default).to_owned()
    };
    read(old) != read(new)
}

/// `DELETE /v2/apps/{id}` answers 200 with the id.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let mut world = shared.world();
    world.apps.remove(&id).ok_or_else(ApiError::not_found)?;
    world.totals.apps_gone += 1;
    Ok(answer(StatusCode::OK, &json!({"id": id})))
}

/// `GET /v2/apps/regions`.
pub(crate) async fn regions() -> Answer {
    Ok(answer(
        StatusCode::OK,
        &json!({"regions": catalog::regions()}),
    ))
}

/// `GET /v2/apps/tiers/instance_sizes`.
pub(crate) async fn instance_sizes() -> Answer {
    Ok(answer(
        StatusCode::OK,
        &json!({"discount_percent": 0, "instance_sizes": catalog::instance_sizes()}),
    ))
}

/// `POST /v2/apps/propose` checks a spec and makes nothing.
pub(crate) async fn propose(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewApp = body::APP_PROPOSE.read(&bytes)?;
    validate::check(&wanted.spec)?;
    let world = shared.world();
    let name = wanted.spec["name"].as_str().unwrap_or_default();
    Ok(answer(
        StatusCode::OK,
        &json!({
            "app_name_available": !world.apps.has_name(name),
            "app_is_static": false,
            "spec": wanted.spec,
            "app_cost": 5,
        }),
    ))
}
