//! The kind's entry in the manifest.

use berth_sdk::manifest::{get, names, outputs, write};
use berth_sdk::types::{Family, Kind, Operation, Ownership};
use berth_sdk::{Kind as _, manifest, schema};

use super::{App, UPDATABLE};
use crate::api::UUID;

pub(super) fn kind() -> Kind {
    Kind {
        outputs: outputs(&[
            ("live_url", "URL of the app"),
            ("live_domain", "Host name of the app"),
            ("default_ingress", "URL at the provider's own domain"),
            ("tier_slug", "Tier"),
            ("region", "Region"),
            ("active_deployment", "Id of the deployment that serves"),
            ("dedicated_ips", "Addresses of its own"),
            ("created_at", "Time of creation"),
            ("updated_at", "Time of the last change"),
        ]),
        regional: true,
        updatable: names(&UPDATABLE),
        ownership: Ownership::Name,
        // A deployment that failed leaves no trace in a list.
        lists_whole: false,
        id_pattern: UUID.to_owned(),
        // The API shows secrets encrypted only.
        reads: vec![
            get("/v2/apps/{id}"),
            get("/v2/apps"),
            get("/v2/apps/{id}/deployments"),
            get("/v2/apps/{id}/deployments/{any}"),
        ],
        writes: vec![
            write(Operation::Create, "POST", "/v2/apps"),
            write(Operation::Update, "PUT", "/v2/apps/{id}"),
            write(Operation::Delete, "DELETE", "/v2/apps/{id}"),
        ],
        ..manifest::kind(
            App::ID,
            "App Platform app",
            Family::Platform,
            schema!("do.app"),
        )
    }
}
