//! `do.vpc` against scripted answers.

#![expect(clippy::unwrap_used, reason = "tests")]

use berth_sdk::testing::{TestHost, exchange, json, remember, wanted};
use berth_sdk::types::{Error, Phase, Resource};
use plugin_do::DigitalOcean;
use serde_json::{Value, json};

const KIND: &str = "do.vpc";
const ID: &str = "5a4981aa-9653-4bd1-bef5-d6bff52042e4";
const OURS: &str = "/v2/vpcs/5a4981aa-9653-4bd1-bef5-d6bff52042e4";
const LIST: &str = "/v2/vpcs?page=1&per_page=200";
const NAME: &str = "bc-r-0123456789abcdefghjkmnpq";

fn host() -> TestHost<DigitalOcean> {
    TestHost::new()
}

fn spec() -> Value {
    json!({"region": "nyc3", "ip_range": "10.10.10.0/24", "description": "the shop's"})
}

fn shown(description: &str, default: bool) -> Value {
    json!({
        "id": ID, "urn": format!("do:vpc:{ID}"), "name": NAME, "region": "nyc3",
        "ip_range": "10.10.10.0/24", "description": description, "default": default,
        "created_at": "2026-01-01T00:00:00Z"
    })
}

fn answer(vpc: &Value) -> Value {
    json!({"vpc": vpc})
}

fn owned() -> Resource {
    let berth = host();
    let mut vpc = wanted(KIND, &spec());
    berth.expect([exchange("POST", "/v2/vpcs")
        .sending(&json!({
            "name": NAME, "region": "nyc3", "ip_range": "10.10.10.0/24", "description": "the shop's"
        }))
        .answers(201, &answer(&shown("the shop's", false)))]);
    let created = berth.create(&vpc).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), &created.phase),
        (ID, &Phase::Ready)
    );
    assert_eq!(created.name.as_deref(), Some(NAME));
    remember(&mut vpc, &created);
    vpc
}

#[test]
fn the_tenants_description_is_sent_whole_and_changed_in_place() {
    let berth = host();
    let mut vpc = owned();
    vpc.spec = json!({"region": "nyc3", "description": "of the shop"}).to_string();
    berth.expect([exchange("GET", OURS).answers(200, &answer(&shown("the shop's", false)))]);
    assert_eq!(berth.observe(&vpc).unwrap().pending, ["description"]);
    berth.expect([exchange("PATCH", OURS)
        .sending(&json!({"description": "of the shop"}))
        .answers(200, &answer(&shown("of the shop", false)))]);
    let applied = berth.update(&vpc, &["description"]).unwrap();
    assert_eq!(applied.pending, Vec::<String>::new());
    assert_eq!(json(&applied.spec.unwrap())["description"], "of the shop");

    // Taken out of the spec it is taken away.
    vpc.spec = json!({"region": "nyc3"}).to_string();
    berth.expect([exchange("PATCH", OURS)
        .sending(&json!({"description": ""}))
        .answers(200, &answer(&shown("", false)))]);
    berth.update(&vpc, &["description"]).unwrap();
}

#[test]
fn a_network_is_found_by_its_exact_name_on_any_page() {
    let berth = host();
    let vpc = wanted(KIND, &spec());
    let others: Vec<Value> = (0..200)
        .map(|n| json!({"id": format!("other-{n}"), "name": format!("{NAME}{n}")}))
        .collect();
    berth.expect([
        exchange("GET", LIST).answers(200, &json!({"vpcs": others, "meta": {"total": 201}})),
        exchange("GET", "/v2/vpcs?page=2&per_page=200").answers(
            200,
            &json!({"vpcs": [shown("", false)], "meta": {"total": 201}}),
        ),
    ]);
    assert_eq!(berth.find(&vpc).unwrap().unwrap().provider_id, ID);
    berth.expect([exchange("GET", LIST).answers(200, &json!({"vpcs": [], "meta": {"total": 0}}))]);
    assert!(berth.find(&vpc).unwrap().is_none());
}

#[test]
fn a_network_with_members_is_deleted_later_and_a_default_one_never() {
    let berth = host();
    let vpc = owned();
    let refusal = json!({"id": "forbidden", "message": "Can not delete VPC with members"});
    berth.expect([
        exchange("DELETE", OURS).answers(403, &refusal),
        exchange("GET", OURS).answers(200, &answer(&shown("", false))),
    ]);
    assert!(matches!(berth.delete(&vpc), Err(Error::Busy(_))));
    berth.expect([
        exchange("DELETE", OURS).answers(403, &refusal),
        exchange("GET", OURS).answers(200, &answer(&shown("", true))),
    ]);
    assert!(
        matches!(berth.delete(&vpc), Err(Error::Failed(why)) if why.contains("another one the default"))
    );
    berth.expect([exchange("DELETE", OURS)]);
    berth.delete(&vpc).unwrap();
    berth.expect([exchange("DELETE", OURS).answers_text(404, "")]);
    berth.delete(&vpc).unwrap();
}

#[test]
fn all_networks_are_listed_page_by_page() {
    let berth = host();
    let page = json!({"vpcs": [shown("", true)], "meta": {"total": 1}});
    berth.expect([exchange("GET", LIST).answers(200, &page)]);
    let page = berth.list(KIND, None, None).unwrap();
    assert_eq!((page.items.len(), page.next), (1, None));
    assert_eq!(json(&page.items[0].outputs)["default"], true);
}

#[test]
fn a_taken_range_is_told_with_the_providers_words() {
    let berth = host();
    let message =
        "This range/size overlaps with another VPC network in your account: 10.10.10.0/24";
    berth.expect([exchange("POST", "/v2/vpcs").answers(
        422,
        &json!({"id": "unprocessable_entity", "message": message}),
    )]);
    let outcome = berth.create(&wanted(KIND, &spec()));
    assert!(
        matches!(&outcome, Err(Error::Invalid(errors)) if errors[0].message.contains("overlaps")),
        "{outcome:?}"
    );
}
