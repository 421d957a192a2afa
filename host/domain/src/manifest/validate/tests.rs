use serde_json::json;

use super::super::{Family, Kind, Manifest};
use super::*;

fn database() -> serde_json::Value {
    json!({
        "id": "do.database.pg", "title": "PostgreSQL", "family": "data",
        "specSchema": {"type": "object", "properties": {"region": {"type": "string"}, "size": {"type": "string"}}, "required": ["region", "size"]},
        "outputs": [{"name": "host", "title": "Host"}], "secretOutputs": [{"name": "password", "title": "Password"}],
        "regional": true, "updatable": ["size"], "parents": [], "identity": [], "singleton": false, "preview": false,
        "meters": [], "bookings": [], "ownership": "labels", "releasable": true, "adoptable": true, "listsWhole": true,
        "idPattern": "[0-9a-f-]{36}",
        "reads": [
            {"method": "GET", "path": "/v2/databases", "secrets": [{"pointer": "/databases/*/connection/password", "own": false}]},
            {"method": "GET", "path": "/v2/databases/{id}", "secrets": [{"pointer": "/database/connection/password", "own": true}]}
        ],
        "writes": [
            {"operation": "create", "method": "POST", "path": "/v2/databases", "ownIds": [], "secrets": [{"pointer": "/database/connection/password", "own": true}]},
            {"operation": "update", "method": "PUT", "path": "/v2/databases/{id}/resize", "ownIds": [], "secrets": []},
            {"operation": "delete", "method": "DELETE", "path": "/v2/databases/{id}", "ownIds": [], "secrets": []},
            {"operation": "label", "method": "POST", "path": "/v2/tags", "ownIds": [], "secrets": []},
            {"operation": "label", "method": "POST", "path": "/v2/tags/{any}/resources", "ownIds": ["/resources/*/resource_id"], "secrets": []},
            {"operation": "unlabel", "method": "DELETE", "path": "/v2/tags/{any}/resources", "ownIds": ["/resources/*/resource_id"], "secrets": []}
        ]
    })
}

fn user() -> serde_json::Value {
    json!({
        "id": "do.database.user", "title": "Database user", "family": "data",
        "specSchema": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
        "outputs": [], "secretOutputs": [{"name": "password", "title": "Password"}],
        "regional": false, "updatable": [], "parents": ["do.database.pg"], "identity": ["name"], "singleton": false, "preview": false,
        "meters": [], "bookings": [], "ownership": "parent", "releasable": false, "adoptable": false, "listsWhole": false,
        "idPattern": "[a-z0-9_-]{1,63}",
        "reads": [{"method": "GET", "path": "/v2/databases/{parent}/users/{name}", "secrets": [{"pointer": "/user/password", "own": true}]}],
        "writes": [
            {"operation": "create", "method": "POST", "path": "/v2/databases/{parent}/users", "ownIds": [], "secrets": [{"pointer": "/user/password", "own": true}]},
            {"operation": "delete", "method": "DELETE", "path": "/v2/databases/{parent}/users/{name}", "ownIds": [], "secrets": []}
        ]
    })
}

pub(in super::super) fn sound() -> Manifest {
    serde_json::from_value(json!({
        "provider": "do", "version": "0.1.0", "title": "DigitalOcean",
        "endpoints": [{"origin": "https://api.digitalocean.com", "credential": true, "reads": [{"method": "GET", "path": "/v2/regions", "secrets": []}]}],
        "credential": "bearer", "kinds": [database(), user()], "hasCatalog": true, "signals": {"preview": true}
    }))
    .unwrap()
}

