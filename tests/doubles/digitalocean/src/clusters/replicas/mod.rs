//! Read-only replicas of a cluster: `/v2/databases/{id}/replicas`.
//!
//! A replica is addressed by its name under its cluster, and resized by its own id as if it were
//! a cluster.

pub(crate) mod routes;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::catalog;
use super::record::{Brings, Change, Cluster, Origin, Status};
use super::render::{Login, members};
use crate::config::Config;
use crate::controls::{Controls, Refused};
use crate::error::ApiError;
use crate::hiding::Hiding;
use crate::tags::Tags;
use crate::times::rfc3339;
use crate::vpcs::Member;
use crate::world::World;

/// A read-only copy of a cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Replica {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) size: String,
    pub(crate) region: String,
    pub(crate) storage_size_mib: u64,
    pub(crate) private_network_uuid: String,
    /// Keys of its tags, see [`crate::tags`].
    pub(crate) tags: Vec<String>,
    /// Milliseconds since the epoch.
    created_at: u64,
    do_settings: Value,
    pub(crate) change: Option<Change>,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
}

impl Replica {
    /// Brings the replica up to `now`.
    pub(crate) fn settle(&mut self, now: u64) {
        let Some(change) = self.change.take_if(|change| now >= change.done_at) else {
            return;
        };
        if let Brings::Size {
            size,
            storage_size_mib,
            ..
        } = change.brings
        {
            self.size = size;
            self.storage_size_mib = storage_size_mib;
        }
    }

    /// The status that a read shows.
    pub(crate) fn status(&self, now: u64) -> Status {
        Change::shown(self.change.as_ref(), now)
    }

    pub(crate) fn as_member(&self) -> Member {
        Member {
            kind: "dbaas".into(),
            id: self.id.clone(),
            name: self.name.clone(),
            created_at: self.created_at,
        }
    }

    /// Refuses while a change is under way, even one that reads don't show yet.
    fn require_online(&self, config: &Config) -> Result<(), ApiError> {
        match &self.change {
            None => Ok(()),
            Some(change) => Err(ApiError::with_status(
                config.refusals.busy_status,
                format!(
                    "replica {} is not online: it is {}; try again later",
                    self.name,
                    change.status.word()
                ),
            )),
        }
    }
}

impl Cluster {
    /// A replica as it is now, or the answer 404.
    fn replica(&mut self, name: &str, now: u64) -> Result<&mut Replica, ApiError> {
        let replica = self.replicas.get_mut(name);
        let replica = replica.ok_or_else(ApiError::not_found)?;
        replica.settle(now);
        Ok(replica)
    }

    fn replica_json(&self, replica: &Replica, now: u64, config: &Config, tags: &Tags) -> Value {
        let login = Login {
            database: catalog::engine(&self.engine).default_database,
            port: super::render::PORT,
            user: crate::users::PRIMARY,
            password: self.password(),
        };
        let scheme = catalog::engine(&self.engine).scheme;
        let connection = |prefix: &str| login.json(scheme, prefix, &replica.name, config);
        let mut object = members(json!({
            "id": replica.id,
            "name": replica.name,
            "size": replica.size,
            "region": replica.region,
            "status": replica.status(now).word(),
            "tags": tags.names(&replica.tags),
            "created_at": rfc3339(replica.created_at),
            "private_network_uuid": replica.private_network_uuid,
            "storage_size_mib": replica.storage_size_mib,
            "do_settings": replica.do_settings,
        }));
        if replica.status(now) != Status::Forking || config.visibility.connection_while_creating {
            object.insert("connection".into(), connection(""));
            object.insert("private_connection".into(), connection("private-"));
        }
        Value::Object(object)
    }

    /// Refuses a replica that is smaller than its cluster.
    fn check_replica_size(&self, size: &str) -> Result<(), ApiError> {
        let (own, wanted) = (catalog::size(&self.size)?, catalog::size(size)?);
        if wanted.memory_gib < own.memory_gib {
            return Err(ApiError::unprocessable(format!(
                "size: `{size}` is smaller than the cluster's `{}`",
                self.size
            )));
        }
        Ok(())
    }
}

