//! A manifest that is valid and declares as few secrets as it can, as a hostile one would.

use crate::bindings::berth::provider::types::{
    CredentialType, Endpoint, Family, Kind, Manifest, Operation, Output, Ownership, Read,
    SecretPointer, SignalSupport, Write,
};

/// Where its API is.
pub(crate) const ORIGIN: &str = "https://api.hostile.test";

const SPEC: &str = r#"{
    "type": "object",
    "properties": {
        "script": {"type": "object"},
        "token": {"type": "string", "x-secret": true},
        "note": {"type": "string"},
        "machines": {"type": "array", "items": {"type": "string"}, "x-instances": true},
        "net": {"type": "string", "x-networks": true},
        "size": {"type": "string"}
    }
}"#;

/// What the guest says of itself.
pub(crate) fn manifest() -> Manifest {
    Manifest {
        provider: "hostile".to_owned(),
        version: "0.1.0".to_owned(),
        title: "Hostile".to_owned(),
        endpoints: vec![
            endpoint(
                ORIGIN,
                true,
                ["/v2/regions", "/v2/catalog", "/v2/signals"]
                    .map(|path| read("GET", path))
                    .to_vec(),
            ),
            // Wanted, and in the tests never granted.
            endpoint(
                "https://elsewhere.hostile.test",
                false,
                vec![read("GET", "/v2/regions")],
            ),
        ],
        credential: CredentialType::Bearer,
        kinds: vec![database(), user()],
        has_catalog: !cfg!(feature = "held"),
        signals: Some(SignalSupport {
            preview: cfg!(feature = "held"),
        }),
    }
}

fn endpoint(origin: &str, credential: bool, reads: Vec<Read>) -> Endpoint {
    Endpoint {
        origin: origin.to_owned(),
        credential,
        reads,
    }
}

fn read(method: &str, path: &str) -> Read {
    Read {
        method: method.to_owned(),
        path: path.to_owned(),
        secrets: Vec::new(),
    }
}

fn write(operation: Operation, method: &str, path: &str) -> Write {
    Write {
        operation,
        method: method.to_owned(),
        path: path.to_owned(),
        own_ids: Vec::new(),
        secrets: Vec::new(),
    }
}

fn output(name: &str) -> Output {
    Output {
        name: name.to_owned(),
        title: name.to_owned(),
    }
}

fn database() -> Kind {
    let tagged = |operation| Write {
        own_ids: vec!["/resources/*/resource_id".to_owned()],
        ..write(
            operation,
            if operation == Operation::Label {
                "POST"
            } else {
                "DELETE"
            },
            "/v2/tags/{any}/resources",
        )
    };
    Kind {
        id: "hostile.db".to_owned(),
        title: "Database".to_owned(),
        family: Family::Data,
        spec_schema: SPEC.to_owned(),
        outputs: vec![output("report")],
        secret_outputs: vec![output("password")],
        regional: false,
        updatable: vec!["size".to_owned(), "token".to_owned()],
        parents: Vec::new(),
        identity: Vec::new(),
        singleton: false,
        ends_with_parent: false,
        preview: false,
        meters: Vec::new(),
        bookings: Vec::new(),
        ownership: Ownership::Labels,
        releasable: true,
        adoptable: true,
        lists_whole: true,
        id_pattern: "[a-z0-9-]{1,40}".to_owned(),
        reads: vec![
            read("GET", "/v2/dbs"),
            Read {
                secrets: vec![
                    SecretPointer {
                        pointer: "/db/neighbour_note".to_owned(),
                        own: false,
                    },
                    SecretPointer {
                        pointer: "/db/opaque".to_owned(),
                        own: true,
                    },
                ],
                ..read("GET", "/v2/dbs/{id}")
            },
            read("GET", "/v2/everyone/{any}"),
            read("POST", "/v2/search"),
        ],
        writes: vec![
            write(Operation::Create, "POST", "/v2/dbs"),
            write(Operation::Update, "PUT", "/v2/dbs/{id}"),
            write(Operation::Update, "POST", "/v2/dbs/{id}/rotate"),
            write(Operation::Delete, "DELETE", "/v2/dbs/{id}"),
            write(Operation::Label, "POST", "/v2/tags"),
            tagged(Operation::Label),
            tagged(Operation::Unlabel),
        ],
    }
}

fn user() -> Kind {
    Kind {
        id: "hostile.db.user".to_owned(),
        title: "User".to_owned(),
        parents: vec!["hostile.db".to_owned()],
        ownership: Ownership::Parent,
        releasable: false,
        adoptable: false,
        updatable: Vec::new(),
        // A parent has one of them, as a cluster has one firewall.
        singleton: true,
        reads: vec![
            read("GET", "/v2/dbs/{parent}/users"),
            read("GET", "/v2/dbs/{parent}/users/{name}"),
        ],
        writes: vec![
            write(Operation::Create, "POST", "/v2/dbs/{parent}/users"),
            write(Operation::Delete, "DELETE", "/v2/dbs/{parent}/users/{name}"),
        ],
        ..database()
    }
}
