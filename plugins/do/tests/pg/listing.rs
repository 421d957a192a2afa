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

#[test]
fn labels_are_written_as_tags_that_are_made_where_they_are_missing() {
    let berth = host();
    let ours = owned(&spec());
    let body = json!({"resources": [{"resource_id": ID, "resource_type": "database"}]});
    let managed = "/v2/tags/better-compute-managed%3Adep-1/resources";
    berth.expect([
        exchange("POST", managed)
            .sending(&body)
            .answers(404, &json!({"id": "not_found", "message": "no tag"})),
        exchange("POST", "/v2/tags")
            .sending(&json!({"name": "better-compute-managed:dep-1"}))
            .answers(201, &json!({})),
        exchange("POST", managed).sending(&body),
        exchange(
            "POST",
            "/v2/tags/better-compute-resource%3Acrs_0123456789abcdefghjkmnpqrs/resources",
        )
        .sending(&body),
        exchange("POST", "/v2/tags/better-compute-tenant%3Aacme/resources").sending(&body),
        exchange("GET", OURS).answers(200, &answer(&cluster("online"))),
    ]);
    assert_eq!(berth.label(&ours).unwrap().labels, ours.labels);
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
