//! What is in the account, in short.

use std::collections::HashMap;

use serde::Serialize;

use crate::clusters::record::Origin;
use crate::world::Totals;

/// Everything in the account.
#[derive(Clone, Debug, Serialize)]
pub struct Objects {
    /// Clusters, oldest first.
    pub clusters: Vec<ClusterInfo>,
    /// Apps, oldest first.
    pub apps: Vec<AppInfo>,
    /// Tags, with the number of clusters that carry each.
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
