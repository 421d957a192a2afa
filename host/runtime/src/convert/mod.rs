//! Between the types of the interface and the host's own, and the rules that a plugin's answer keeps.

mod account_wide;
mod answer;
mod error;
mod manifest;
mod wanted;

pub(crate) use account_wide::{applications, signals};
pub(crate) use answer::{Expectation, checked, observation, page, spec_object};
pub(crate) use error::provider_error;
pub(crate) use manifest::manifest;
pub(crate) use wanted::{account, parent, resource};
