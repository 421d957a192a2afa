//! DigitalOcean as a Berth provider plugin.
//!
//! One module a kind: what it says of itself, what it sends, what it reads, and what it makes of
//! that. `spec` holds what tenants write; `api` how DigitalOcean speaks; `tags` its labels.

mod accepted;
mod agents;
mod api;
mod app;
mod catalog;
mod database;
mod functions;
mod inference;
mod named;
mod network;
pub mod spec;
mod tags;
mod time;
mod vpc;

use berth_sdk::types::{
    Account, Application, CredentialType, Error, InstallsOn, Signal, SignalSupport,
};
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
            signals: Some(SignalSupport { preview: true }),
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
            &vpc::Vpc,
            &functions::Namespace,
            &inference::Dedicated,
            &agents::environment::Environment,
            &agents::session::Session,
        ]
    }

    fn catalog(
        host: &dyn Host,
        _: &Account,
        installs_on: Option<InstallsOn>,
    ) -> Result<Vec<Application>, Error> {
        catalog::read(host, installs_on)
    }

    fn signals(host: &dyn Host, _: &Account) -> Result<Vec<Signal>, Error> {
        agents::signals::read(host)
    }
}

berth_sdk::export!(DigitalOcean);
