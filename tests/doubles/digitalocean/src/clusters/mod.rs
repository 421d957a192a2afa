//! Database clusters: `/v2/databases`.

pub(crate) mod catalog;
pub(crate) mod changes;
pub(crate) mod create;
pub(crate) mod dbs;
pub(crate) mod pools;
pub(crate) mod reads;
pub(crate) mod record;
mod render;
pub(crate) mod replicas;
pub(crate) mod settings;
pub(crate) mod trust;

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

pub(crate) use record::Cluster;
pub(crate) use render::members;

use crate::error::ApiError;
use crate::hiding::Hiding;

/// All clusters, by id, by name and in the order of their creation.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Clusters {
    by_id: HashMap<String, Cluster>,
    by_name: HashMap<String, String>,
    by_order: BTreeMap<u64, String>,
    next: u64,
}

impl Clusters {
    pub(crate) fn has_name(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The place that the next cluster gets.
    pub(crate) fn next_order(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    pub(crate) fn insert(&mut self, cluster: Cluster) {
        self.by_name
            .insert(cluster.name.clone(), cluster.id.clone());
        self.by_order.insert(cluster.order, cluster.id.clone());
        self.by_id.insert(cluster.id.clone(), cluster);
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Cluster> {
        let cluster = self.by_id.remove(id)?;
        self.by_order.remove(&cluster.order);
        if self
            .by_name
            .get(&cluster.name)
            .is_some_and(|holder| holder == id)
        {
            self.by_name.remove(&cluster.name);
        }
        Some(cluster)
    }

    /// A cluster as it was last left.
    pub(crate) fn any_mut(&mut self, id: &str) -> Option<&mut Cluster> {
        self.by_id.get_mut(id)
    }

    /// A cluster as it is now.
    pub(crate) fn settled(&mut self, id: &str, now: u64) -> Option<&mut Cluster> {
        let cluster = self.by_id.get_mut(id)?;
        cluster.settle(now);
        Some(cluster)
    }

    /// A cluster as it is now, or the answer 404.
    pub(crate) fn get(&mut self, id: &str, now: u64) -> Result<&mut Cluster, ApiError> {
        self.settled(id, now).ok_or_else(ApiError::not_found)
    }

    /// Ids in the order of creation.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.by_order.values().cloned().collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Cluster> {
        self.by_order.values().filter_map(|id| self.by_id.get(id))
    }

    /// The cluster of a replica, and the replica's name.
    pub(crate) fn of_replica(&mut self, id: &str) -> Option<(&mut Cluster, String)> {
        self.by_id.values_mut().find_map(|cluster| {
            let replica = cluster.replicas.values().find(|replica| replica.id == id)?;
            let name = replica.name.clone();
            Some((cluster, name))
        })
    }

    /// How a cluster or a replica hides.
    pub(crate) fn hiding_of(&mut self, id: &str) -> Option<&mut Hiding> {
        if self.by_id.contains_key(id) {
            return self.by_id.get_mut(id).map(|cluster| &mut cluster.hiding);
        }
        self.by_id
            .values_mut()
            .flat_map(|cluster| cluster.replicas.values_mut())
            .find(|replica| replica.id == id)
            .map(|replica| &mut replica.hiding)
    }

    pub(crate) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Gives a cluster another name.
    pub(crate) fn rename(&mut self, id: &str, name: &str) {
        let Some(cluster) = self.by_id.get_mut(id) else {
            return;
        };
        self.by_name.remove(&cluster.name);
        name.clone_into(&mut cluster.name);
        self.by_name.insert(name.to_owned(), id.to_owned());
    }

    /// Forgets every cached JSON, since what it shows was reconfigured.
    pub(crate) fn forget_rendered(&mut self) {
        for cluster in self.by_id.values_mut() {
            cluster.rendered = None;
        }
    }
}
