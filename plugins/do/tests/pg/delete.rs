//! Deleting what drains, and what is gone.

use berth_sdk::testing::exchange;
use berth_sdk::types::Error;
use serde_json::json;

use crate::{OURS, host, owned, spec};

#[test]
fn a_delete_is_idempotent() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([exchange("DELETE", OURS)]);
    berth.delete(&ours).unwrap();
    berth.expect([
        exchange("DELETE", OURS).answers(404, &json!({"id": "not_found", "message": "gone"}))
    ]);
    berth.delete(&ours).unwrap();
}

#[test]
fn a_delete_while_members_drain_is_busy_and_says_what_is_waited_for() {
    let berth = host();
    let ours = owned(&spec());
    for status in [403, 409, 422] {
        berth.expect([exchange("DELETE", OURS).answers(
            status,
            &json!({"id": "forbidden", "message": "cluster still has replicas attached"}),
        )]);
        let Err(Error::Busy(retry)) = berth.delete(&ours) else {
            panic!("{status} is not busy");
        };
        assert!(
            retry.message.contains("waiting until what uses it is gone"),
            "{}",
            retry.message
        );
        assert!(
            retry.message.contains("still has replicas attached"),
            "{}",
            retry.message
        );
    }
}

#[test]
fn a_token_that_may_not_delete_is_denied_and_not_busy() {
    let berth = host();
    let ours = owned(&spec());
    berth.expect([exchange("DELETE", OURS).answers(
        403,
        &json!({"id": "forbidden", "message": "You are missing the required permission database:delete."}),
    )]);
    assert!(
        matches!(berth.delete(&ours), Err(Error::Denied(message)) if message.contains("scopes"))
    );
}
