//! Databases in a cluster: `/v2/databases/{id}/dbs`.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};

use super::catalog;
use super::record::Cluster;
use crate::body;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::world::Shared;

impl Cluster {
    /// Refuses an engine whose databases aren't managed.
    fn require_dbs(&self) -> Result<(), ApiError> {
        if catalog::engine(&self.engine).default_database.is_empty() {
            return Err(ApiError::unprocessable(format!(
                "databases are not supported by engine {}",
                self.engine
            )));
        }
        Ok(())
    }
}

#[derive(Deserialize)]
struct NewDb {
    name: String,
}

/// `POST /v2/databases/{id}/dbs`.
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let wanted: NewDb = body::DB_CREATE.read(&bytes)?;
    cluster.require_dbs()?;
    cluster.require_online(&world.config)?;
    if !cluster.dbs.insert(wanted.name.clone()) {
        return Err(ApiError::unprocessable(format!(
            "database `{}` already exists in cluster {id}",
            wanted.name
        )));
    }
    cluster.rendered = None;
    Ok(answer(
        StatusCode::CREATED,
        &json!({"db": {"name": wanted.name}}),
    ))
}

/// `GET /v2/databases/{id}/dbs`, unpaged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let cluster = world.clusters.get(&id, now)?;
    let dbs: Vec<Value> = cluster
        .dbs
        .iter()
        .map(|name| json!({"name": name}))
        .collect();
    Ok(answer(StatusCode::OK, &json!({"dbs": dbs})))
}

/// `GET /v2/databases/{id}/dbs/{name}`.
pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let cluster = world.clusters.get(&id, now)?;
    if !cluster.dbs.contains(&name) {
        return Err(ApiError::not_found());
    }
    Ok(answer(StatusCode::OK, &json!({"db": {"name": name}})))
}

/// `DELETE /v2/databases/{id}/dbs/{name}`.
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    if !cluster.dbs.contains(&name) {
        return Err(ApiError::not_found());
    }
    cluster.require_online(&world.config)?;
    cluster.dbs.remove(&name);
    cluster.rendered = None;
    Ok(empty(StatusCode::NO_CONTENT))
}
