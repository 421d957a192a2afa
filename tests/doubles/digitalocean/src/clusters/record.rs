//! A database cluster and how it moves through time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::pools::Pool;
use super::replicas::Replica;
use crate::hiding::Hiding;
use crate::users::User;
use crate::vpcs::Member;

/// Who made an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A request to the provider API.
    Api,
    /// The control API: someone else's object.
    Planted,
}

/// The statuses that the provider's document knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is being made.
    Creating,
    /// It is a replica that is being made.
    Forking,
    /// It works, or seems to.
    Online,
    /// Its size changes.
    Resizing,
    /// It moves to another region, or is upgraded.
    Migrating,
}

impl Status {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Creating => "creating",
            Self::Forking => "forking",
            Self::Online => "online",
            Self::Resizing => "resizing",
            Self::Migrating => "migrating",
        }
    }
}

/// A change that takes time. What it brings can be seen when it is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Change {
    pub(crate) status: Status,
    /// When `status` can be seen, in virtual milliseconds; until then the cluster says `online`.
    pub(crate) shown_at: u64,
    pub(crate) done_at: u64,
    pub(crate) brings: Brings,
}

impl Change {
    /// The status that a read shows.
    pub(crate) fn shown(change: Option<&Self>, now: u64) -> Status {
        match change {
            Some(change) if now >= change.shown_at => change.status,
            _ => Status::Online,
        }
    }
}

/// What a change brings when it is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Brings {
    Nothing,
    Size {
        size: String,
        num_nodes: u64,
        storage_size_mib: u64,
    },
    Region {
        region: String,
        /// The VPC that it is in there.
        network: String,
    },
    Version(String),
}

/// A window in which the provider may restart the cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Maintenance {
    pub(crate) day: String,
    pub(crate) hour: String,
    pub(crate) pending: bool,
}

/// A database cluster.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Cluster {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) engine: String,
    pub(crate) version: String,
    pub(crate) num_nodes: u64,
    pub(crate) size: String,
    pub(crate) region: String,
    pub(crate) storage_size_mib: u64,
    pub(crate) private_network_uuid: String,
    pub(crate) project_id: String,
    /// Keys of its tags, see [`crate::tags`].
    pub(crate) tags: Vec<String>,
    /// Milliseconds since the epoch.
    pub(crate) created_at: u64,
    pub(crate) users: BTreeMap<String, User>,
    /// Names of its databases.
    #[serde(default)]
    pub(crate) dbs: BTreeSet<String>,
    #[serde(default)]
    pub(crate) pools: BTreeMap<String, Pool>,
    #[serde(default)]
    pub(crate) replicas: BTreeMap<String, Replica>,
    /// It has a backup from then on, in virtual milliseconds.
    #[serde(default)]
    pub(crate) backed_up_at: u64,
    pub(crate) maintenance: Maintenance,
    pub(crate) rules: Vec<Value>,
    pub(crate) autoscale: Value,
    pub(crate) do_settings: Value,
    pub(crate) config: Map<String, Value>,
    pub(crate) change: Option<Change>,
    pub(crate) hiding: Hiding,
    /// Deleted, but still there until then.
    pub(crate) gone_at: Option<u64>,
    /// A change of its users is under way until then.
    pub(crate) users_busy_until: u64,
    pub(crate) origin: Origin,
    /// The place in the list of all clusters.
    pub(crate) order: u64,
    /// Its JSON, and the status which that shows.
    #[serde(skip)]
    pub(crate) rendered: Option<(Status, Arc<str>)>,
}

impl Cluster {
    /// Brings the cluster up to `now`. Whoever reads or changes one calls this first.
    pub(crate) fn settle(&mut self, now: u64) {
        if self
            .change
            .as_ref()
            .is_none_or(|change| now < change.done_at)
        {
            return;
        }
        if let Some(change) = self.change.take() {
            match change.brings {
                Brings::Nothing => {}
                Brings::Size {
                    size,
                    num_nodes,
                    storage_size_mib,
                } => {
                    self.size = size;
                    self.num_nodes = num_nodes;
                    self.storage_size_mib = storage_size_mib;
                }
                Brings::Region { region, network } => {
                    self.region = region;
                    self.private_network_uuid = network;
                }
                Brings::Version(version) => self.version = version,
            }
        }
        self.rendered = None;
    }

    /// The status that a read shows.
    pub(crate) fn status(&self, now: u64) -> Status {
        Change::shown(self.change.as_ref(), now)
    }

    /// Whether it is being made for the first time.
    pub(crate) fn is_creating(&self) -> bool {
        self.change
            .as_ref()
            .is_some_and(|change| change.status == Status::Creating)
    }

    /// Whether there is something that a replica could begin with.
    pub(crate) fn has_backup(&self, now: u64) -> bool {
        !self.is_creating() && now >= self.backed_up_at
    }

    pub(crate) fn as_member(&self) -> Member {
        Member {
            kind: "dbaas".into(),
            id: self.id.clone(),
            name: self.name.clone(),
            created_at: self.created_at,
        }
    }

    /// The password of `doadmin`, which is the one in every connection.
    pub(crate) fn password(&self) -> &str {
        self.users
            .get(crate::users::PRIMARY)
            .map_or("", |user| user.password.as_str())
    }
}
