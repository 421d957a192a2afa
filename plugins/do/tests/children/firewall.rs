//! `do.database.firewall`.

use berth_sdk::testing::{exchange, json, remember};
use berth_sdk::types::{Error, Linked, Phase, Resource};
use serde_json::{Value, json};

use crate::{CLUSTER, child, host, parent, with};

const KIND: &str = "do.database.firewall";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";
const FIREWALL: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/firewall";

fn firewall(spec: &Value) -> Resource {
    child(KIND, NAME, spec)
}

fn rule(source: &str, value: &str) -> Value {
    json!({"type": source, "value": value, "description": NAME})
}

/// A rule as the API shows it.
fn shown(source: &str, value: &str) -> Value {
    with(
        rule(source, value),
        &json!({"uuid": "79f26d28-ea8a-41f2-8ad8-8cfcdd020095", "cluster_uuid": CLUSTER, "created_at": "2026-01-01T00:00:00Z"}),
    )
}

fn instance(id: &str, droplet: &str) -> Linked {
    Linked {
        id: id.to_owned(),
        provider_id: droplet.to_owned(),
        region: "nyc3".to_owned(),
    }
}

#[test]
fn all_sources_are_written_at_once_and_instances_by_their_droplets() {
    let berth = host();
    let spec = json!({
        "addresses": ["192.0.2.0/24"], "instances": ["ins_1", "ins_2"], "tags": ["web"],
        "droplets": ["4711"], "kubernetes": [CLUSTER], "apps": [CLUSTER]
    });
    let mut wall = firewall(&spec);
    wall.instances = vec![instance("ins_2", "22"), instance("ins_1", "4711")];
    berth.expect([exchange("PUT", FIREWALL).sending(&json!({"rules": [
        rule("ip_addr", "192.0.2.0/24"), rule("droplet", "4711"), rule("droplet", "22"),
        rule("tag", "web"), rule("k8s", CLUSTER), rule("app", CLUSTER)
    ]}))]);
    let created = berth.create(&wall).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        (NAME, &Phase::Ready)
    );
    assert_eq!(created.pending, Vec::<String>::new());
    assert_eq!(json(&created.spec.clone().unwrap()), spec);
    remember(&mut wall, &created);

    // Looked at without its instances, it is still as it was written.
    wall.instances = Vec::new();
    let rules = json!({"rules": [
        shown("app", CLUSTER), shown("k8s", CLUSTER), shown("tag", "web"),
        shown("droplet", "22"), shown("droplet", "4711"), shown("ip_addr", "192.0.2.0/24")
    ]});
    berth.expect([exchange("GET", FIREWALL).answers(200, &rules)]);
    let seen = berth.observe(&wall).unwrap();
    assert_eq!((seen.phase, seen.pending), (Phase::Ready, Vec::new()));
    assert_eq!(json(&seen.spec.unwrap()), spec);
}

#[test]
fn an_instance_that_is_gone_leaves_the_sources_at_the_next_write() {
    let berth = host();
    let mut wall = firewall(&json!({"instances": ["ins_1", "ins_2"]}));
    wall.instances = vec![instance("ins_2", "22")];
    berth.expect([exchange("PUT", FIREWALL).sending(&json!({"rules": [rule("droplet", "22")]}))]);
    let created = berth.create(&wall).unwrap();
    assert_eq!(created.pending, Vec::<String>::new());
}

#[test]
fn a_firewall_is_never_written_empty_since_that_opens_the_cluster() {
    let berth = host();
    let wall = firewall(&json!({"instances": ["ins_1"]}));
    for outcome in [berth.create(&wall), berth.update(&wall, &["instances"])] {
        assert!(
            matches!(&outcome, Err(Error::Invalid(errors)) if errors[0].message.contains("opens the cluster")),
            "{outcome:?}"
        );
    }
    for empty in [json!({}), json!({"addresses": [], "tags": []})] {
        let outcome = berth.check(KIND, &empty, Some("do.database.pg"));
        assert!(matches!(outcome, Err(Error::Invalid(_))), "{outcome:?}");
    }
    let many: Vec<String> = (0..101).map(|n| format!("192.0.2.{n}")).collect();
    let outcome = berth.check(KIND, &json!({"addresses": many}), Some("do.database.pg"));
    assert!(matches!(outcome, Err(Error::Invalid(_))));
}

#[test]
fn addresses_are_ipv4_and_tags_are_not_the_hosts() {
    let berth = host();
    let field = |spec: &Value| match berth.check(KIND, spec, Some("do.database.pg")) {
        Ok(_) => String::new(),
        Err(Error::Invalid(errors)) => errors[0].field.clone(),
        Err(other) => panic!("{other:?}"),
    };
    assert_eq!(
        field(&json!({"addresses": ["192.0.2.7", "192.0.2.0/32"]})),
        ""
    );
    for bad in [
        "192.0.2.256",
        "192.0.2.0/33",
        "192.0.2",
        "2001:db8::1",
        "example.com",
    ] {
        assert_eq!(field(&json!({"addresses": [bad]})), "/addresses/0", "{bad}");
    }
    assert_eq!(
        field(&json!({"tags": ["web", "Better-Compute-Tenant:acme"]})),
        "/tags/1"
    );
}

