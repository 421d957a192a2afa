//! Coming back later.

use berth_sdk::testing::exchange;
use berth_sdk::types::{Error, HttpError};
use serde_json::json;

use crate::{OURS, host, owned, spec};

#[test]
fn a_429_says_when_to_come_back() {
    let berth = host();
    let ours = owned(&spec());
    let body = json!({"id": "too_many_requests", "message": "API Rate limit exceeded."});
    berth.expect([exchange("GET", OURS)
        .answers(429, &body)
        .with_header("Retry-After", "7")]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Throttled(retry)) if retry.after == Some(7_000))
    );

    let reset = (berth_sdk::testing::START / 1000 + 90).to_string();
    berth.expect([exchange("GET", OURS)
        .answers(429, &body)
        .with_header("ratelimit-reset", &reset)]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Throttled(retry)) if retry.after == Some(90_000))
    );

    berth.expect([exchange("GET", OURS).fails(HttpError::Throttled(1_500))]);
    assert!(
        matches!(berth.observe(&ours), Err(Error::Throttled(retry)) if retry.after == Some(1_500))
    );
}
