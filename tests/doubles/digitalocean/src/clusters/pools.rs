//! Connection pools of a PostgreSQL cluster: `/v2/databases/{id}/pools`.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::catalog;
use super::record::{Cluster, Origin};
use super::render::{Login, members};
use crate::body;
use crate::config::Config;
use crate::controls::{Controls, Refused, no_such};
use crate::error::{Answer, ApiError, empty, json as answer};
use crate::hiding::Hiding;
use crate::world::{Shared, World};

/// A connection pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Pool {
    wanted: Shape,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
}

/// What can be changed of a pool.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Shape {
    mode: String,
    size: u64,
    db: String,
    /// None: whoever connects.
    user: Option<String>,
}

/// Backend connections that each GiB of memory brings, and those kept for maintenance.
const CONNECTIONS_PER_GIB: u64 = 25;
const RESERVED: u64 = 3;
/// Pools listen beside the database.
const PORT: u16 = 25061;

impl Cluster {
    /// Refuses an engine without pools.
    fn require_pools(&self) -> Result<(), ApiError> {
        if matches!(self.engine.as_str(), "pg" | "advanced_pg") {
            return Ok(());
        }
        Err(ApiError::unprocessable(format!(
            "connection pools are not supported by engine {}",
            self.engine
        )))
    }

    /// Refuses a pool that names what isn't there or that is too large beside the others.
    fn check_pool(&self, name: &str, wanted: &Shape, config: &Config) -> Result<(), ApiError> {
        let missing = |what: String| {
            Err(ApiError::with_status(
                config.refusals.pool_reference_status,
                what,
            ))
        };
        if !self.dbs.contains(&wanted.db) {
            return missing(format!("db: there is no database `{}`", wanted.db));
        }
        if let Some(user) = &wanted.user
            && !self.users.contains_key(user)
        {
            return missing(format!("user: there is no user `{user}`"));
        }
        let others: u64 = self
            .pools
            .iter()
            .filter(|(other, _)| *other != name)
            .map(|(_, pool)| pool.wanted.size)
            .sum();
        let most =
            (catalog::size(&self.size)?.memory_gib * CONNECTIONS_PER_GIB).saturating_sub(RESERVED);
        if others.saturating_add(wanted.size) > most {
            return Err(ApiError::unprocessable(format!(
                "size: {} is too many; the cluster has {most} connections and its other pools take {others}",
                wanted.size
            )));
        }
        Ok(())
    }

    fn pool_json(&self, name: &str, pool: &Pool, config: &Config) -> Value {
        let user = pool.wanted.user.as_deref();
        // Whoever connects brings a name and a password, so that none are shown.
        let login = Login {
            database: name,
            port: PORT,
            user: user.unwrap_or_default(),
            password: user
                .and_then(|user| self.users.get(user))
                .map_or("", |user| user.password.as_str()),
        };
        let mut object = members(json!({
            "name": name,
            "mode": pool.wanted.mode,
            "size": pool.wanted.size,
            "db": pool.wanted.db,
            "connection": self.connection("", &login, config),
            "private_connection": self.connection("private-", &login, config),
        }));
        if let Some(user) = user {
            object.insert("user".into(), user.into());
        }
        if self.num_nodes > 1 {
            object.insert(
                "standby_connection".into(),
                self.connection("replica-", &login, config),
            );
            object.insert(
                "standby_private_connection".into(),
                self.connection("private-replica-", &login, config),
            );
        }
        Value::Object(object)
    }
}

#[derive(Deserialize)]
struct NewPool {
    name: String,
    #[serde(flatten)]
    shape: Shape,
}

/// `POST /v2/databases/{id}/pools`.
pub(crate) async fn create(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    world.clusters.get(&id, now)?;
    let wanted: NewPool = body::POOL_CREATE.read(&bytes)?;
    let name = wanted.name.clone();
    let hiding = Hiding::at_first(&world.config.visibility, now);
    world.add_pool(&id, wanted, hiding, Origin::Api, now)?;
    let cluster = world.clusters.get(&id, now)?;
    let pool = cluster.pools.get(&name).ok_or_else(ApiError::not_found)?;
    let json = cluster.pool_json(&name, pool, &world.config);
    Ok(answer(StatusCode::CREATED, &json!({"pool": json})))
}

