//! What the schema can not say.

use berth_sdk::types::Error;
use serde_json::json;

use crate::{KIND, host, spec, with};

#[test]
fn sources_other_than_addresses_reach_the_whole_account() {
    let rules = json!([
        {"type": "ip_addr", "value": "192.0.2.1"},
        {"type": "droplet", "value": "4711"},
        {"type": "tag", "value": "web"}
    ]);
    let checked = host()
        .check(KIND, &with(spec(), &json!({"rules": rules})), None)
        .unwrap();
    assert_eq!(checked.account_wide, ["/rules/1/value", "/rules/2/value"]);
}

#[test]
fn a_tenant_can_not_write_ownership_tags() {
    let outcome = host().check(
        KIND,
        &with(
            spec(),
            &json!({"tags": ["ok", "Better-Compute-Managed:me"]}),
        ),
        None,
    );
    assert!(matches!(outcome, Err(Error::Invalid(errors)) if errors[0].field == "/tags/1"));
}

#[test]
fn a_misspelt_field_is_named() {
    let outcome = host().check(
        KIND,
        &json!({"region": "nyc3", "size": "s", "num_nodes": "two"}),
        None,
    );
    assert!(matches!(outcome, Err(Error::Invalid(errors)) if errors[0].field == "/num_nodes"));
}
