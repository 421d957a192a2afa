//! Settings of a cluster that apply at once.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::record::{Cluster, Maintenance};
use crate::body::{self, Shape};
use crate::error::{Answer, empty, json as answer};
use crate::world::Shared;

/// Applies a change of the shape `shape` to a cluster that is online.
fn change<T: DeserializeOwned>(
    shared: &Shared,
    id: &str,
    bytes: &[u8],
    shape: &Shape,
    apply: impl FnOnce(&mut Cluster, T),
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(id, now)?;
    let wanted = shape.read(bytes)?;
    cluster.require_online(&world.config)?;
    apply(cluster, wanted);
    cluster.rendered = None;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// Reads a part of a cluster.
fn read(shared: &Shared, id: &str, part: impl FnOnce(&Cluster) -> Value) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let cluster = world.clusters.get(id, now)?;
    Ok(answer(StatusCode::OK, &part(cluster)))
}

#[derive(Deserialize)]
struct Window {
    day: String,
    hour: String,
}

/// `PUT /v2/databases/{id}/maintenance`.
pub(crate) async fn maintenance(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    change(
        &shared,
        &id,
        &bytes,
        &body::CLUSTER_MAINTENANCE,
        |cluster, window: Window| {
            let hour = if window.hour.len() == 5 {
                format!("{}:00", window.hour)
            } else {
                window.hour
            };
            cluster.maintenance = Maintenance {
                day: window.day,
                hour,
                pending: cluster.maintenance.pending,
            };
        },
    )
}

/// `PUT /v2/databases/{id}/install_update`: installs what is pending.
pub(crate) async fn install_update(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    cluster.require_online(&world.config)?;
    cluster.maintenance.pending = false;
    cluster.rendered = None;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `PUT /v2/databases/{id}/autoscale`.
pub(crate) async fn set_autoscale(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    change(
        &shared,
        &id,
        &bytes,
        &body::CLUSTER_AUTOSCALE,
        |cluster, wanted: Value| {
            cluster.autoscale = wanted;
        },
    )
}

/// `GET /v2/databases/{id}/autoscale`.
pub(crate) async fn autoscale(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    read(
        &shared,
        &id,
        |cluster| json!({"autoscale": cluster.autoscale}),
    )
}

#[derive(Deserialize)]
struct DoSettings {
    do_settings: Value,
}

/// `PUT /v2/databases/{id}/do_settings`.
pub(crate) async fn set_do_settings(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    change(
        &shared,
        &id,
        &bytes,
        &body::CLUSTER_DO_SETTINGS,
        |cluster, wanted: DoSettings| {
            cluster.do_settings = wanted.do_settings;
        },
    )
}

/// `GET /v2/databases/{id}/do_settings`.
pub(crate) async fn do_settings(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Answer {
    read(
        &shared,
        &id,
        |cluster| json!({"do_settings": cluster.do_settings}),
    )
}

#[derive(Deserialize)]
struct ConfigChange {
    config: Map<String, Value>,
}

/// `PATCH /v2/databases/{id}/config`: members that are named change, the others stay.
pub(crate) async fn set_config(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let wanted: ConfigChange = body::CLUSTER_CONFIG.read(&bytes)?;
    if matches!(cluster.engine.as_str(), "pg" | "advanced_pg") {
        body::PG_CONFIG.check(&Value::Object(wanted.config.clone()))?;
    }
    cluster.require_online(&world.config)?;
    cluster.config.extend(wanted.config);
    Ok(empty(StatusCode::OK))
}

/// `GET /v2/databases/{id}/config`: what was set, and some of what holds anyway.
pub(crate) async fn config(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    read(&shared, &id, |cluster| {
        let mut config = if cluster.engine == "pg" {
            super::members(json!({
                "autovacuum_naptime": 60,
                "max_connections": 25,
                "work_mem": 4,
                "timezone": "UTC",
                "jit": true,
            }))
        } else {
            Map::new()
        };
        config.extend(cluster.config.clone());
        json!({"config": config})
    })
}
