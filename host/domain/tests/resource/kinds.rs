//! Kinds of an invented provider, one for each way of owning an object.

use berth_domain::id::{AccountId, IdSeed, PoolId, PrincipalId, ResourceId};
use berth_domain::manifest::{Family, Kind, Output, Ownership};
use berth_domain::resource::{Found, NewResource, Resource, adopted_resource, new_resource};
use berth_domain::secret::SecretRef;
use berth_domain::spec::Spec;
use berth_domain::time::Millis;
use serde_json::json;

/// Fields that can be changed in place. `rules` can't be said by a create: an update applies it later.
/// `token` names a secret.
pub(crate) const UPDATABLE: [&str; 4] = ["size", "colour", "rules", TOKEN];
pub(crate) const TOKEN: &str = "token";

pub(crate) fn token() -> SecretRef {
    "secret://acme/token".parse().unwrap()
}

fn kind(id: &str, ownership: Ownership) -> Kind {
    Kind {
        id: id.to_owned(),
        title: id.to_owned(),
        family: Family::Data,
        spec_schema: json!({"type": "object", "properties": {
            "size": {}, "colour": {}, "rules": {}, TOKEN: {}, "login": {},
        }}),
        outputs: vec![],
        secret_outputs: vec![],
        regional: false,
        updatable: UPDATABLE.map(str::to_owned).to_vec(),
        parents: vec![],
        identity: vec![],
        singleton: false,
        preview: false,
        meters: vec![],
        bookings: vec![],
        ownership,
        releasable: ownership == Ownership::Labels,
        adoptable: ownership == Ownership::Labels,
        lists_whole: false,
        ends_with_parent: false,
        id_pattern: "[a-z0-9-]+".to_owned(),
        reads: vec![],
        writes: vec![],
    }
}

/// Owned by labels, with a secret output.
pub(crate) fn cluster() -> Kind {
    Kind {
        secret_outputs: vec![Output {
            name: "password".to_owned(),
            title: "Password".to_owned(),
        }],
        ..kind("sim.cluster", Ownership::Labels)
    }
}

/// Owned by its name.
pub(crate) fn app() -> Kind {
    kind("sim.app", Ownership::Name)
}

/// Lives in a cluster and is owned through it.
pub(crate) fn user() -> Kind {
    Kind {
        parents: vec!["sim.cluster".to_owned()],
        identity: vec!["login".to_owned()],
        ..kind("sim.user", Ownership::Parent)
    }
}

/// A new row: the `number`th of its test.
pub(crate) fn row(kind: &Kind, number: u8, parent: Option<&ResourceId>, now: Millis) -> Resource {
    new_resource(new(kind, number, parent), kind, now).row
}

/// A row that is to take over an object, as it shows itself.
pub(crate) fn adopted_row(kind: &Kind, number: u8, found: Found, now: Millis) -> Resource {
    let new = NewResource {
        spec: Spec::new(),
        ..new(kind, number, None)
    };
    adopted_resource(new, found, kind, now).row
}

fn new(kind: &Kind, number: u8, parent: Option<&ResourceId>) -> NewResource {
    let seed = IdSeed([1; 10]);
    let tenant = "acme".parse().unwrap();
    let owner = PrincipalId::generate(Millis(1), seed);
    let mut spec: Spec = UPDATABLE
        .iter()
        .map(|field| ((*field).to_owned(), json!(0)))
        .collect();
    spec.insert(TOKEN.to_owned(), json!(token()));
    if kind.identity.contains(&"login".to_owned()) {
        spec.insert("login".to_owned(), json!(format!("login-{number}")));
    }
    NewResource {
        id: ResourceId::derive(&tenant, &owner, &format!("key-{number}")),
        tenant,
        project: None,
        pool: PoolId::generate(Millis(1), seed),
        account: AccountId::generate(Millis(1), seed),
        provider: "sim".to_owned(),
        kind: kind.id.parse().unwrap(),
        name: format!("name-{number}").parse().unwrap(),
        description: None,
        parent: parent.cloned(),
        owner,
        spec,
        defaults: Spec::new(),
        named: berth_domain::linked::Named::default(),
        demand: berth_domain::resource::Demand::default(),
        generation: "digest".to_owned(),
        input_digest: "input".to_owned(),
    }
}
