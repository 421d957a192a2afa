//! What is in a VPC.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::times::rfc3339;
use crate::world::World;

/// An object in a VPC.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Member {
    /// Its type as URNs call it.
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) name: String,
    /// Milliseconds since the epoch.
    pub(crate) created_at: u64,
}

/// A member that is gone but still counts: the provider notices late.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Leaving {
    vpc: String,
    member: Member,
    /// In virtual milliseconds.
    until: u64,
}

impl Member {
    pub(crate) fn json(&self) -> Value {
        json!({
            "urn": format!("do:{}:{}", self.kind, self.id),
            "name": self.name,
            "created_at": rfc3339(self.created_at),
        })
    }

    /// Whether lists of members show it: the document has no URN for the others.
    pub(crate) fn is_listed(&self) -> bool {
        ["dbaas", "droplet"].contains(&self.kind.as_str())
    }
}

impl World {
    /// Everything in a VPC, what has just left included.
    pub(crate) fn vpc_members(&mut self, vpc: &str, now: u64) -> Vec<Member> {
        self.sweep_inferences(now);
        self.vpcs.leaving.retain(|leaving| now < leaving.until);
        let mut members = Vec::new();
        for cluster in self.clusters.iter() {
            if cluster.private_network_uuid == vpc {
                members.push(cluster.as_member());
            }
            let replicas = cluster.replicas.values();
            let inside = replicas.filter(|replica| replica.private_network_uuid == vpc);
            members.extend(inside.map(|replica| replica.as_member()));
        }
        let droplets = self.droplets.iter().filter(|droplet| droplet.vpc == vpc);
        members.extend(droplets.map(|droplet| droplet.as_member()));
        let endpoints = self.inferences.iter().filter(|one| one.vpc == vpc);
        members.extend(endpoints.map(|one| one.as_member()));
        let left = self.vpcs.leaving.iter().filter(|one| one.vpc == vpc);
        members.extend(left.map(|one| one.member.clone()));
        members
    }

    /// Notes that a member is gone. It counts for a while.
    pub(crate) fn leave_vpc(&mut self, vpc: &str, member: Member, now: u64) {
        let lag = self.config.times.vpc_release;
        if lag > 0 {
            self.vpcs.leaving.push(Leaving {
                vpc: vpc.to_owned(),
                member,
                until: now.saturating_add(lag),
            });
        }
    }
}
