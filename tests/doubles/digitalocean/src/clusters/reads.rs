//! Reads of clusters, and their deletion.

use std::sync::Arc;

use axum::extract::{Path, State};
use data_encoding::BASE64;
use http::{StatusCode, Uri};
use serde_json::{Value, json};

use crate::error::{Answer, ApiError, empty, json as answer, text};
use crate::query;
use crate::times::rfc3339;
use crate::world::Shared;

/// `GET /v2/databases`: all of them at once, secrets included, or those of a tag.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, uri: Uri) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let ids = match query::get(&uri, "tag_name") {
        Some(tag) => world.tags.clusters(&tag),
        None => world.clusters.ids(),
    };
    let mut body = String::from("{\"databases\":[");
    for id in ids {
        let Some(cluster) = world.clusters.settled(&id, now) else {
            continue;
        };
        if cluster.hiding.hides_in_list(now) {
            continue;
        }
        if !body.ends_with('[') {
            body.push(',');
        }
        body.push_str(&cluster.json(now, &world.config, &world.tags));
    }
    body.push_str("]}");
    Ok(text(StatusCode::OK, body))
}

/// `GET /v2/databases/options`: engines, versions, regions and sizes.
pub(crate) async fn options() -> Answer {
    Ok(answer(StatusCode::OK, &super::catalog::options()))
}

/// `GET /v2/databases/{id}`.
pub(crate) async fn get(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    cluster.hiding.check_read(now)?;
    let json = cluster.json(now, &world.config, &world.tags);
    Ok(text(StatusCode::OK, format!("{{\"database\":{json}}}")))
}

/// `DELETE /v2/databases/{id}`: users, pools, replicas, rules and backups go with it.
pub(crate) async fn delete(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    if cluster.gone_at.is_some() {
        return Ok(empty(StatusCode::NO_CONTENT));
    }
    if !world.config.refusals.delete_while_busy {
        cluster.require_online(&world.config)?;
    }
    if !world.config.refusals.delete_with_replicas && !cluster.replicas.is_empty() {
        return Err(ApiError::conflict(format!(
            "cluster {id} still has replicas; delete them first"
        )));
    }
    let linger = world.config.times.linger;
    if linger == 0 {
        world.remove_cluster(&id, now);
    } else {
        let due = now.saturating_add(linger);
        cluster.gone_at = Some(due);
        world.leaving.insert((due, id));
    }
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `GET /v2/databases/{id}/ca`.
pub(crate) async fn ca(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    if cluster.is_creating() {
        return Err(cluster.busy(&world.config));
    }
    let body = BASE64.encode(format!("certificate authority of cluster {id}").as_bytes());
    let pem = format!("-----BEGIN CERTIFICATE-----\n{body}\n-----END CERTIFICATE-----\n");
    Ok(answer(
        StatusCode::OK,
        &json!({"ca": {"certificate": BASE64.encode(pem.as_bytes())}}),
    ))
}

/// `GET /v2/databases/{id}/backups`: one, some time after the cluster came online.
pub(crate) async fn backups(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let cluster = world.clusters.get(&id, now)?;
    let has_backup = cluster.has_backup(now);
    let backups: Vec<Value> = has_backup
        .then(|| {
            json!({
                "created_at": rfc3339(cluster.created_at),
                "size_gigabytes": 0.03364864,
                "incremental": false,
            })
        })
        .into_iter()
        .collect();
    Ok(answer(
        StatusCode::OK,
        &json!({
            "backups": backups,
            "scheduled_backup_time": {
                "backup_hour": 20, "backup_minute": 40, "backup_interval_hours": 24,
            },
            "backup_progress": if has_backup { "100" } else { "0" },
        }),
    ))
}
