//! The account's state, and what all parts of a double share.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard};

use serde::{Deserialize, Serialize};

use crate::agents::Agents;
use crate::apps::Apps;
use crate::clock::Clock;
use crate::clusters::Clusters;
use crate::config::Config;
use crate::droplets::Droplets;
use crate::faults::Faults;
use crate::functions::Namespaces;
use crate::holds::Holds;
use crate::inference::Inferences;
use crate::log::Log;
use crate::one_clicks::PlantedOneClick;
use crate::random::Random;
use crate::rate::Windows;
use crate::sync::locked;
use crate::tags::Tags;
use crate::vpcs::Vpcs;

/// How often something was made or deleted, through either API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Clusters ever made.
    pub clusters_made: u64,
    /// Clusters ever gone.
    pub clusters_gone: u64,
    /// Database users ever made, `doadmin` not counted.
    pub users_made: u64,
    /// Database users ever deleted, those that went with their cluster not counted.
    pub users_gone: u64,
    /// Apps ever made.
    pub apps_made: u64,
    /// Apps ever gone.
    pub apps_gone: u64,
    /// Deployments ever made.
    pub deployments_made: u64,
    /// Connection pools ever made.
    pub pools_made: u64,
    /// Connection pools ever deleted, those that went with their cluster not counted.
    pub pools_gone: u64,
    /// Replicas ever made.
    pub replicas_made: u64,
    /// Replicas ever gone.
    pub replicas_gone: u64,
    /// VPCs ever made, those that an account begins with not counted.
    pub vpcs_made: u64,
    /// VPCs ever gone.
    pub vpcs_gone: u64,
    /// Functions namespaces ever made.
    pub namespaces_made: u64,
    /// Functions namespaces ever gone.
    pub namespaces_gone: u64,
    /// Inference endpoints ever made.
    pub inferences_made: u64,
    /// Inference endpoints ever gone.
    pub inferences_gone: u64,
    /// Environments of agents ever made.
    pub agent_configs_made: u64,
    /// Environments of agents ever gone.
    pub agent_configs_gone: u64,
    /// Sessions of agents ever started.
    pub sessions_made: u64,
    /// Sessions of agents ever ended by someone.
    pub sessions_gone: u64,
}

/// Everything that the account has.
#[derive(Serialize, Deserialize)]
pub(crate) struct World {
    #[serde(skip)]
    pub(crate) config: Arc<Config>,
    pub(crate) random: Random,
    pub(crate) clusters: Clusters,
    pub(crate) tags: Tags,
    pub(crate) apps: Apps,
    pub(crate) totals: Totals,
    /// Clusters that are deleted and still there, by the virtual time at which they go.
    pub(crate) leaving: BTreeSet<(u64, String)>,
    #[serde(default)]
    pub(crate) vpcs: Vpcs,
    #[serde(default)]
    pub(crate) droplets: Droplets,
    #[serde(default)]
    pub(crate) namespaces: Namespaces,
    #[serde(default)]
    pub(crate) inferences: Inferences,
    #[serde(default)]
    pub(crate) agents: Agents,
    #[serde(default)]
    pub(crate) one_clicks: Vec<PlantedOneClick>,
}

impl World {
    pub(crate) fn new(config: Config) -> Self {
        Self {
            random: Random::seeded(config.seed),
            config: Arc::new(config),
            clusters: Clusters::default(),
            tags: Tags::default(),
            apps: Apps::default(),
            totals: Totals::default(),
            leaving: BTreeSet::new(),
            vpcs: Vpcs::default(),
            droplets: Droplets::default(),
            namespaces: Namespaces::default(),
            inferences: Inferences::default(),
            agents: Agents::default(),
            one_clicks: Vec::new(),
        }
    }

    /// Takes away what has gone by `now`.
    fn sweep(&mut self, now: u64) {
        while let Some((due, id)) = self.leaving.pop_first() {
            if due > now {
                self.leaving.insert((due, id));
                return;
            }
            self.remove_cluster(&id, due);
        }
    }

    /// Removes a cluster at once, and everything that points at it.
    pub(crate) fn remove_cluster(&mut self, id: &str, now: u64) -> bool {
        let Some(cluster) = self.clusters.remove(id) else {
            return false;
        };
        for key in &cluster.tags {
            self.tags.unlink(key, id);
        }
        for replica in cluster.replicas.values() {
            self.replica_left(replica, now);
        }
        self.leave_vpc(&cluster.private_network_uuid, cluster.as_member(), now);
        self.totals.clusters_gone += 1;
        true
    }
}

/// What the two servers and the owner of a double share.
pub(crate) struct Shared {
    pub(crate) token: String,
    pub(crate) max_body: usize,
    pub(crate) clock: Arc<Clock>,
    pub(crate) faults: Mutex<Faults>,
    pub(crate) holds: Holds,
    pub(crate) rate: Mutex<Windows>,
    pub(crate) log: Mutex<Log>,
    request_ids: Mutex<Random>,
    world: Mutex<World>,
}

impl Shared {
    pub(crate) fn new(world: World, virtual_ms: u64) -> Self {
        let config = &world.config;
        Self {
            token: config.token.clone(),
            max_body: config.max_body,
            clock: Arc::new(Clock::starting_at(virtual_ms, config.speed)),
            faults: Mutex::new(Faults::default()),
            holds: Holds::default(),
            rate: Mutex::new(Windows::default()),
            log: Mutex::new(Log::new(config.log.clone())),
            request_ids: Mutex::new(Random::seeded(config.seed ^ 0x7265_7165_7374)),
            world: Mutex::new(world),
        }
    }

    /// The world, brought up to now as far as what is leaving goes.
    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        let mut world = locked(&self.world);
        if !world.leaving.is_empty() {
            world.sweep(self.clock.now());
        }
        world
    }

    pub(crate) fn request_id(&self) -> String {
        locked(&self.request_ids).request_id()
    }
}
