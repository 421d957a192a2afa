//! Absence must be certain.

use berth_sdk::testing::{exchange, wanted};
use berth_sdk::types::{Error, HttpError};
use serde_json::json;

use crate::{BY_TAG, ID, KIND, cluster, host, spec, with};

#[test]
fn a_lost_create_is_found_by_its_tag_without_secrets() {
    let berth = host();
    berth.expect([
        exchange("GET", BY_TAG).answers(200, &json!({"databases": [cluster("creating")]}))
    ]);
    let found = berth.find(&wanted(KIND, &spec())).unwrap().unwrap();
    assert_eq!(found.provider_id, ID);
    assert!(found.secret_outputs.is_empty());
}

#[test]
fn absence_is_certain_only_by_tag_and_name() {
    let berth = host();
    let twin = with(cluster("online"), &json!({"tags": []}));
    berth.expect([
        exchange("GET", BY_TAG).answers(404, &json!({"id": "not_found", "message": "no tag"})),
        exchange("GET", "/v2/databases").answers(200, &json!({"databases": [twin]})),
    ]);
    let found = berth.find(&wanted(KIND, &spec())).unwrap().unwrap();
    assert_eq!(
        found.labels,
        Vec::new(),
        "a foreign twin shows that it is not ours"
    );

    berth.expect([
        exchange("GET", BY_TAG).answers(200, &json!({"databases": []})),
        exchange("GET", "/v2/databases").answers(
            200,
            &json!({"databases": [with(cluster("online"), &json!({"name": "other"}))]}),
        ),
    ]);
    assert!(berth.find(&wanted(KIND, &spec())).unwrap().is_none());
}

#[test]
fn a_failed_search_is_never_absence() {
    for broken in [
        exchange("GET", BY_TAG).answers_text(200, "<html></html>"),
        exchange("GET", BY_TAG).answers_text(200, "{\"databases\": [{"),
        exchange("GET", BY_TAG).answers_text(503, ""),
        exchange("GET", BY_TAG).fails(HttpError::Lost("cut".to_owned())),
    ] {
        let berth = host();
        berth.expect([broken]);
        assert!(matches!(
            berth.find(&wanted(KIND, &spec())),
            Err(Error::Unavailable(_))
        ));
    }
}
