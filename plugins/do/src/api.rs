//! How DigitalOcean's API speaks.

use berth_sdk::Host;
use berth_sdk::http::{Api, Effect, Refusal};
use berth_sdk::manifest::get;
use berth_sdk::types::{Endpoint, Error};
use serde::Deserialize;

use crate::agents::signals;
use crate::catalog;

const ORIGIN: &str = "https://api.digitalocean.com";

/// What a DigitalOcean id looks like.
pub(crate) const UUID: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";

pub(crate) fn endpoint() -> Endpoint {
    Endpoint {
        origin: ORIGIN.to_owned(),
        credential: true,
        reads: std::iter::once(get(catalog::PATH))
            .chain(signals::reads())
            .collect(),
    }
}

pub(crate) fn api(host: &dyn Host) -> Api<'_> {
    Api::new(host, ORIGIN).speaking(dialect)
}

/// How many objects a page of a paged list holds: the most that the API gives.
pub(crate) const PER_PAGE: u32 = 200;

/// The `meta` of a paged list.
#[derive(Debug, Deserialize, Default)]
pub(crate) struct Meta {
    pub(crate) total: Option<u64>,
}

/// Words by which a 403 means the token and not the object.
const TOKEN_WORDS: [&str; 5] = ["authoriz", "permission", "scope", "token", "credential"];
/// Words by which a refusal means that the name is taken.
const TAKEN_WORDS: [&str; 6] = [
    "already exist",
    "already taken",
    "already been taken",
    "already in use",
    "must be unique",
    "is not unique",
];

/// What a refusal means where its status class says something else.
fn dialect(refusal: &Refusal) -> Option<Error> {
    let explanation = || refusal.explanation();
    match (refusal.method.as_str(), refusal.status) {
        // A cluster, a network or an app whose members still drain.
        ("DELETE", 403) if !refusal.says(&TOKEN_WORDS) => Some(refusal.busy(format!(
            "waiting until what uses it is gone: {}",
            explanation()
        ))),
        ("DELETE", 409 | 422) => Some(refusal.busy(format!(
            "waiting until what uses it is gone: {}",
            explanation()
        ))),
        // An endpoint that is not through with its last deployment takes no other.
        ("PATCH", 403)
            if refusal.path.starts_with("/v2/dedicated-inferences/")
                && !refusal.says(&TOKEN_WORDS) =>
        {
            Some(refusal.busy(format!(
                "waiting until the endpoint takes updates: {}",
                explanation()
            )))
        }
        ("POST", 400 | 409 | 422) if refusal.says(&TAKEN_WORDS) => {
            Some(Error::Conflict(explanation()))
        }
        // Without a word of a name being taken, a conflict is with another change that is running.
        (_, 409) if refusal.effect == Effect::Write => Some(refusal.busy(format!(
            "waiting until another change is done: {}",
            explanation()
        ))),
        _ => None,
    }
}
