//! DigitalOcean as a Berth provider plugin.
//!
//! One module a kind: what it says of itself, what it sends, what it reads, and what it makes of
//! that. `spec` holds what tenants write; `api` how DigitalOcean speaks; `tags` its labels.

mod accepted;
mod api;
mod app;
mod catalog;
mod database;
mod network;
pub mod spec;
mod tags;

use berth_sdk::types::{Account, Application, CredentialType, Error, InstallsOn};
use berth_sdk::{About, Host, JsonSchema, Kinds, Provider};

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
            has_catalog: true,
            signals: None,
        }
    }

    fn kinds() -> Kinds {
        vec![
            &database::pg::Pg,
            &database::user::User,
            &database::pool::Pool,
            &database::replica::Replica,
            &database::firewall::Firewall,
            &app::App,
        ]
    }

    fn catalog(
        host: &dyn Host,
        _: &Account,
        installs_on: Option<InstallsOn>,
    ) -> Result<Vec<Application>, Error> {
        catalog::read(host, installs_on)
    }
}

berth_sdk::export!(DigitalOcean);
