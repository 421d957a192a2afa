//! What proves that an object at the provider is this deployment's, and this row's.

use crate::id::DeploymentId;
use crate::label;
use crate::manifest::{Kind, Ownership};
use crate::provider::Observation;

use super::row::Resource;

/// An object that was proven ours by an observation of this run. Only [`prove`] makes one, and a
/// delete takes one: nothing else can be deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    provider_id: String,
}

impl Proof {
    /// The object that it speaks of.
    #[must_use]
    pub fn provider_id(&self) -> &str {
        &self.provider_id
    }
}

/// Why an object is not proven ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// It has no label of ours.
    #[error(
        "it carries no ownership label of this deployment; label it again or remove it at the provider by hand"
    )]
    NoLabel,
    /// Another deployment's label.
    #[error("it is managed by another deployment ({0})")]
    OtherDeployment(String),
    /// Another row's label.
    #[error("it is labelled as the object of another resource ({0})")]
    OtherResource(String),
    /// Its name is another.
    #[error("{}, and it should be called {wanted:?}", .found.as_ref().map_or_else(|| "the plugin did not say what it is called at the provider".to_owned(), |name| format!("it is called {name:?} at the provider")))]
    OtherName {
        /// The name that it has, as far as the plugin tells.
        found: Option<String>,
        /// The name that it should have.
        wanted: String,
    },
    /// Its id is another than the recorded one.
    #[error("its provider id is not the recorded one")]
    OtherId,
    /// Its parent was not proven in this run.
    #[error("the resource that it lives in is not proven ours")]
    Parent,
}

/// Proves, or says what is missing. `parent_proven` is the parent's own proof of the same run.
///
/// # Errors
/// What speaks against it.
pub fn prove(
    row: &Resource,
    kind: &Kind,
    observed: &Observation,
    deployment: &DeploymentId,
    parent_proven: bool,
) -> Result<Proof, Unproven> {
    if row
        .provider_id
        .as_ref()
        .is_some_and(|recorded| *recorded != observed.provider_id)
    {
        return Err(Unproven::OtherId);
    }
    match kind.ownership {
        Ownership::Labels => by_labels(row, observed, deployment)?,
        Ownership::Name => by_name(row, observed)?,
        Ownership::Parent => {
            if !parent_proven {
                return Err(Unproven::Parent);
            }
        }
    }
    Ok(Proof {
        provider_id: observed.provider_id.clone(),
    })
}

fn by_labels(
    row: &Resource,
    observed: &Observation,
    deployment: &DeploymentId,
) -> Result<(), Unproven> {
    match label::value(&observed.labels, label::MANAGED) {
        None => return Err(Unproven::NoLabel),
        Some(other) if other != deployment.as_str() => {
            return Err(Unproven::OtherDeployment(other.to_owned()));
        }
        Some(_) => {}
    }
    match label::value(&observed.labels, label::RESOURCE) {
        None => Err(Unproven::NoLabel),
        Some(other) if other != row.id.as_str() => Err(Unproven::OtherResource(other.to_owned())),
        Some(_) => Ok(()),
    }
}

/// A name alone proves nothing: whoever calls this holds the recorded id or an open intent.
fn by_name(row: &Resource, observed: &Observation) -> Result<(), Unproven> {
    if row.provider_id.is_none() && row.intent.is_none() {
        return Err(Unproven::NoLabel);
    }
    match &observed.name {
        Some(name) if *name == row.provider_name => Ok(()),
        found => Err(Unproven::OtherName {
            found: found.clone(),
            wanted: row.provider_name.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_was_not_told_is_not_taken_for_an_empty_one() {
        let said = |found: Option<&str>| {
            Unproven::OtherName {
                found: found.map(str::to_owned),
                wanted: "bc-r-1".to_owned(),
            }
            .to_string()
        };
        assert_eq!(
            said(Some("other")),
            "it is called \"other\" at the provider, and it should be called \"bc-r-1\""
        );
        assert_eq!(
            said(None),
            "the plugin did not say what it is called at the provider, and it should be called \"bc-r-1\""
        );
    }
}
