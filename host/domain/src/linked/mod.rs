//! What specs may name of their tenant: its instances and its networks.
//!
//! Others run them; operators record here which there are, so that a spec can name no machine and no
//! network but its tenant's own.

mod registration;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::id::{AccountId, InstanceId, NetworkId, TenantId};
use crate::input::Title;
use crate::provider;
use crate::time::Millis;

pub use registration::{Draft, Plan, Refusal, Registration};

/// Which of the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Sort {
    /// A machine: one object in one region.
    Instance,
    /// A network: an object (a VPC) in each of its regions.
    Network,
}

impl Sort {
    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instance => "instance",
            Self::Network => "network",
        }
    }
}

/// The id of either.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkedId {
    /// An instance's.
    Instance(InstanceId),
    /// A network's.
    Network(NetworkId),
}

/// Why a text is neither's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a valid id: expected `ins_` or `net_` and 26 to 52 characters")]
pub struct LinkedIdError;

impl LinkedId {
    /// Of which it is the id.
    #[must_use]
    pub fn sort(&self) -> Sort {
        match self {
            Self::Instance(_) => Sort::Instance,
            Self::Network(_) => Sort::Network,
        }
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Instance(id) => id.as_str(),
            Self::Network(id) => id.as_str(),
        }
    }
}

impl FromStr for LinkedId {
    type Err = LinkedIdError;
    fn from_str(text: &str) -> Result<Self, LinkedIdError> {
        let instance = text.parse().map(Self::Instance);
        instance.or_else(|_| text.parse().map(Self::Network).map_err(|_| LinkedIdError))
    }
}

impl fmt::Display for LinkedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An instance or a network, as it is recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkedRow {
    /// Its id.
    pub id: LinkedId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The account that it is on.
    pub account: AccountId,
    /// For people.
    pub title: Option<Title>,
    /// Its objects at the provider, by region: an instance has one.
    pub objects: BTreeMap<String, String>,
    /// When it was recorded.
    pub created_at: Millis,
    /// When it was last changed here.
    pub updated_at: Millis,
    /// When it was found to be gone; `None`: it lives.
    pub gone_at: Option<Millis>,
}

impl LinkedRow {
    /// As a provider is told of it: its object in the region, or all of them where a kind has none.
    pub fn resolved(&self, region: Option<&str>) -> impl Iterator<Item = provider::Linked> {
        self.objects
            .iter()
            // A machine is reached from wherever it stands.
            .filter(move |(at, _)| {
                self.id.sort() == Sort::Instance || region.is_none_or(|region| region == *at)
            })
            .map(|(region, provider_id)| provider::Linked {
                id: self.id.to_string(),
                provider_id: provider_id.clone(),
                region: region.clone(),
            })
    }
}

/// The instances and networks that an accepted spec names, as they stand in it: those that the schema
/// marks, and those that the plugin's `check` added.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct Named {
    /// Instances.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub instances: BTreeSet<String>,
    /// Networks.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub networks: BTreeSet<String>,
}

impl Named {
    /// Nothing is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty() && self.networks.is_empty()
    }

    /// Those that `before` did not name.
    #[must_use]
    pub fn beyond(&self, before: &Self) -> Self {
        Self {
            instances: &self.instances - &before.instances,
            networks: &self.networks - &before.networks,
        }
    }

    /// The ids among what is named, each of the right sort. The rest are none that could exist.
    #[must_use]
    pub fn ids(&self) -> Vec<LinkedId> {
        let instances = self.instances.iter();
        let networks = self.networks.iter();
        instances
            .filter_map(|id| id.parse().ok().map(LinkedId::Instance))
            .chain(networks.filter_map(|id| id.parse().ok().map(LinkedId::Network)))
            .collect()
    }
}

/// Of what a spec names, what lives: the tenant's, on its account.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Live {
    rows: Vec<LinkedRow>,
}

impl Live {
    /// Keeps of these rows the live ones of a tenant and account.
    #[must_use]
    pub fn of(rows: Vec<LinkedRow>, tenant: &TenantId, account: &AccountId) -> Self {
        let is_usable = |row: &LinkedRow| {
            row.gone_at.is_none() && row.tenant == *tenant && row.account == *account
        };
        Self {
            rows: rows.into_iter().filter(is_usable).collect(),
        }
    }

    fn row(&self, sort: Sort, id: &str) -> Option<&LinkedRow> {
        self.rows
            .iter()
            .find(|row| row.id.sort() == sort && row.id.as_str() == id)
    }

    /// Named instances that are none of the tenant's live ones.
    #[must_use]
    pub fn missing_instances(&self, named: &Named) -> Vec<String> {
        let missing = |id: &&String| self.row(Sort::Instance, id).is_none();
        named.instances.iter().filter(missing).cloned().collect()
    }

