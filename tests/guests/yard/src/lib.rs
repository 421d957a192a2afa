//! A yard of cranes and sheds: a provider that has what DigitalOcean lacks.
//!
//! A crane books capacity, and has labels, so that it can be let go; a shed can be taken over as well.
//! Both have meters of their own. The provider that it speaks to is a double beside the end-to-end tests.

mod crane;
mod shed;
mod thing;

use berth_sdk::types::{CredentialType, Endpoint};
use berth_sdk::{About, Kinds, Provider};

/// The provider.
pub struct Yard;

impl Provider for Yard {
    fn about() -> About {
        About {
            provider: "yard",
            version: "0.1.0",
            title: "A yard",
            endpoints: vec![Endpoint {
                origin: thing::ORIGIN.to_owned(),
                credential: true,
                reads: Vec::new(),
            }],
            credential: CredentialType::Bearer,
            has_catalog: false,
            signals: None,
        }
    }

    fn kinds() -> Kinds {
        vec![&crane::Crane, &shed::Shed]
    }
}

berth_sdk::export!(Yard);