/// What a new replica is to be.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NewReplica {
    name: String,
    size: String,
    region: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    private_network_uuid: Option<String>,
    storage_size_mib: Option<u64>,
    do_settings: Option<Value>,
}

impl World {
    /// Adds a replica that satisfies every rule of the provider.
    fn add_replica(
        &mut self,
        id: &str,
        wanted: NewReplica,
        hiding: Hiding,
        origin: Origin,
        now: u64,
    ) -> Result<(), ApiError> {
        let cluster = self.clusters.get(id, now)?;
        if !["pg", "mysql"].contains(&cluster.engine.trim_start_matches("advanced_")) {
            return Err(ApiError::unprocessable(format!(
                "read-only replicas are not supported by engine {}",
                cluster.engine
            )));
        }
        cluster.require_online(&self.config)?;
        cluster.check_replica_size(&wanted.size)?;
        if cluster.replicas.contains_key(&wanted.name) {
            return Err(ApiError::unprocessable(format!(
                "name: replica `{}` already exists in cluster {id}",
                wanted.name
            )));
        }
        let region = wanted.region.unwrap_or_else(|| cluster.region.clone());
        catalog::region(&region)?;
        let network = wanted.private_network_uuid.as_deref();
        let private_network_uuid = self.vpcs.of(network, &region, "private_network_uuid")?;
        let storage_size_mib =
            catalog::storage(&wanted.size, wanted.storage_size_mib)?.max(cluster.storage_size_mib);
        if !cluster.has_backup(now) {
            return Err(ApiError::with_status(
                412,
                format!(
                    "cluster {id} has no backup yet that a replica could begin with; try again later"
                ),
            ));
        }
        let done_at = now.saturating_add(self.config.times.replica);
        let replica_id = self.random.uuid();
        let tags = self.new_tags(&replica_id, &wanted.tags);
        let replica = Replica {
            id: replica_id,
            name: wanted.name.clone(),
            size: wanted.size,
            region,
            storage_size_mib,
            private_network_uuid,
            tags,
            created_at: crate::clock::wall_ms(),
            do_settings: wanted
                .do_settings
                .unwrap_or_else(|| json!({"service_cnames": []})),
            change: (origin == Origin::Api).then_some(Change {
                status: Status::Forking,
                shown_at: 0,
                done_at,
                brings: Brings::Nothing,
            }),
            hiding,
            origin,
        };
        let cluster = self.clusters.get(id, now)?;
        cluster.replicas.insert(wanted.name, replica);
        self.totals.replicas_made += 1;
        Ok(())
    }

    /// Notes everywhere that a replica is gone.
    pub(crate) fn replica_left(&mut self, replica: &Replica, now: u64) {
        for key in &replica.tags {
            self.tags.unlink(key, &replica.id);
        }
        self.leave_vpc(&replica.private_network_uuid, replica.as_member(), now);
        self.totals.replicas_gone += 1;
    }
}

impl Controls {
    /// Adds a replica that is online to a cluster and tells its id.
    ///
    /// # Errors
    /// When the provider would refuse it: no such cluster, a name that is taken.
    pub fn plant_replica(&self, cluster: &str, name: &str) -> Result<String, Refused> {
        let now = self.shared.clock.now();
        let mut world = self.shared.world();
        let size = world.clusters.get(cluster, now)?.size.clone();
        let wanted = NewReplica {
            name: name.to_owned(),
            size,
            region: None,
            tags: Vec::new(),
            private_network_uuid: None,
            storage_size_mib: None,
            do_settings: None,
        };
        world.add_replica(cluster, wanted, Hiding::default(), Origin::Planted, now)?;
        let id = &world.clusters.get(cluster, now)?.replica(name, now)?.id;
        Ok(id.clone())
    }
}
