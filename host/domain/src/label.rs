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

/// Every value of a key among labels found on an object: where labels are tags there may be several.
pub fn values<'a>(labels: &'a [Label], key: &str) -> impl Iterator<Item = &'a str> {
    labels
        .iter()
        .filter(move |label| label.key == key)
        .map(|label| label.value.as_str())
}

/// Whether one of the wanted labels is not among those found on an object.
#[must_use]
pub fn lacks(found: &[Label], wanted: &[Label]) -> bool {
    wanted.iter().any(|label| !found.contains(label))
}

/// Who manages an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Manager {
    /// This deployment.
    This,
    /// Another one, whether or not this one's label is there too.
    Other,
}

/// Who manages an object that carries these labels; `None`: nobody.
#[must_use]
pub fn manager(found: &[Label], deployment: &DeploymentId) -> Option<Manager> {
    values(found, MANAGED).fold(None, |manager, value| {
        if value != deployment.as_str() || manager == Some(Manager::Other) {
            Some(Manager::Other)
        } else {
            Some(Manager::This)
        }
    })
}

/// The first value of a key among labels found on an object.
#[must_use]
pub fn value<'a>(labels: &'a [Label], key: &str) -> Option<&'a str> {
    labels
        .iter()
        .find(|label| label.key == key)
        .map(|label| label.value.as_str())
}
