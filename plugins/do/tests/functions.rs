//! `do.functions.namespace` against scripted answers.

use berth_sdk::testing::{TestHost, exchange, json, remember, secret, wanted};
use berth_sdk::types::{Error, HttpError, Phase};
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const KIND: &str = "do.functions.namespace";
const ALL: &str = "/v2/functions/namespaces";
const ID: &str = "fn-1c2d3e4f-0000-4000-8000-00000000abcd";
const OURS: &str = "/v2/functions/namespaces/fn-1c2d3e4f-0000-4000-8000-00000000abcd";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn shown(id: &str, label: &str) -> Value {
    json!({
        "api_host": "https://faas-nyc1.example", "namespace": id,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
        "label": label, "region": "nyc1", "uuid": "1c2d3e4f-0000-4000-8000-00000000abcd",
        "key": "canary-key"
    })
}

#[test]
fn a_namespace_bears_our_name_as_its_label_and_its_key_is_sealed() {
    let berth = host();
    let mut namespace = wanted(KIND, &json!({"region": "nyc1"}));
    berth.expect([exchange("POST", ALL)
        .sending(&json!({"region": "nyc1", "label": NAME}))
        .answers(200, &json!({"namespace": shown(ID, NAME)}))]);
    let created = berth.create(&namespace).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        (ID, &Phase::Ready)
    );
    assert_eq!(created.name.as_deref(), Some(NAME));
    assert_eq!(secret(&created, "key"), Some("canary-key"));
    assert_eq!(
        json(&created.outputs)["api_host"],
        "https://faas-nyc1.example"
    );
    remember(&mut namespace, &created);

    berth.expect([exchange("GET", OURS).answers(200, &json!({"namespace": shown(ID, NAME)}))]);
    let seen = berth.observe(&namespace).unwrap();
    assert_eq!(secret(&seen, "key"), Some("canary-key"));
}

#[test]
fn it_is_found_by_its_exact_label_and_no_list_shows_a_key() {
    let berth = host();
    let namespace = wanted(KIND, &json!({"region": "nyc1"}));
    let other = "fn-99999999-0000-4000-8000-00000000abcd";
    let all = json!({"namespaces": [shown(other, "someone's"), shown(ID, NAME)]});
    berth.expect([exchange("GET", ALL).answers(200, &all)]);
    let found = berth.find(&namespace).unwrap().unwrap();
    assert_eq!(found.provider_id, ID);
    assert!(!format!("{found:?}").contains("canary"));
    berth.expect([exchange("GET", ALL).answers(200, &all)]);
    let page = berth.list(KIND, None, None).unwrap();
    assert_eq!(page.items.len(), 2);
    assert!(!format!("{page:?}").contains("canary"));
    berth.expect([exchange("GET", ALL).answers(200, &json!({"namespaces": null}))]);
    assert!(berth.find(&namespace).unwrap().is_none());
}

#[test]
fn the_account_limit_is_a_refusal_and_a_lost_answer_is_ambiguous() {
    let berth = host();
    let namespace = wanted(KIND, &json!({"region": "nyc1"}));
    berth.expect([exchange("POST", ALL).answers(
        422,
        &json!({"id": "unprocessable_entity", "message": "Limit Reached"}),
    )]);
    assert!(
        matches!(berth.create(&namespace), Err(Error::Invalid(errors)) if errors[0].message.contains("Limit Reached"))
    );
    berth.expect([exchange("POST", ALL).fails(HttpError::Lost("cut".to_owned()))]);
    assert!(matches!(berth.create(&namespace), Err(Error::Ambiguous(_))));
}

#[test]
fn it_is_neither_released_nor_taken_over() {
    let kind = host()
        .describe()
        .kinds
        .into_iter()
        .find(|kind| kind.id == KIND)
        .unwrap();
    assert!(!kind.releasable && !kind.adoptable);
}

#[test]
fn deleting_one_that_is_gone_is_done() {
    let berth = host();
    let mut namespace = wanted(KIND, &json!({"region": "nyc1"}));
    namespace.provider_id = Some(ID.to_owned());
    berth.expect([exchange("DELETE", OURS)]);
    berth.delete(&namespace).unwrap();
    berth.expect([exchange("DELETE", OURS).answers_text(404, "")]);
    berth.delete(&namespace).unwrap();
}
