//! The spec of `do.database.firewall`.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// Who may connect to a database cluster: these sources and no others. They replace the sources that
/// the cluster was created with. Deleting the firewall takes all of them away, and a cluster without
/// trusted sources is open to everyone who has a password; when the cluster is deleted too, its
/// sources stay until it is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// IPv4 addresses and ranges such as `192.0.2.0/24`.
    #[schemars(
        length(max = 100),
        inner(regex(pattern = r"^[0-9]{1,3}(\.[0-9]{1,3}){3}(/[0-9]{1,2})?$"))
    )]
    pub addresses: Option<Vec<String>>,
    /// The tenant's instances. One that is gone is left out the next time that the sources are written.
    #[schemars(extend("x-instances" = true), length(max = 100), inner(length(min = 1, max = 128)))]
    pub instances: Option<Vec<String>>,
    /// Tags: all Droplets of the account that have one may connect.
    #[schemars(extend("x-account-wide" = true), length(max = 100), inner(regex(pattern = r"^[a-zA-Z0-9_:-]{1,255}$")))]
    pub tags: Option<Vec<String>>,
    /// Droplets, by the provider's ids.
    #[schemars(extend("x-account-wide" = true), length(max = 100), inner(regex(pattern = r"^[0-9]{1,20}$")))]
    pub droplets: Option<Vec<String>>,
    /// Kubernetes clusters, by the provider's ids.
    #[schemars(extend("x-account-wide" = true), length(max = 100), inner(regex(pattern = r"^[0-9a-f-]{36}$")))]
    pub kubernetes: Option<Vec<String>>,
    /// Apps, by the provider's ids.
    #[schemars(extend("x-account-wide" = true), length(max = 100), inner(regex(pattern = r"^[0-9a-f-]{36}$")))]
    pub apps: Option<Vec<String>>,
}
