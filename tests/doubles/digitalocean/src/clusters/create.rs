//! `POST /v2/databases`, and how a cluster is built.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use axum::extract::State;
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::catalog;
use super::record::{Brings, Change, Cluster, Maintenance, Origin, Status};
use crate::body;
use crate::clock::wall_ms;
use crate::error::{Answer, ApiError, text};
use crate::hiding::Hiding;
use crate::users::User;
use crate::world::{Shared, World};

/// What a new cluster is to be.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NewCluster {
    pub(crate) name: String,
    pub(crate) engine: String,
    pub(crate) version: Option<String>,
    pub(crate) num_nodes: u64,
    pub(crate) size: String,
    pub(crate) region: String,
    pub(crate) storage_size_mib: Option<u64>,
    pub(crate) private_network_uuid: Option<String>,
    pub(crate) project_id: Option<String>,
    #[serde(default)]
    pub(crate) tags: Option<Vec<String>>,
    #[serde(default)]
    pub(crate) rules: Vec<Value>,
    pub(crate) autoscale: Option<Value>,
    pub(crate) do_settings: Option<Value>,
    pub(crate) backup_restore: Option<BackupRestore>,
}

/// The cluster whose backup a new one starts from.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BackupRestore {
    database_name: String,
}

const DEFAULT_PROJECT: &str = "9cc10173-e9ea-4176-9dbc-a4cee4c4ff30";

/// `POST /v2/databases`.
pub(crate) async fn create(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Answer {
    let wanted: NewCluster = body::CLUSTER_CREATE.read(&bytes)?;
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    if let Some(restore) = &wanted.backup_restore
        && !world.clusters.has_name(&restore.database_name)
    {
        return Err(ApiError::not_found());
    }
    let done_at = now.saturating_add(world.config.times.create);
    let hiding = Hiding::at_first(&world.config.visibility, now);
    let change = Change {
        status: Status::Creating,
        shown_at: 0,
        done_at,
        brings: Brings::Nothing,
    };
    let id = world.add_cluster(wanted, Some(change), hiding, Origin::Api, None)?;
    let cluster = world.clusters.get(&id, now)?;
    let json = cluster.json(now, &world.config, &world.tags);
    Ok(text(
        StatusCode::CREATED,
        format!("{{\"database\":{json}}}"),
    ))
}

impl World {
    /// Adds a cluster that satisfies every rule of the provider and tells its id.
    pub(crate) fn add_cluster(
        &mut self,
        wanted: NewCluster,
        change: Option<Change>,
        hiding: Hiding,
        origin: Origin,
        password: Option<String>,
    ) -> Result<String, ApiError> {
        let engine = catalog::engine(&wanted.engine);
        let version = catalog::version(engine, wanted.version.as_deref())?;
        catalog::region(&wanted.region)?;
        let storage_size_mib = catalog::storage(&wanted.size, wanted.storage_size_mib)?;
        if self.clusters.has_name(&wanted.name) {
            return Err(ApiError::unprocessable(format!(
                "cluster name is not available: `{}` is taken",
                wanted.name
            )));
        }
        let network = wanted.private_network_uuid.as_deref();
        let private_network_uuid = self
            .vpcs
            .of(network, &wanted.region, "private_network_uuid")?;
        let id = self.random.uuid();
        let created_at = wall_ms();
        let password =
            password.unwrap_or_else(|| self.random.password(&self.config.secrets.password_prefix));
        let primary = User::primary(password);
        let users = BTreeMap::from([(crate::users::PRIMARY.to_owned(), primary)]);
        let rules = self.rules(&id, &wanted.rules, &[], created_at)?;
        let tags = self.new_tags(&id, wanted.tags.as_deref().unwrap_or_default());
        let order = self.clusters.next_order();
        self.clusters.insert(Cluster {
            id: id.clone(),
            name: wanted.name,
            engine: wanted.engine,
            version,
            num_nodes: wanted.num_nodes,
            size: wanted.size,
            region: wanted.region,
            storage_size_mib,
            private_network_uuid,
            project_id: wanted.project_id.unwrap_or_else(|| DEFAULT_PROJECT.into()),
            tags,
            created_at,
            users,
            maintenance: Maintenance {
                day: "saturday".into(),
                hour: "08:45:12".into(),
                pending: false,
            },
            rules,
            autoscale: wanted.autoscale.unwrap_or_else(|| json!({})),
            do_settings: wanted
                .do_settings
                .unwrap_or_else(|| json!({"service_cnames": []})),
            config: Map::new(),
            dbs: match engine.default_database {
                "" => BTreeSet::new(),
                name => BTreeSet::from([name.to_owned()]),
            },
            pools: BTreeMap::new(),
            replicas: BTreeMap::new(),
            // Who isn't seen being made is old enough.
            backed_up_at: change.as_ref().map_or(0, |change| {
                change
                    .done_at
                    .saturating_add(self.config.times.first_backup)
            }),
            change,
            hiding,
            gone_at: None,
            users_busy_until: 0,
            origin,
            order,
            rendered: None,
        });
        self.totals.clusters_made += 1;
        Ok(id)
    }

    /// Keys of the tags of a new object, each once. Tags that don't exist are made.
    pub(crate) fn new_tags(&mut self, cluster: &str, names: &[String]) -> Vec<String> {
        let mut keys = Vec::new();
        for name in names {
            let key = self.tags.ensure(name);
            if !keys.contains(&key) {
                self.tags.link(&key, cluster);
                keys.push(key);
            }
        }
        keys
    }
}
