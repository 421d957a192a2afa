//! The spec of `do.database.user`.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// A user of a database cluster.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What the user is called in the cluster. `doadmin` is the cluster's own.
    #[schemars(regex(pattern = r"^[a-z_][a-z0-9_-]{0,62}$"))]
    pub name: String,
    /// What the user may do beyond the usual.
    pub settings: Option<Settings>,
}

/// Rights of a user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// The user may replicate the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pg_allow_replication: Option<bool>,
}
