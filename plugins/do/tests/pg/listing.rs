//! The account's clusters, and labels as tags.

use berth_sdk::testing::exchange;
use serde_json::json;

use crate::{ID, KIND, NAME, OURS, answer, cluster, host, owned, spec, with};

#[test]
fn a_list_shows_postgres_clusters_of_the_account_and_no_ones_secrets() {
    let berth = host();
    let foreign = with(
        cluster("online"),
        &json!({"id": "11111111-1111-4111-8111-111111111111", "name": "theirs", "tags": ["better-compute-managed:other"]}),
    );
    let mysql = with(cluster("online"), &json!({"id": "2", "engine": "mysql"}));
    berth.expect([exchange("GET", "/v2/databases").answers(
        200,
        &json!({"databases": [cluster("online"), foreign, mysql]}),
    )]);
    let page = berth.list(KIND, None, None).unwrap();
    assert_eq!(page.next, None);
    let names: Vec<_> = page
        .items
        .iter()
        .filter_map(|item| item.name.as_deref())
        .collect();
    assert_eq!(names, [NAME, "theirs"]);
    assert_eq!(page.items[1].labels[0].value, "other");
    assert!(!format!("{page:?}").contains("AVNS_canary"));
}

#[test]
fn an_account_without_clusters_lists_nothing() {
    let berth = host();
    for body in [
        json!({"databases": []}),
        json!({"databases": null}),
        json!({}),
    ] {
        berth.expect([exchange("GET", "/v2/databases").answers(200, &body)]);
        assert!(berth.list(KIND, None, None).unwrap().items.is_empty());
    }
}

const MANAGED: &str = "/v2/tags/better-compute-managed%3Adep-1/resources";
const RESOURCE: &str =
    "/v2/tags/better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs/resources";
const TENANT: &str = "/v2/tags/better-compute-tenant%3Aacme/resources";

/// Our cluster, carrying these tags.
fn carrying(tags: &[&str]) -> serde_json::Value {
    answer(&with(cluster("online"), &json!({"tags": tags})))
}

#[test]
fn labels_are_written_as_tags_that_are_made_where_they_are_missing() {
    let berth = host();
    let ours = owned(&spec());
    let body = json!({"resources": [{"resource_id": ID, "resource_type": "database"}]});
    berth.expect([
        exchange("GET", OURS).answers(200, &carrying(&["team:blue"])),
        exchange("POST", MANAGED)
            .sending(&body)
            .answers(404, &json!({"id": "not_found", "message": "no tag"})),
        exchange("POST", "/v2/tags")
            .sending(&json!({"name": "better-compute-managed:dep-1"}))
            .answers(201, &json!({})),
        exchange("POST", MANAGED).sending(&body),
        exchange("POST", RESOURCE).sending(&body),
        exchange("POST", TENANT).sending(&body),
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
    ]);
    let labelled = berth.label(&ours).unwrap();
    assert_eq!(labelled.labels, ours.labels);
    assert!(!format!("{labelled:?}").contains("AVNS_canary"));
}

#[test]
fn labels_of_a_resource_that_had_it_before_are_replaced() {
    let berth = host();
    let ours = owned(&spec());
    let before = [
        "better-compute-managed:dep-1",
        "better-compute-resource:crs_before",
        "team:blue",
    ];
    berth.expect([
        exchange("GET", OURS).answers(200, &carrying(&before)),
        exchange("POST", MANAGED),
        exchange("POST", RESOURCE),
        exchange("POST", TENANT),
        exchange(
            "DELETE",
            "/v2/tags/better-compute-resource%3Acrs_before/resources",
        ),
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
    ]);
    assert_eq!(berth.label(&ours).unwrap().labels, ours.labels);
}

#[test]
fn nothing_is_written_on_a_cluster_that_another_deployment_took() {
    let berth = host();
    let ours = owned(&spec());
    berth
        .expect([exchange("GET", OURS).answers(200, &carrying(&["Better-Compute-Managed:dep-2"]))]);
    let Err(berth_sdk::types::Error::Conflict(why)) = berth.label(&ours) else {
        panic!("it is not ours to label");
    };
    assert!(why.contains("dep-2"), "{why}");
}

#[test]
fn a_cluster_without_a_wanted_spec_is_read_as_it_is() {
    let berth = host();
    let mut taken = owned(&json!({"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1}));
    taken.spec = "{}".to_owned();
    taken.memo = None;
    berth.expect([exchange("GET", OURS).answers(200, &carrying(&["team:blue"]))]);
    let seen = berth.observe(&taken).unwrap();
    let reported: serde_json::Value = serde_json::from_str(&seen.spec.unwrap()).unwrap();
    assert_eq!(
        (
            &reported["region"],
            &reported["num_nodes"],
            &reported["tags"]
        ),
        (&json!("nyc3"), &json!(1), &json!(["team:blue"]))
    );
    assert_eq!(seen.pending, [""; 0]);
    assert!(seen.labels.is_empty() && seen.secret_outputs.is_empty());
}

#[test]
fn letting_go_takes_the_managed_tag_off_last() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([
        exchange(
            "DELETE",
            "/v2/tags/better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs/resources",
        ),
        exchange("DELETE", "/v2/tags/better-compute-tenant%3Aacme/resources")
            .answers(404, &json!({})),
        exchange(
            "DELETE",
            "/v2/tags/better-compute-managed%3Adep-1/resources",
        ),
    ]);
    berth.unlabel(&ours).unwrap();
}
