//! What is in the account, in short.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::Value;

use crate::agents::{AgentConfig, Session};
use crate::clusters::record::Origin;
use crate::clusters::replicas::Replica;
use crate::controls::Controls;
use crate::functions::Namespace;
use crate::inference::Inference;
use crate::sync::locked;
use crate::tags::Tags;
use crate::vpcs::Vpc;
use crate::world::Totals;

/// Everything in the account.
#[derive(Clone, Debug, Serialize)]
pub struct Objects {
    /// Clusters, oldest first.
    pub clusters: Vec<ClusterInfo>,
    /// Apps, oldest first.
    pub apps: Vec<AppInfo>,
    /// VPCs, oldest first, those that an account begins with included.
    pub vpcs: Vec<VpcInfo>,
    /// Functions namespaces, oldest first.
    pub namespaces: Vec<NamespaceInfo>,
    /// Inference endpoints, oldest first.
    pub inferences: Vec<InferenceInfo>,
    /// Environments of agents, oldest first.
    pub agent_configs: Vec<AgentConfigInfo>,
    /// Sessions of agents, oldest first.
    pub sessions: Vec<SessionInfo>,
    /// Tags, with the number of clusters and replicas that carry each.
    pub tags: HashMap<String, usize>,
    /// What was ever made and deleted.
    pub totals: Totals,
    /// Requests refused by the rate limits.
    pub rate_refusals: u64,
}

/// A cluster.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The status that reads show.
    pub status: String,
    /// Its engine.
    pub engine: String,
    /// Its major version.
    pub version: String,
    /// Its size.
    pub size: String,
    /// Its number of nodes.
    pub num_nodes: u64,
    /// Its region.
    pub region: String,
    /// Its storage in MiB.
    pub storage_size_mib: u64,
    /// Its tags.
    pub tags: Vec<String>,
    /// Names of its users, `doadmin` included.
    pub users: Vec<String>,
    /// Names of its databases.
    pub dbs: Vec<String>,
    /// Names of its connection pools.
    pub pools: Vec<String>,
    /// Its replicas.
    pub replicas: Vec<ReplicaInfo>,
    /// Its trusted sources, such as `ip_addr:192.0.2.1`. Without any it is open to everyone.
    pub rules: Vec<String>,
    /// The VPC that it is in.
    pub private_network_uuid: String,
    /// Who made it.
    pub origin: Origin,
}

impl ClusterInfo {
    /// Whether anyone may connect.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.rules.is_empty()
    }
}

/// A read-only replica.
#[derive(Clone, Debug, Serialize)]
pub struct ReplicaInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The status that reads show.
    pub status: String,
    /// Its size.
    pub size: String,
    /// Its region.
    pub region: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// Who made it.
    pub origin: Origin,
}

/// A VPC.
#[derive(Clone, Debug, Serialize)]
pub struct VpcInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its region.
    pub region: String,
    /// Its range of addresses.
    pub ip_range: String,
    /// Whether objects of the region are put into it that name none.
    pub default: bool,
    /// Who made it.
    pub origin: Origin,
}

/// A Functions namespace.
#[derive(Clone, Debug, Serialize)]
pub struct NamespaceInfo {
    /// Its id: `fn-` and a UUID.
    pub id: String,
    /// Its label.
    pub label: String,
    /// Its region.
    pub region: String,
    /// Its key.
    pub key: String,
    /// Who made it.
    pub origin: Origin,
}

/// An inference endpoint.
#[derive(Clone, Debug, Serialize)]
pub struct InferenceInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The status that reads show.
    pub status: String,
    /// Its region.
    pub region: String,
    /// The VPC that it is in.
    pub vpc: String,
    /// The GPUs that it has or is getting, whichever are more.
    pub gpus: u64,
    /// Who made it.
    pub origin: Origin,
}

/// An environment of agents.
#[derive(Clone, Debug, Serialize)]
pub struct AgentConfigInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Who made it.
    pub origin: Origin,
}

/// A session of an agent.
#[derive(Clone, Debug, Serialize)]
pub struct SessionInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The environment that it is of.
    pub config: String,
    /// The status that reads show.
    pub status: String,
    /// Who made it.
    pub origin: Origin,
}

/// An app.
#[derive(Clone, Debug, Serialize)]
pub struct AppInfo {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The phase of its newest deployment.
    pub phase: String,
    /// How many deployments it had.
    pub deployments: usize,
    /// Who made it.
    pub origin: Origin,
}

