//! DigitalOcean as a Berth provider plugin.
//!
//! One module a kind: what it says of itself, what it sends, what it reads, and what it makes of
//! that. `spec` holds what tenants write; `api` how DigitalOcean speaks; `tags` its labels.

mod api;
mod app;
mod database;
pub mod spec;
mod tags;

use berth_sdk::types::CredentialType;
use berth_sdk::{About, JsonSchema, Kinds, Provider};

/// The provider.
pub struct DigitalOcean;

/// The plugin's version. The next one differs by one output of `do.database.pg`.
const VERSION: &str = if cfg!(feature = "next") {
    "0.2.0"
} else {
    "0.1.0"
};

impl Provider for DigitalOcean {
    fn about() -> About {
        About {
            provider: "do",
            version: VERSION,
            title: "DigitalOcean",
            endpoints: vec![api::endpoint()],
            credential: CredentialType::Bearer,
            has_catalog: false,
            signals: None,
        }
    }

    fn kinds() -> Kinds {
        vec![&database::pg::Pg, &database::user::User, &app::App]
    }
}

berth_sdk::export!(DigitalOcean);
