//! The spec of `do.vpc`.

use serde::Deserialize;

use crate::JsonSchema;

/// A private network in one data centre. The first one of a data centre becomes the account's default
/// there, and a default can't be deleted.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Data centre, such as `nyc3`.
    #[schemars(regex(pattern = r"^[a-z0-9-]{2,16}$"))]
    pub region: String,
    /// Private IPv4 range of /16 to /28, such as `10.10.10.0/24`, that no other network of the account
    /// overlaps. Left out: one that the provider chooses.
    #[schemars(regex(
        pattern = r"^(10|172|192)\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}/(1[6-9]|2[0-8])$"
    ))]
    pub ip_range: Option<String>,
    /// For people.
    #[schemars(length(max = 255))]
    pub description: Option<String>,
}