    /// Named networks that are none of the tenant's live ones, or have no object in the region.
    #[must_use]
    pub fn missing_networks(&self, named: &Named, region: Option<&str>) -> Vec<String> {
        let missing = |id: &&String| {
            let row = self.row(Sort::Network, id);
            row.is_none_or(|row| row.resolved(region).next().is_none())
        };
        named.networks.iter().filter(missing).cloned().collect()
    }

    /// The live ones of a sort, as a provider is told of them.
    #[must_use]
    pub fn resolved(&self, sort: Sort, region: Option<&str>) -> Vec<provider::Linked> {
        self.rows
            .iter()
            .filter(|row| row.id.sort() == sort)
            .flat_map(|row| row.resolved(region))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::IdSeed;

    fn tenant(name: &str) -> TenantId {
        name.parse().unwrap()
    }

    fn account(n: u8) -> AccountId {
        AccountId::generate(Millis(1), IdSeed([n; 10]))
    }

    fn row(id: LinkedId, objects: &[(&str, &str)]) -> LinkedRow {
        LinkedRow {
            id,
            tenant: tenant("acme"),
            account: account(1),
            title: None,
            objects: objects
                .iter()
                .map(|(region, id)| ((*region).to_owned(), (*id).to_owned()))
                .collect(),
            created_at: Millis(1),
            updated_at: Millis(1),
            gone_at: None,
        }
    }

    fn instance(n: u8) -> LinkedRow {
        let id = LinkedId::Instance(InstanceId::generate(Millis(1), IdSeed([n; 10])));
        row(id, &[("nyc3", &format!("droplet-{n}"))])
    }

    fn network(n: u8) -> LinkedRow {
        let id = LinkedId::Network(NetworkId::generate(Millis(1), IdSeed([n; 10])));
        row(id, &[("ams3", "vpc-a"), ("nyc3", "vpc-n")])
    }

    fn named(instances: &[&LinkedRow], networks: &[&LinkedRow]) -> Named {
        let ids = |rows: &[&LinkedRow]| rows.iter().map(|row| row.id.to_string()).collect();
        Named {
            instances: ids(instances),
            networks: ids(networks),
        }
    }

    #[test]
    fn only_what_lives_and_is_the_tenants_on_the_account_counts() {
        let good = instance(1);
        let gone = LinkedRow {
            gone_at: Some(Millis(2)),
            ..instance(2)
        };
        let foreign = LinkedRow {
            tenant: tenant("other"),
            ..instance(3)
        };
        let elsewhere = LinkedRow {
            account: account(2),
            ..instance(4)
        };
        let named = named(&[&good, &gone, &foreign, &elsewhere], &[]);
        let rows = vec![
            good.clone(),
            gone.clone(),
            foreign.clone(),
            elsewhere.clone(),
        ];
        let live = Live::of(rows, &tenant("acme"), &account(1));
        let missing = live.missing_instances(&named);
        assert_eq!(
            missing,
            [gone, foreign, elsewhere].map(|row| row.id.to_string())
        );
        let resolved = live.resolved(Sort::Instance, Some("ams3"));
        assert_eq!(resolved.len(), 1, "a machine counts wherever it stands");
        assert_eq!(resolved[0].provider_id, "droplet-1");
    }

    #[test]
    fn a_network_is_its_object_in_the_region() {
        let network = network(1);
        let named = named(&[], &[&network]);
        let live = Live::of(vec![network], &tenant("acme"), &account(1));
        assert!(live.missing_networks(&named, Some("nyc3")).is_empty());
        assert_eq!(live.missing_networks(&named, Some("fra1")).len(), 1);
        assert!(live.missing_networks(&named, None).is_empty());
        let at = |region| {
            let resolved = live.resolved(Sort::Network, region);
            resolved
                .into_iter()
                .map(|linked| linked.provider_id)
                .collect::<Vec<_>>()
        };
        assert_eq!(at(Some("nyc3")), ["vpc-n"]);
        assert_eq!(at(None), ["vpc-a", "vpc-n"]);
    }

    #[test]
    fn an_id_of_one_sort_is_none_of_the_other() {
        let (instance, network) = (instance(1), network(2));
        let named = named(&[&network], &[&instance]);
        assert_eq!(named.ids(), []);
        let live = Live::of(vec![instance, network], &tenant("acme"), &account(1));
        assert_eq!(live.missing_instances(&named).len(), 1);
        assert_eq!(live.missing_networks(&named, None).len(), 1);
    }

    #[test]
    fn what_was_named_before_is_not_newly_named() {
        let (old, new) = (instance(1), instance(2));
        let before = named(&[&old], &[]);
        let after = named(&[&old, &new], &[]);
        assert_eq!(after.beyond(&before), named(&[&new], &[]));
        assert!(before.beyond(&after).is_empty());
    }
}