impl World {
    fn add_pool(
        &mut self,
        id: &str,
        wanted: NewPool,
        hiding: Hiding,
        origin: Origin,
        now: u64,
    ) -> Result<(), ApiError> {
        let cluster = self.clusters.get(id, now)?;
        cluster.require_pools()?;
        cluster.require_online(&self.config)?;
        if cluster.pools.contains_key(&wanted.name) {
            return Err(ApiError::unprocessable(format!(
                "name: connection pool `{}` already exists in cluster {id}",
                wanted.name
            )));
        }
        cluster.check_pool(&wanted.name, &wanted.shape, &self.config)?;
        cluster.pools.insert(
            wanted.name,
            Pool {
                wanted: wanted.shape,
                hiding,
                origin,
            },
        );
        self.totals.pools_made += 1;
        Ok(())
    }
}

/// `GET /v2/databases/{id}/pools`, unpaged.
pub(crate) async fn list(State(shared): State<Arc<Shared>>, Path(id): Path<String>) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let pools: Vec<Value> = cluster
        .pools
        .iter()
        .filter(|(_, pool)| !pool.hiding.hides_in_list(now))
        .map(|(name, pool)| cluster.pool_json(name, pool, &world.config))
        .collect();
    Ok(answer(StatusCode::OK, &json!({"pools": pools})))
}

/// `GET /v2/databases/{id}/pools/{name}`.
pub(crate) async fn get(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let pool = cluster
        .pools
        .get_mut(&name)
        .ok_or_else(ApiError::not_found)?;
    pool.hiding.check_read(now)?;
    let pool = pool.clone();
    let json = cluster.pool_json(&name, &pool, &world.config);
    Ok(answer(StatusCode::OK, &json!({"pool": json})))
}

/// `PUT /v2/databases/{id}/pools/{name}` replaces everything but the name.
pub(crate) async fn update(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    if !cluster.pools.contains_key(&name) {
        return Err(ApiError::not_found());
    }
    let wanted: Shape = body::POOL_UPDATE.read(&bytes)?;
    cluster.require_online(&world.config)?;
    cluster.check_pool(&name, &wanted, &world.config)?;
    if let Some(pool) = cluster.pools.get_mut(&name) {
        pool.wanted = wanted;
    }
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `DELETE /v2/databases/{id}/pools/{name}`.
pub(crate) async fn delete(
    State(shared): State<Arc<Shared>>,
    Path((id, name)): Path<(String, String)>,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    if !cluster.pools.contains_key(&name) {
        return Err(ApiError::not_found());
    }
    cluster.require_online(&world.config)?;
    cluster.pools.remove(&name);
    world.totals.pools_gone += 1;
    Ok(empty(StatusCode::NO_CONTENT))
}

impl Controls {
    /// Adds a pool of ten connections to `defaultdb` to a cluster.
    ///
    /// # Errors
    /// When the provider would refuse it: no such cluster, no room, a name that is taken.
    pub fn plant_pool(&self, cluster: &str, name: &str) -> Result<(), Refused> {
        let now = self.shared.clock.now();
        let wanted = NewPool {
            name: name.to_owned(),
            shape: Shape {
                mode: "transaction".into(),
                size: 10,
                db: "defaultdb".into(),
                user: None,
            },
        };
        let mut world = self.shared.world();
        Ok(world.add_pool(cluster, wanted, Hiding::default(), Origin::Planted, now)?)
    }

    /// Makes a pool answer 404 to the next `reads` reads, and lists leave it out meanwhile if
    /// `in_lists`.
    ///
    /// # Errors
    /// When there is no such cluster or pool.
    pub fn hide_pool(
        &self,
        cluster: &str,
        name: &str,
        reads: u32,
        in_lists: bool,
    ) -> Result<(), Refused> {
        let mut world = self.shared.world();
        let record = world
            .clusters
            .any_mut(cluster)
            .ok_or_else(|| no_such(cluster))?;
        let pool = record.pools.get_mut(name).ok_or_else(|| no_such(name))?;
        pool.hiding = Hiding {
            reads,
            until: 0,
            in_lists,
        };
        Ok(())
    }

    /// Removes a pool behind the client's back.
    ///
    /// # Errors
    /// When there is no such cluster or pool.
    pub fn vanish_pool(&self, cluster: &str, name: &str) -> Result<(), Refused> {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let record = world
            .clusters
            .any_mut(cluster)
            .ok_or_else(|| no_such(cluster))?;
        record.pools.remove(name).ok_or_else(|| no_such(name))?;
        world.totals.pools_gone += 1;
        Ok(())
    }
}