/// The faults of a sound manifest that was changed.
fn broken(change: impl FnOnce(&mut Manifest)) -> String {
    let mut manifest = sound();
    change(&mut manifest);
    let faults = validate(&manifest).expect_err("the change must be refused");
    faults
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

fn broken_kind(change: impl FnOnce(&mut Kind)) -> String {
    broken(|manifest| change(&mut manifest.kinds[0]))
}

fn broken_child(change: impl FnOnce(&mut Kind)) -> String {
    broken(|manifest| change(&mut manifest.kinds[1]))
}

#[test]
fn a_sound_manifest_passes() {
    assert_eq!(validate(&sound()), Ok(()));
}

#[test]
fn a_fault_says_where_what_is_wrong_and_what_would_be_right() {
    insta::assert_snapshot!(broken(|manifest| {
        manifest.provider = "Digital".into();
        manifest.version = "1.0".into();
        manifest.title = "two\nlines".into();
    }), @r"
    provider: `Digital` is no provider's name; 1 to 16 characters, `[a-z][a-z0-9]*`
    version: `1.0` is no version; semver such as `1.2.3` or `1.2.3-beta.1`
    title: is no title; one line of 1 to 120 characters
    kind `do.database.pg`: id: `do.database.pg` is no kind of provider `Digital`; `Digital.` and words `[a-z][a-z0-9-]*` joined by dots, at most 64 characters
    kind `do.database.user`: id: `do.database.user` is no kind of provider `Digital`; `Digital.` and words `[a-z][a-z0-9-]*` joined by dots, at most 64 characters
    ");
}

#[test]
fn an_endpoint_is_an_https_origin_with_a_name() {
    for origin in [
        "http://api.digitalocean.com",
        "https://api.digitalocean.com/",
        "https://api.digitalocean.com/v2",
        "https://u:p@api.digitalocean.com",
        "https://127.0.0.1",
        "https://[::1]",
        "https://localhost",
        "https://2130706433",
        "https://0x7f.1",
        "https://API.digitalocean.com",
        "https://api.digitalocean.com:443",
        "https://api.digitalocean.com:0",
        "https://api.digitalocean.com:08",
        "https://*",
        "https://a.*.com",
        "https://x..com",
    ] {
        let text = broken(|manifest| manifest.endpoints[0].origin = origin.into());
        assert!(text.contains("is no origin"), "{origin}: {text}");
    }
}

#[test]
fn a_wildcard_host_takes_no_credential() {
    insta::assert_snapshot!(broken(|manifest| manifest.endpoints[0].origin = "https://*.do-ai.run".into()), @"endpoints[0].credential: a wildcard host can't take the credential; name each host that needs it");
}

#[test]
fn a_credential_without_a_taker_and_a_taker_without_a_credential_are_refused() {
    assert!(
        broken(|manifest| manifest.endpoints[0].credential = false)
            .contains("no endpoint takes it")
    );
    assert!(
        broken(|manifest| manifest.credential = CredentialType::None)
            .contains("credential type is `none`")
    );
}

#[test]
fn an_endpoints_reads_belong_to_no_object() {
    assert!(
        broken(|manifest| manifest.endpoints[0].reads[0].path = "/v2/x/{id}".parse().unwrap())
            .contains("belong to no object")
    );
}

#[test]
fn a_kind_is_named_once_and_there_is_one() {
    assert!(
        broken(|manifest| manifest.kinds.push(manifest.kinds[0].clone()))
            .contains("has `do.database.pg` twice")
    );
    assert!(broken(|manifest| manifest.kinds.clear()).contains("at least one kind"));
}

#[test]
fn a_regional_kind_requires_a_region_and_no_other_does() {
    assert!(
        broken_kind(|kind| kind.spec_schema["required"] = json!(["size"]))
            .contains("no required `region`")
    );
    assert!(broken_kind(|kind| kind.regional = false).contains("the schema requires `region`"));
}

#[test]
fn a_schema_that_does_not_compile_is_refused() {
    assert!(
        broken_kind(|kind| kind.spec_schema = json!({"type": "string"})).contains("spec-schema")
    );
}

#[test]
fn updatable_and_identity_fields_are_fields_of_the_schema_and_apart() {
    assert!(broken_kind(|kind| kind.updatable.push("sice".into())).contains("no field `sice`"));
    assert!(broken_child(|kind| kind.identity = vec!["login".into()]).contains("no field `login`"));
    assert!(broken_child(|kind| kind.updatable = vec!["name".into()]).contains("can't change"));
    assert!(
        broken_child(|kind| kind.spec_schema["required"] = json!([])).contains("may be left out")
    );
    assert!(
        broken_child(|kind| kind.spec_schema["properties"]["name"]["x-secret"] = json!(true))
            .contains("a secret can't be a name")
    );
}

#[test]
fn an_output_is_sealed_or_plain_and_named_once() {
    assert!(
        broken_kind(|kind| kind.outputs.push(kind.secret_outputs[0].clone()))
            .contains("`password` is a plain output too")
    );
    assert!(
        broken_kind(|kind| kind.outputs.push(kind.outputs[0].clone())).contains("has `host` twice")
    );
    assert!(broken_kind(|kind| kind.outputs[0].name = "a/b".into()).contains("no output's name"));
}

#[test]
fn parents_are_kinds_of_the_manifest_and_form_a_tree() {
    assert!(
        broken_child(|kind| kind.parents = vec!["do.nothing".into()])
            .contains("no kind `do.nothing`")
    );
    assert!(
        broken_child(|kind| kind.parents.push("do.database.user".into()))
            .contains("its own parent")
    );
    let circle = broken_kind(|kind| {
        kind.parents = vec!["do.database.user".into()];
        kind.adoptable = false;
    });
    assert!(
        circle.contains(
            "kind `do.database.pg`: parents: the kind lives, through its parents, in itself"
        ),
        "{circle}"
    );
}

#[test]
fn ownership_singleton_and_adoption_fit_where_a_kind_lives() {
    assert!(
        broken_kind(|kind| kind.ownership = super::super::Ownership::Parent).contains("ownership")
    );
    assert!(broken_kind(|kind| kind.singleton = true).contains("only a child"));
    assert!(broken_child(|kind| kind.singleton = true).contains("needs no name"));
    assert!(broken_child(|kind| kind.adoptable = true).contains("taken over with its parent"));
    assert!(
        broken_kind(|kind| kind.ownership = super::super::Ownership::Name)
            .contains("without labels")
    );
}

#[test]
fn a_write_that_reaches_a_neighbour_is_refused() {
    for (operation, method, path) in [
        ("update", "PUT", "/v2/databases/{any}/resize"),
        ("update", "PUT", "/v2/databases"),
        ("delete", "DELETE", "/v2/databases/{any}"),
        ("delete", "DELETE", "/v2/databases"),
        ("create", "DELETE", "/v2/databases/{any}"),
        ("create", "DELETE", "/v2/databases"),
        ("create", "PUT", "/v2/databases"),
        ("create", "POST", "/v2/databases/{any}/users"),
        ("label", "PUT", "/v2/tags"),
        ("label", "POST", "/v2/tags/{any}/resources"),
        ("unlabel", "POST", "/v2/tags"),
    ] {
        let text = broken_kind(|kind| {
            let mut write = kind.writes[2].clone();
            write.operation = serde_json::from_value(json!(operation)).unwrap();
            write.method = method.into();
            write.path = path.parse().unwrap();
            kind.writes.push(write);
        });
        assert!(
            text.contains("whose object it changes") || text.contains("deletes nothing"),
            "{operation} {method} {path}: {text}"
        );
    }
}

#[test]
fn a_child_never_deletes_its_parent_nor_its_siblings() {
    let with = |path: &str| {
        let path = path.parse().unwrap();
        broken_child(|kind| kind.writes[1].path = path)
    };
    assert!(with("/v2/databases/{parent}").contains("would delete the parent"));
    assert!(with("/v2/databases/{parent}/users").contains("whose object it changes"));
    assert!(with("/v2/users/{name}").contains("`{name}` alone"));
}

#[test]
fn a_create_knows_no_id_yet() {
    assert!(
        broken_kind(|kind| kind.writes[0].path = "/v2/databases/{id}".parse().unwrap())
            .contains("has none yet")
    );
    assert!(
        broken_kind(|kind| kind.writes[0].own_ids = vec!["/id".into()])
            .contains("no provider id yet")
    );
}

#[test]
fn a_reading_operation_never_writes() {
    for operation in ["find", "observe", "list", "catalog", "signals"] {
        let text = broken_kind(|kind| {
            kind.writes[0].operation = serde_json::from_value(json!(operation)).unwrap()
        });
        assert!(
            text.contains("this operation only reads"),
            "{operation}: {text}"
        );
    }
}

#[test]
fn a_read_by_post_is_never_a_path_that_is_written_to() {
    let text = broken_kind(|kind| {
        kind.reads[0].method = "POST".into();
    });
    assert!(
        text.contains("`POST /v2/databases` is also a write"),
        "{text}"
    );
    assert!(broken_kind(|kind| kind.reads[0].method = "PUT".into()).contains("does not read"));
}

#[test]
fn a_secret_is_the_objects_own_only_where_the_path_proves_it() {
    assert!(
        broken_kind(|kind| kind.reads[0].secrets[0].own = true)
            .contains("does not prove whose object answers")
    );
    assert!(
        broken_kind(|kind| kind.reads[0].secrets[0].pointer = "databases".into())
            .contains("is no pointer")
    );
    assert!(
        broken_kind(|kind| kind.reads[0].secrets[0].pointer = "/a~2".into())
            .contains("is no pointer")
    );
}

#[test]
fn what_a_kind_promises_has_its_write() {
    insta::assert_snapshot!(broken_kind(|kind| kind.writes.clear()), @r"
    kind `do.database.pg`: writes: nothing deletes an object of the kind; declare the write of `delete`
    kind `do.database.pg`: updatable: names fields, and no write of `update` is declared; declare it, or leave `updatable` empty
    kind `do.database.pg`: adoptable: no write of `label` is declared; declare it, or unset `adoptable`
    kind `do.database.pg`: releasable: no write of `unlabel` is declared; declare it, or unset `releasable`
    ");
    assert!(broken_child(|kind| kind.writes.remove(0).method.clear()).contains("nothing creates"));
}

#[test]
fn an_id_pattern_keeps_paths_safe() {
    assert!(broken_kind(|kind| kind.id_pattern = ".*".into()).contains("id-pattern"));
}

#[test]
fn the_hosts_own_meter_is_not_a_plugins() {
    assert!(
        broken_kind(|kind| kind.meters = vec!["cloud.resource.hours".into()])
            .contains("the host's own")
    );
    assert!(broken_kind(|kind| kind.bookings = vec!["GPUs".into()]).contains("is no name"));
}

#[test]
fn every_list_has_a_limit() {
    let text = broken_kind(|kind| {
        kind.reads = vec![kind.reads[0].clone(); REQUESTS_MAX + 1];
        kind.writes = vec![kind.writes[2].clone(); REQUESTS_MAX + 1];
        kind.meters = (0..=NAMES_MAX).map(|n| format!("m{n}")).collect();
    });
    for place in ["reads: has 65", "writes: has 65", "meters: has 65"] {
        assert!(text.contains(place), "{place} in {text}");
    }
    let many = broken(|manifest| {
        let kind = manifest.kinds[0].clone();
        manifest.kinds = (0..=KINDS_MAX)
            .map(|n| Kind {
                id: format!("do.k{n}"),
                family: Family::Data,
                ..kind.clone()
            })
            .collect();
    });
    assert!(many.contains("kinds: has 257"), "{many}");
}
