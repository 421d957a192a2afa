//! The spec of `do.functions.namespace`.

use serde::Deserialize;

use crate::JsonSchema;

/// A namespace of serverless functions. Deleting it deletes its functions and triggers.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Data centre, such as `nyc1`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{2,16}$"))]
    pub region: String,
}
