//! Changes of a cluster that take time: resize, migrate, upgrade.

use std::sync::Arc;

use axum::extract::{Path, State};
use bytes::Bytes;
use http::StatusCode;
use serde::Deserialize;

use super::record::{Brings, Change, Cluster, Status};
use super::{catalog, replicas};
use crate::body;
use crate::config::Config;
use crate::error::{Answer, ApiError, empty};
use crate::world::Shared;

impl Cluster {
    /// The refusal of a change while another is under way.
    pub(crate) fn busy(&self, config: &Config) -> ApiError {
        let doing = self
            .change
            .as_ref()
            .map_or("busy", |change| change.status.word());
        ApiError::with_status(
            config.refusals.busy_status,
            format!(
                "cluster {} is not online: it is {doing}; try again later",
                self.id
            ),
        )
    }

    /// Refuses while a change is under way, even one that reads don't show yet.
    pub(crate) fn require_online(&self, config: &Config) -> Result<(), ApiError> {
        if self.change.is_some() || self.gone_at.is_some() {
            return Err(self.busy(config));
        }
        Ok(())
    }

    fn begin(&mut self, now: u64, lag: u64, takes: u64, status: Status, brings: Brings) {
        let shown_at = now.saturating_add(lag);
        self.change = Some(Change {
            status,
            shown_at,
            done_at: shown_at.saturating_add(takes),
            brings,
        });
    }
}

/// What a cluster or a replica is to be.
#[derive(Deserialize)]
pub(crate) struct Resize {
    pub(crate) size: String,
    pub(crate) num_nodes: u64,
    pub(crate) storage_size_mib: Option<u64>,
}

/// `PUT /v2/databases/{id}/resize`. The id may be that of a replica.
pub(crate) async fn resize(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    if world.clusters.any_mut(&id).is_none() {
        return replicas::routes::resize(world, &id, &bytes, now);
    }
    let cluster = world.clusters.get(&id, now)?;
    let wanted: Resize = body::CLUSTER_RESIZE.read(&bytes)?;
    catalog::size(&wanted.size)?;
    cluster.require_online(&world.config)?;
    let storage_size_mib = catalog::grown(
        &wanted.size,
        wanted.storage_size_mib,
        cluster.storage_size_mib,
    )?;
    let times = &world.config.times;
    let brings = Brings::Size {
        size: wanted.size,
        num_nodes: wanted.num_nodes,
        storage_size_mib,
    };
    cluster.begin(
        now,
        times.status_lag,
        times.resize,
        Status::Resizing,
        brings,
    );
    Ok(empty(StatusCode::ACCEPTED))
}

#[derive(Deserialize)]
struct Migrate {
    region: String,
}

/// `PUT /v2/databases/{id}/migrate`.
pub(crate) async fn migrate(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let wanted: Migrate = body::CLUSTER_MIGRATE.read(&bytes)?;
    catalog::region(&wanted.region)?;
    cluster.require_online(&world.config)?;
    let times = &world.config.times;
    let brings = Brings::Region {
        network: world.vpcs.default_of(&wanted.region),
        region: wanted.region,
    };
    cluster.begin(
        now,
        times.status_lag,
        times.migrate,
        Status::Migrating,
        brings,
    );
    Ok(empty(StatusCode::ACCEPTED))
}

#[derive(Deserialize)]
struct Upgrade {
    version: String,
}

/// `PUT /v2/databases/{id}/upgrade`: to a later major version only.
pub(crate) async fn upgrade(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Answer {
    let now = shared.clock.now();
    let mut guard = shared.world();
    let world = &mut *guard;
    let cluster = world.clusters.get(&id, now)?;
    let wanted: Upgrade = body::CLUSTER_UPGRADE.read(&bytes)?;
    let engine = catalog::engine(&cluster.engine);
    let version = catalog::version(engine, Some(&wanted.version))?;
    let place = |version: &str| engine.versions.iter().position(|known| *known == version);
    if place(&version) <= place(&cluster.version) {
        return Err(ApiError::unprocessable(format!(
            "version {version} is not later than {}; only upgrades are possible",
            cluster.version
        )));
    }
    cluster.require_online(&world.config)?;
    let times = &world.config.times;
    cluster.begin(
        now,
        times.status_lag,
        times.upgrade,
        Status::Migrating,
        Brings::Version(version),
    );
    Ok(empty(StatusCode::NO_CONTENT))
}
