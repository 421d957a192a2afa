//! The specs of `do.agents.environment` and `do.agents.session`.

use serde::Deserialize;

use crate::JsonSchema;

/// What agents run in: a manifest that sessions are started from. It can't be changed.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// The manifest, as YAML. It is kept and shown, so it holds no value of a secret.
    #[schemars(length(min = 1, max = 49_152))]
    pub manifest: Option<String>,
    /// A secret that holds the whole manifest, for one with values of secrets in it. A newer version
    /// of it reaches new environments only.
    #[schemars(extend("x-secret" = true))]
    pub secret_manifest: Option<String>,
}

/// A running session of an environment.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// Go on by itself when the account's balance is there again after a pause for want of it.
    pub resume_on_topoff: Option<bool>,
}
