//! Droplets, as far as others name them: members of a VPC, trusted sources of a cluster. They
//! have no endpoints here; a test plants them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clusters::catalog;
use crate::controls::{Controls, Refused};
use crate::vpcs::Member;

/// A virtual machine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Droplet {
    pub(crate) id: u64,
    pub(crate) name: String,
    pub(crate) region: String,
    pub(crate) vpc: String,
    created_at: u64,
}

impl Droplet {
    pub(crate) fn as_member(&self) -> Member {
        Member {
            kind: "droplet".into(),
            id: self.id.to_string(),
            name: self.name.clone(),
            created_at: self.created_at,
        }
    }
}

/// All droplets.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Droplets {
    by_id: BTreeMap<u64, Droplet>,
}

/// Ids begin here, as the provider's have nine digits.
const FIRST_ID: u64 = 163_973_392;

impl Droplets {
    pub(crate) fn has(&self, id: &str) -> bool {
        id.parse().is_ok_and(|id: u64| self.by_id.contains_key(&id))
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Droplet> {
        self.by_id.remove(&id.parse().ok()?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Droplet> {
        self.by_id.values()
    }
}

/// A droplet that someone else made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedDroplet {
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// The VPC that it is in; none: the default one of its region.
    #[serde(default)]
    pub vpc: Option<String>,
    /// Its id; none: the next one.
    #[serde(default)]
    pub id: Option<u64>,
}

impl PlantedDroplet {
    /// A droplet in the default VPC of a region.
    #[must_use]
    pub fn named(name: &str, region: &str) -> Self {
        Self {
            name: name.to_owned(),
            region: region.to_owned(),
            vpc: None,
            id: None,
        }
    }

    /// Chooses its id.
    #[must_use]
    pub fn id(mut self, id: u64) -> Self {
        self.id = Some(id);
        self
    }

    /// Puts it into a VPC.
    #[must_use]
    pub fn vpc(mut self, id: &str) -> Self {
        self.vpc = Some(id.to_owned());
        self
    }
}

impl Controls {
    /// Adds a droplet and tells its id, a number in digits.
    ///
    /// # Errors
    /// When there is no such region, or no such VPC in it, or its id is taken.
    pub fn plant_droplet(&self, planted: PlantedDroplet) -> Result<String, Refused> {
        catalog::region(&planted.region)?;
        let created_at = crate::clock::wall_ms();
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let vpc = world
            .vpcs
            .of(planted.vpc.as_deref(), &planted.region, "vpc")?;
        let last = world.droplets.by_id.keys().next_back().copied();
        let next = last.map_or(FIRST_ID, |last| last.saturating_add(1));
        let id = planted.id.unwrap_or(next);
        if world.droplets.by_id.contains_key(&id) {
            return Err(Refused::because(format!("the id {id} is taken")));
        }
        world.droplets.by_id.insert(
            id,
            Droplet {
                id,
                name: planted.name,
                region: planted.region,
                vpc,
                created_at,
            },
        );
        Ok(id.to_string())
    }
}