impl ReplicaInfo {
    fn of(replica: &mut Replica, now: u64, tags: &Tags) -> Self {
        replica.settle(now);
        Self {
            id: replica.id.clone(),
            name: replica.name.clone(),
            status: replica.status(now).word().to_owned(),
            size: replica.size.clone(),
            region: replica.region.clone(),
            tags: tags.names(&replica.tags),
            origin: replica.origin,
        }
    }
}

impl VpcInfo {
    fn of(vpc: &Vpc) -> Self {
        Self {
            id: vpc.id.clone(),
            name: vpc.name.clone(),
            description: vpc.description.clone(),
            region: vpc.region.clone(),
            ip_range: vpc.ip_range.clone(),
            default: vpc.default,
            origin: vpc.origin,
        }
    }
}

impl NamespaceInfo {
    fn of(namespace: &Namespace) -> Self {
        Self {
            id: namespace.id.clone(),
            label: namespace.label.clone(),
            region: namespace.region.clone(),
            key: namespace.key.clone(),
            origin: namespace.origin,
        }
    }
}

impl InferenceInfo {
    fn of(inference: &Inference, now: u64) -> Self {
        Self {
            id: inference.id.clone(),
            name: inference.name().to_owned(),
            status: inference.status(now).to_owned(),
            region: inference.region().to_owned(),
            vpc: inference.vpc.clone(),
            gpus: inference.gpus(),
            origin: inference.origin,
        }
    }
}

impl AgentConfigInfo {
    fn of(config: &AgentConfig) -> Self {
        Self {
            id: config.id.clone(),
            name: config.name.clone(),
            origin: config.origin,
        }
    }
}

impl SessionInfo {
    fn of(session: &Session) -> Self {
        Self {
            id: session.id.clone(),
            name: session.name.clone(),
            config: session.config.clone(),
            status: session.status().to_owned(),
            origin: session.origin,
        }
    }
}

/// A trusted source in one word.
fn source(rule: &Value) -> String {
    let word = |member: &str| rule[member].as_str().unwrap_or_default().to_owned();
    format!("{}:{}", word("type"), word("value"))
}

impl Controls {
    /// Everything in the account.
    #[must_use]
    pub fn objects(&self) -> Objects {
        let now = self.shared.clock.now();
        let rate_refusals = locked(&self.shared.rate).refused();
        let mut guard = self.shared.world();
        let world = &mut *guard;
        world.sweep_inferences(now);
        let mut clusters = Vec::with_capacity(world.clusters.len());
        for id in world.clusters.ids() {
            let Some(cluster) = world.clusters.settled(&id, now) else {
                continue;
            };
            clusters.push(ClusterInfo {
                dbs: cluster.dbs.iter().cloned().collect(),
                pools: cluster.pools.keys().cloned().collect(),
                replicas: cluster
                    .replicas
                    .values_mut()
                    .map(|replica| ReplicaInfo::of(replica, now, &world.tags))
                    .collect(),
                rules: cluster.rules.iter().map(source).collect(),
                private_network_uuid: cluster.private_network_uuid.clone(),
                status: cluster.status(now).word().to_owned(),
                tags: world.tags.names(&cluster.tags),
                users: cluster.users.keys().cloned().collect(),
                id,
                name: cluster.name.clone(),
                engine: cluster.engine.clone(),
                version: cluster.version.clone(),
                size: cluster.size.clone(),
                num_nodes: cluster.num_nodes,
                region: cluster.region.clone(),
                storage_size_mib: cluster.storage_size_mib,
                origin: cluster.origin,
            });
        }
        let mut ids: Vec<String> = world.apps.ids().cloned().collect();
        ids.reverse();
        let mut apps = Vec::with_capacity(ids.len());
        for id in ids {
            let Ok(app) = world.apps.get(&id, now, &world.config.times) else {
                continue;
            };
            let phase = app.deployments.last().map_or("", |last| last.phase.word());
            apps.push(AppInfo {
                phase: phase.to_owned(),
                deployments: app.deployments.len(),
                name: app.name.clone(),
                origin: app.origin,
                id,
            });
        }
        Objects {
            clusters,
            apps,
            agent_configs: world
                .agents
                .all_configs()
                .into_iter()
                .map(AgentConfigInfo::of)
                .collect(),
            sessions: world
                .agents
                .all_sessions(now)
                .into_iter()
                .map(SessionInfo::of)
                .collect(),
            namespaces: world
                .namespaces
                .all()
                .into_iter()
                .map(NamespaceInfo::of)
                .collect(),
            inferences: world
                .inferences
                .all(now)
                .into_iter()
                .map(|inference| InferenceInfo::of(inference, now))
                .collect(),
            vpcs: world.vpcs.all().into_iter().map(VpcInfo::of).collect(),
            tags: world.tags.counts(),
            totals: world.totals,
            rate_refusals,
        }
    }
}
