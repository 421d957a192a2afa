//! Ownership labels: how an object at a provider says whose it is.

use serde::{Deserialize, Serialize};

use crate::id::{DeploymentId, ResourceId, TenantId};

/// Names the deployment that manages the object. Written first, removed last.
pub const MANAGED: &str = "better-compute-managed";
/// Names the row that the object belongs to.
pub const RESOURCE: &str = "better-compute-resource";
/// Names the tenant that the object belongs to.
pub const TENANT: &str = "better-compute-tenant";

/// A key and its value, as written at a provider.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Label {
    /// One of the ownership keys, or a foreign one.
    pub key: String,
    /// Its value in our own spelling; a plugin encodes it for its provider.
    pub value: String,
}

/// The three labels that a row's object carries.
#[must_use]
pub fn ownership(
    deployment: &DeploymentId,
    resource: &ResourceId,
    tenant: &TenantId,
) -> Vec<Label> {
    [
        (MANAGED, deployment.as_str()),
        (RESOURCE, resource.as_str()),
        (TENANT, tenant.as_str()),
    ]
    .map(|(key, value)| Label {
        key: key.to_owned(),
        value: value.to_owned(),
    })
    .to_vec()
}

/// The value of a key among labels found on an object.
#[must_use]
pub fn value<'a>(labels: &'a [Label], key: &str) -> Option<&'a str> {
    labels
        .iter()
        .find(|label| label.key == key)
        .map(|label| label.value.as_str())
}
