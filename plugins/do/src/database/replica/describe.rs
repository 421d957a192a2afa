//! The kind's entry in the manifest, and what its schema can't say.

use berth_sdk::answers::invalid;
use berth_sdk::manifest::{Secrets as _, get, names, outputs, write};
use berth_sdk::types::{Checked, Error, Family, Kind, MeterRate, Operation, Ownership};
use berth_sdk::{Kind as _, manifest, schema};

use super::super::NODE_HOURS;
use super::super::connection::{self, Connections, below, slices};
use super::super::pg::Pg;
use super::{Replica, SIZES};
use crate::api::UUID;
use crate::spec::replica::Spec;

pub(super) fn kind() -> Kind {
    let one = below("/replica", &connection::SECRETS);
    let all = below("/replicas/*", &connection::SECRETS);
    let replicas = "/v2/databases/{parent}/replicas";
    let replica = "/v2/databases/{parent}/replicas/{name}";
    Kind {
        outputs: outputs(&[
            ("status", "State at the provider"),
            ("host", "Host name"),
            ("port", "Port"),
            ("database", "Name of the first database"),
            ("user", "Name of the administrator"),
            ("private_host", "Host name inside the VPC"),
            ("private_port", "Port inside the VPC"),
            ("region", "Data centre"),
            ("size", "Size of the node"),
            ("storage_size_mib", "Storage in MiB"),
            ("created_at", "Time of creation"),
        ]),
        secret_outputs: Connections::secret_outputs(),
        regional: true,
        updatable: names(&SIZES),
        parents: names(&[Pg::ID]),
        identity: names(&["name"]),
        meters: names(&[NODE_HOURS]),
        ownership: Ownership::Parent,
        lists_whole: true,
        id_pattern: UUID.to_owned(),
        reads: vec![
            get(replica).own(&slices(&one)),
            get(replicas).foreign(&slices(&all)),
        ],
        writes: vec![
            write(Operation::Create, "POST", replicas).own(&slices(&one)),
            write(Operation::Update, "PUT", "/v2/databases/{id}/resize"),
            write(Operation::Delete, "DELETE", replica),
        ],
        ..manifest::kind(
            Replica::ID,
            "Read-only database replica",
            Family::Data,
            schema!("do.database.replica"),
        )
    }
}

pub(super) fn check(spec: &Spec) -> Result<Checked, Error> {
    if spec.network.is_some() && spec.private_network_uuid.is_some() {
        return Err(invalid(
            "/private_network_uuid",
            "a replica lives in one network: give network or private_network_uuid",
        ));
    }
    Ok(Checked {
        meters: vec![MeterRate {
            name: NODE_HOURS.to_owned(),
            rate: 1,
        }],
        ..manifest::checked()
    })
}
