//! The kind's entry in the manifest.

use berth_sdk::manifest::{OwnIds as _, Secrets as _, get, names, outputs, write};
use berth_sdk::types::{Family, Kind, Operation, Output, Ownership, Read, Write};
use berth_sdk::{Kind as _, manifest, schema};

use super::Pg;
use crate::api::UUID;
use crate::database::NODE_HOURS;
use crate::database::connection::{self, Connections, below, slices};

pub(super) fn kind() -> Kind {
    Kind {
        outputs: plain(),
        secret_outputs: Connections::secret_outputs(),
        regional: true,
        updatable: names(&[
            "size",
            "num_nodes",
            "storage_size_mib",
            "region",
            "version",
            "maintenance",
            "config",
            "autoscale",
            "do_settings",
        ]),
        meters: names(&[NODE_HOURS]),
        ownership: Ownership::Labels,
        releasable: true,
        adoptable: true,
        lists_whole: true,
        id_pattern: UUID.to_owned(),
        reads: reads(),
        writes: writes(),
        ..manifest::kind(
            Pg::ID,
            "PostgreSQL cluster",
            Family::Data,
            schema!("do.database.pg"),
        )
    }
}

fn plain() -> Vec<Output> {
    let mut plain = outputs(&[
        ("status", "State at the provider"),
        ("host", "Host name"),
        ("port", "Port"),
        ("database", "Name of the first database"),
        ("user", "Name of the administrator"),
        ("ssl", "Whether connections are encrypted"),
        ("private_host", "Host name inside the VPC"),
        ("private_port", "Port inside the VPC"),
        ("standby_host", "Host name of the standby nodes"),
        ("standby_port", "Port of the standby nodes"),
        (
            "standby_private_host",
            "Host name of the standby nodes inside the VPC",
        ),
        (
            "standby_private_port",
            "Port of the standby nodes inside the VPC",
        ),
        ("version", "Major version"),
        ("semantic_version", "Exact version"),
        ("region", "Data centre"),
        ("size", "Size of each node"),
        ("num_nodes", "Nodes"),
        ("storage_size_mib", "Storage in MiB"),
        ("metrics_endpoints", "Where metrics can be read"),
        ("created_at", "Time of creation"),
    ]);
    if cfg!(feature = "next") {
        plain.extend(outputs(&[(
            "version_end_of_life",
            "When the version is no longer supported",
        )]));
    }
    plain
}

fn reads() -> Vec<Read> {
    let own = below("/database", &connection::SECRETS);
    // Lists show clusters of all engines, and a cluster shows the passwords of all its users, who
    // are resources of their own.
    let own_more = below("/database", &SECRETS_OF_OTHER_ENGINES);
    let all = below("/databases/*", &connection::SECRETS);
    let all_more = below("/databases/*", &SECRETS_OF_OTHER_ENGINES);
    vec![
        get("/v2/databases/{id}")
            .own(&slices(&own))
            .own(&slices(&own_more))
            .foreign(&USERS_OF_ONE),
        get("/v2/databases")
            .foreign(&slices(&all))
            .foreign(&slices(&all_more))
            .foreign(&USERS_OF_ALL),
    ]
}

/// Where clusters of other engines show secrets too.
const SECRETS_OF_OTHER_ENGINES: [&str; 4] = [
    "ui_connection/password",
    "ui_connection/uri",
    "schema_registry_connection/password",
    "schema_registry_connection/uri",
];
const USERS_OF_ONE: [&str; 3] = [
    "/database/users/*/password",
    "/database/users/*/access_cert",
    "/database/users/*/access_key",
];
const USERS_OF_ALL: [&str; 3] = [
    "/databases/*/users/*/password",
    "/databases/*/users/*/access_cert",
    "/databases/*/users/*/access_key",
];

fn writes() -> Vec<Write> {
    let secrets = below("/database", &connection::SECRETS);
    let more = below("/database", &SECRETS_OF_OTHER_ENGINES);
    let update = |method, last| {
        write(
            Operation::Update,
            method,
            &format!("/v2/databases/{{id}}/{last}"),
        )
    };
    let tagging = |operation, method| {
        write(operation, method, "/v2/tags/{any}/resources").own_ids(&["/resources/*/resource_id"])
    };
    vec![
        write(Operation::Create, "POST", "/v2/databases")
            .own(&slices(&secrets))
            .own(&slices(&more))
            .foreign(&USERS_OF_ONE),
        update("PUT", "resize"),
        update("PUT", "migrate"),
        update("PUT", "upgrade"),
        update("PUT", "maintenance"),
        update("PATCH", "config"),
        update("PUT", "autoscale"),
        update("PUT", "do_settings"),
        write(Operation::Delete, "DELETE", "/v2/databases/{id}"),
        write(Operation::Label, "POST", "/v2/tags"),
        tagging(Operation::Label, "POST"),
        tagging(Operation::Label, "DELETE"),
        tagging(Operation::Unlabel, "DELETE"),
    ]
}
