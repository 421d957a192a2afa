//! The endpoints of replicas.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde_json::{Value, json};

use super::super::catalog;
use super::super::changes::Resize;
use super::super::record::{Brings, Change, Cluster, Maintenance, Origin, Status};
use super::NewReplica;
use crate::body;
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::world::{Shared, World};

/// `POST /v2/databases/{id}/replicas`.
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    world.clusters.get(&id, now)?;
    let wanted: NewReplica = body::REPLICA_CREATE.read(&bytes)?;
    let name = wanted.name.clone();
    let hiding = Hiding::at_first(&world.config.visibility, now);
    world.add_replica(&id, wanted, hiding, Origin::Api, now)?;
    let json = world.replica_json(&id, &name, now)?;
    Ok(answer(StatusCode::CREATED, &json!({"replica": json})))
}

impl World {
    fn replica_json(&mut self, id: &str, name: &str, now: u64) -> Result<Value, ApiError> {
        let cluster = self.clusters.get(id, now)?;
        let replica = cluster.replica(name, now)?.clone();
        Ok(cluster.replica_json(&replica, now, &self.config, &self.tags))
    }
}

/// `GET /v2/databases/{id}/replicas`, unpaged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    for replica in cluster.replicas.values_mut() {
        replica.settle(now);
    }
    let replicas: Vec<Value> = cluster
        .replicas
        .values()
        .filter(|replica| !replica.hiding.hides_in_list(now))
        .map(|replica| cluster.replica_json(replica, now, &world.config, &world.tags))
        .collect();
    Ok(answer(StatusCode::OK, &json!({"replicas": replicas})))
}

/// `GET /v2/databases/{id}/replicas/{name}`.
pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let replica = world.clusters.get(&id, now)?.replica(&name, now)?;
    replica.hiding.check_read(now)?;
    let json = world.replica_json(&id, &name, now)?;
    Ok(answer(StatusCode::OK, &json!({"replica": json})))
}

/// `DELETE /v2/databases/{id}/replicas/{name}`.
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut world = shared.world();
    let cluster = world.clusters.get(&id, now)?;
    let replica = cluster
        .replicas
        .remove(&name)
        .ok_or_else(ApiError::not_found)?;
    world.replica_left(&replica, now);
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `PUT /v2/databases/{id}/replicas/{name}/promote` makes a cluster of its own of it.
pub(crate) async fn promote(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    if world.clusters.has_name(&name) {
        return Err(ApiError::unprocessable(format!(
            "cluster name is not available: `{name}` is taken"
        )));
    }
    let cluster = world.clusters.get(&id, now)?;
    cluster.replica(&name, now)?.require_online(&world.config)?;
    let primary = cluster.clone();
    let replica = cluster
        .replicas
        .remove(&name)
        .ok_or_else(ApiError::not_found)?;
    let order = world.clusters.next_order();
    world.clusters.insert(Cluster {
        id: replica.id,
        name: replica.name,
        size: replica.size,
        num_nodes: 1,
        region: replica.region,
        storage_size_mib: replica.storage_size_mib,
        private_network_uuid: replica.private_network_uuid,
        tags: replica.tags,
        created_at: replica.created_at,
        do_settings: replica.do_settings,
        hiding: replica.hiding,
        origin: replica.origin,
        maintenance: Maintenance {
            pending: false,
            ..primary.maintenance
        },
        autoscale: json!({}),
        rules: Vec::new(),
        pools: Default::default(),
        replicas: Default::default(),
        change: None,
        gone_at: None,
        users_busy_until: 0,
        backed_up_at: now.saturating_add(world.config.times.first_backup),
        order,
        rendered: None,
        engine: primary.engine,
        version: primary.version,
        project_id: primary.project_id,
        users: primary.users,
        dbs: primary.dbs,
        config: primary.config,
    });
    world.totals.replicas_gone += 1;
    world.totals.clusters_made += 1;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `PUT /v2/databases/{id of a replica}/resize`.
pub(crate) fn resize(world: &mut World, id: &str, bytes: &[u8], now: u64) -> Answer {
    let (cluster, name) = world
        .clusters
        .of_replica(id)
        .ok_or_else(ApiError::not_found)?;
    cluster.settle(now);
    let wanted: Resize = body::CLUSTER_RESIZE.read(bytes)?;
    if wanted.num_nodes != 1 {
        return Err(ApiError::unprocessable(format!(
            "num_nodes: a replica has one node, and {} were asked for",
            wanted.num_nodes
        )));
    }
    cluster.check_replica_size(&wanted.size)?;
    let replica = cluster.replica(&name, now)?;
    replica.require_online(&world.config)?;
    let storage_size_mib = catalog::grown(
        &wanted.size,
        wanted.storage_size_mib,
        replica.storage_size_mib,
    )?;
    let times = &world.config.times;
    let shown_at = now.saturating_add(times.status_lag);
    replica.change = Some(Change {
        status: Status::Resizing,
        shown_at,
        done_at: shown_at.saturating_add(times.resize),
        brings: Brings::Size {
            size: wanted.size,
            num_nodes: 1,
            storage_size_mib,
        },
    });
    Ok(empty(StatusCode::ACCEPTED))
}
