//! VPCs: `/v2/vpcs`. Every region has a default one from the start.

mod members;
mod range;
pub(crate) mod routes;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(crate) use members::{Leaving, Member};
pub(crate) use range::Range;

use crate::clusters::catalog::REGIONS;
use crate::clusters::record::Origin;
use crate::controls::{Controls, Refused};
use crate::error::ApiError;
use crate::hiding::Hiding;
use crate::times::rfc3339;
use crate::world::World;

/// A private network in a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Vpc {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) region: String,
    pub(crate) ip_range: String,
    pub(crate) default: bool,
    /// Milliseconds since the epoch.
    created_at: u64,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
    order: u64,
}

impl Vpc {
    pub(crate) fn json(&self) -> Value {
        json!({
            "id": self.id,
            "urn": format!("do:vpc:{}", self.id),
            "name": self.name,
            "description": self.description,
            "region": self.region,
            "ip_range": self.ip_range,
            "default": self.default,
            "created_at": rfc3339(self.created_at),
        })
    }
}

/// All VPCs, and what is leaving them.
#[derive(Serialize, Deserialize)]
pub(crate) struct Vpcs {
    by_id: BTreeMap<String, Vpc>,
    next: u64,
    pub(crate) leaving: Vec<Leaving>,
}

/// When the account got its default VPCs, in milliseconds since the epoch.
const ACCOUNT_BEGAN: u64 = 1_574_201_975_000;

impl Default for Vpcs {
    fn default() -> Self {
        let mut vpcs = Self {
            by_id: BTreeMap::new(),
            next: 0,
            leaving: Vec::new(),
        };
        for (place, region) in REGIONS.iter().enumerate() {
            vpcs.next += 1;
            let id = format!("d455e75d-4858-4eec-8c95-da2f0a5f93{:02x}", 0xa5 + place);
            let ip_range = vpcs.free_range().unwrap_or_default();
            vpcs.by_id.insert(
                id.clone(),
                Vpc {
                    id,
                    name: format!("default-{region}"),
                    description: String::new(),
                    region: (*region).to_owned(),
                    ip_range,
                    default: true,
                    created_at: ACCOUNT_BEGAN,
                    hiding: Hiding::default(),
                    origin: Origin::Planted,
                    order: vpcs.next,
                },
            );
        }
        vpcs
    }
}

/// What a new VPC is to be.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct NewVpc {
    name: String,
    region: String,
    description: Option<String>,
    ip_range: Option<String>,
}

impl Vpcs {
    fn ranges(&self) -> Vec<Range> {
        self.by_id
            .values()
            .filter_map(|vpc| Range::of_vpc(&vpc.ip_range).ok())
            .collect()
    }

    fn free_range(&self) -> Option<String> {
        Range::free(&self.ranges()).map(|range| range.to_string())
    }

    /// The range that a new VPC gets.
    fn range(&self, wanted: Option<&str>) -> Result<String, ApiError> {
        let Some(text) = wanted else {
            return self.free_range().ok_or_else(|| {
                ApiError::unprocessable("ip_range: there is no free range in this account")
            });
        };
        let range = Range::of_vpc(text)
            .map_err(|why| ApiError::unprocessable(format!("ip_range: {why}")))?;
        if self.ranges().iter().any(|other| other.overlaps(range)) {
            return Err(ApiError::unprocessable(format!(
                "ip_range: `{text}` overlaps with another VPC network in your account"
            )));
        }
        Ok(range.to_string())
    }

    /// Refuses a name that a VPC other than `own` has.
    fn check_name(&self, name: &str, own: Option<&str>) -> Result<(), ApiError> {
        let taken = self
            .by_id
            .values()
            .any(|vpc| vpc.name == name && own != Some(vpc.id.as_str()));
        if taken {
            return Err(ApiError::unprocessable(format!(
                "name: a VPC named `{name}` already exists in your account"
            )));
        }
        Ok(())
    }

    pub(crate) fn any_mut(&mut self, id: &str) -> Option<&mut Vpc> {
        self.by_id.get_mut(id)
    }

    fn get(&mut self, id: &str) -> Result<&mut Vpc, ApiError> {
        self.by_id.get_mut(id).ok_or_else(ApiError::not_found)
    }

    pub(crate) fn remove(&mut self, id: &str) -> Option<Vpc> {
        self.by_id.remove(id)
    }

    /// In the order of creation.
    pub(crate) fn all(&self) -> Vec<&Vpc> {
        let mut all: Vec<&Vpc> = self.by_id.values().collect();
        all.sort_by_key(|vpc| vpc.order);
        all
    }