#[test]
fn a_changed_spec_is_written_whole() {
    let berth = host();
    let mut wall = firewall(&json!({"addresses": ["192.0.2.1"], "tags": ["web"]}));
    berth.expect([exchange("PUT", FIREWALL)]);
    let created = berth.create(&wall).unwrap();
    remember(&mut wall, &created);

    wall.spec = json!({"addresses": ["192.0.2.2"], "tags": ["web"]}).to_string();
    let old = json!({"rules": [shown("ip_addr", "192.0.2.1"), shown("tag", "web")]});
    berth.expect([exchange("GET", FIREWALL).answers(200, &old)]);
    let open = berth.observe(&wall).unwrap();
    assert_eq!(open.pending, ["addresses", "tags"]);
    remember(&mut wall, &open);

    berth.expect([exchange("PUT", FIREWALL)
        .sending(&json!({"rules": [rule("ip_addr", "192.0.2.2"), rule("tag", "web")]}))]);
    let applied = berth.update(&wall, &["addresses"]).unwrap();
    assert_eq!(applied.pending, Vec::<String>::new());
}

#[test]
fn sources_that_were_changed_at_the_provider_are_reported() {
    let berth = host();
    let mut wall = firewall(&json!({"addresses": ["192.0.2.1"], "instances": ["ins_1"]}));
    wall.instances = vec![instance("ins_1", "11")];
    berth.expect([exchange("PUT", FIREWALL)]);
    let created = berth.create(&wall).unwrap();
    remember(&mut wall, &created);

    let rules = json!({"rules": [shown("ip_addr", "198.51.100.9"), shown("droplet", "99")]});
    berth.expect([exchange("GET", FIREWALL).answers(200, &rules)]);
    let seen = berth.observe(&wall).unwrap();
    assert_eq!(
        json(&seen.spec.unwrap()),
        json!({"addresses": ["198.51.100.9"], "instances": [], "droplets": ["99"]})
    );
    // It is drift, shown and left alone.
    assert_eq!((seen.phase, seen.pending), (Phase::Ready, Vec::new()));
}

#[test]
fn what_a_lost_answer_wrote_is_found_by_our_name_and_nothing_else_is() {
    let berth = host();
    let wall = firewall(&json!({"addresses": ["192.0.2.1"]}));
    let ours = json!({"rules": [shown("ip_addr", "192.0.2.1")]});
    berth.expect([exchange("GET", FIREWALL).answers(200, &ours)]);
    let found = berth.find(&wall).unwrap().unwrap();
    assert_eq!(found.provider_id, NAME);
    assert_eq!(found.pending, ["addresses"]);

    // The cluster was created with the same source: a create replaces it.
    let from_start = json!({"rules": [{"type": "ip_addr", "value": "192.0.2.1"}]});
    for none in [from_start, json!({"rules": []}), json!({})] {
        berth.expect([exchange("GET", FIREWALL).answers(200, &none)]);
        assert!(berth.find(&wall).unwrap().is_none(), "{none}");
    }
}

#[test]
fn deleting_a_firewall_writes_no_sources_and_then_it_is_gone() {
    let berth = host();
    let mut wall = firewall(&json!({"addresses": ["192.0.2.1"]}));
    berth.expect([exchange("PUT", FIREWALL)]);
    let created = berth.create(&wall).unwrap();
    remember(&mut wall, &created);
    berth.expect([exchange("PUT", FIREWALL).sending(&json!({"rules": []}))]);
    berth.delete(&wall).unwrap();
    berth.expect([exchange("GET", FIREWALL).answers(200, &json!({"rules": []}))]);
    assert!(matches!(berth.observe(&wall), Err(Error::NotFound(_))));
    berth.expect([exchange("PUT", FIREWALL).answers_text(404, "")]);
    berth.delete(&wall).unwrap();
}

#[test]
fn it_ends_with_its_cluster_and_says_what_deleting_it_does() {
    let kind = host()
        .describe()
        .kinds
        .into_iter()
        .find(|kind| kind.id == KIND)
        .unwrap();
    assert!(kind.singleton && kind.ends_with_parent);
    assert!(kind.title.contains("deleting them opens it"));
    let schema = json(&kind.spec_schema);
    assert!(
        schema["description"]
            .as_str()
            .unwrap()
            .contains("open to everyone")
    );
}

#[test]
fn a_cluster_that_is_not_visible_yet_is_waited_for() {
    let berth = host();
    berth.expect([exchange("PUT", FIREWALL).answers_text(404, "")]);
    let outcome = berth.create(&firewall(&json!({"addresses": ["192.0.2.1"]})));
    assert!(matches!(outcome, Err(Error::Busy(_))), "{outcome:?}");
}

#[test]
fn a_list_shows_a_clusters_sources_under_the_name_that_wrote_them() {
    let berth = host();
    for (rules, id) in [
        (json!([shown("ip_addr", "192.0.2.1")]), NAME),
        (json!([{"type": "ip_addr", "value": "192.0.2.1"}]), CLUSTER),
    ] {
        berth.expect([exchange("GET", FIREWALL).answers(200, &json!({"rules": rules}))]);
        let page = berth.list(KIND, Some(&parent()), None).unwrap();
        assert_eq!(page.items[0].provider_id, id);
    }
    berth.expect([exchange("GET", FIREWALL).answers(200, &json!({"rules": []}))]);
    assert!(
        berth
            .list(KIND, Some(&parent()), None)
            .unwrap()
            .items
            .is_empty()
    );
}