    /// The VPC of objects in a region that name none.
    pub(crate) fn default_of(&self, region: &str) -> String {
        self.by_id
            .values()
            .find(|vpc| vpc.default && vpc.region == region)
            .map(|vpc| vpc.id.clone())
            .unwrap_or_default()
    }

    /// The VPC that a new object in `region` gets. `member` is where the request names it.
    pub(crate) fn of(
        &self,
        wanted: Option<&str>,
        region: &str,
        member: &str,
    ) -> Result<String, ApiError> {
        let Some(id) = wanted else {
            return Ok(self.default_of(region));
        };
        match self.by_id.get(id) {
            None => Err(ApiError::unprocessable(format!(
                "{member}: there is no VPC `{id}` in your account"
            ))),
            Some(vpc) if vpc.region != region => Err(ApiError::unprocessable(format!(
                "{member}: VPC `{id}` is in region {}, not in {region}",
                vpc.region
            ))),
            Some(_) => Ok(id.to_owned()),
        }
    }
}

impl World {
    /// Adds a VPC that satisfies every rule of the provider and tells its id.
    pub(crate) fn add_vpc(
        &mut self,
        wanted: NewVpc,
        hiding: Hiding,
        origin: Origin,
        created_at: u64,
    ) -> Result<String, ApiError> {
        if !REGIONS.contains(&wanted.region.as_str()) {
            return Err(ApiError::unprocessable(format!(
                "region: invalid region `{}`",
                wanted.region
            )));
        }
        self.vpcs.check_name(&wanted.name, None)?;
        let ip_range = self.vpcs.range(wanted.ip_range.as_deref())?;
        let id = self.random.uuid();
        self.vpcs.next += 1;
        let vpc = Vpc {
            id: id.clone(),
            default: self.vpcs.default_of(&wanted.region).is_empty(),
            name: wanted.name,
            description: wanted.description.unwrap_or_default(),
            region: wanted.region,
            ip_range,
            created_at,
            hiding,
            origin,
            order: self.vpcs.next,
        };
        self.vpcs.by_id.insert(id.clone(), vpc);
        self.totals.vpcs_made += 1;
        Ok(id)
    }
}

/// A VPC that someone else made.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlantedVpc {
    /// Its name.
    pub name: String,
    /// Its region.
    pub region: String,
    /// Its description.
    #[serde(default)]
    pub description: String,
    /// Its range; none: a free one.
    #[serde(default)]
    pub ip_range: Option<String>,
}

impl PlantedVpc {
    /// A VPC in a region, without a description.
    #[must_use]
    pub fn named(name: &str, region: &str) -> Self {
        Self {
            name: name.to_owned(),
            region: region.to_owned(),
            description: String::new(),
            ip_range: None,
        }
    }

    /// Sets the description.
    #[must_use]
    pub fn description(mut self, description: &str) -> Self {
        self.description = description.to_owned();
        self
    }
}

/// What someone else changes of a VPC, at once. What is left out stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VpcDrift {
    /// Another name.
    pub name: Option<String>,
    /// Another description.
    pub description: Option<String>,
}

impl Controls {
    /// Adds a VPC that someone else made and tells its id.
    ///
    /// # Errors
    /// When the provider would refuse it: its name is taken, its range overlaps.
    pub fn plant_vpc(&self, planted: PlantedVpc) -> Result<String, Refused> {
        let wanted = NewVpc {
            name: planted.name,
            region: planted.region,
            description: Some(planted.description),
            ip_range: planted.ip_range,
        };
        let at = crate::clock::wall_ms();
        let mut world = self.shared.world();
        Ok(world.add_vpc(wanted, Hiding::default(), Origin::Planted, at)?)
    }

    /// Changes a VPC behind the client's back.
    ///
    /// # Errors
    /// When there is no such VPC, or its new name is taken.
    pub fn drift_vpc(&self, id: &str, drift: VpcDrift) -> Result<(), Refused> {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        if let Some(name) = &drift.name {
            world.vpcs.check_name(name, Some(id))?;
        }
        let vpc = world
            .vpcs
            .any_mut(id)
            .ok_or_else(|| crate::controls::no_such(id))?;
        if let Some(name) = drift.name {
            vpc.name = name;
        }
        if let Some(description) = drift.description {
            vpc.description = description;
        }
        Ok(())
    }

    /// The VPC of objects in a region that name none.
    #[must_use]
    pub fn default_vpc(&self, region: &str) -> String {
        self.shared.world().vpcs.default_of(region)
    }
}
