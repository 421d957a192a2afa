//! What proves that an object at the provider is this deployment's, and this row's.

use crate::id::DeploymentId;
use crate::label::{self, Manager};
use crate::manifest::{Kind, Ownership};
use crate::provider::Observation;

use super::row::{Adoption, Resource};

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

/// The right to label an object: an observation of this run found it without a manager, or it is
/// the row's own. A step that labels takes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    provider_id: String,
}

impl Claim {
    /// The object that it speaks of.
    #[must_use]
    pub fn provider_id(&self) -> &str {
        &self.provider_id
    }

    /// On an object that the row never let go of.
    pub(super) fn of_own(row: &Resource) -> Option<Self> {
        let provider_id = row.provider_id.clone()?;
        (row.adoption != Some(Adoption::Begun)).then_some(Self { provider_id })
    }
}

/// How an object stands that is to be taken over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It carries the row's labels, as far as they prove.
    Ours(Claim),
    /// Nobody manages it, or this deployment does without a row of it.
    Free(Claim),
    /// Another deployment manages it, and its labels are the only ones.
    Anothers,
    /// Another deployment's labels and ours: both took it at once.
    Contested,
}

/// How the object of a takeover stands, as an observation of this run shows.
#[must_use]
pub fn standing(row: &Resource, observed: &Observation, deployment: &DeploymentId) -> Standing {
    let claim = Claim {
        provider_id: observed.provider_id.clone(),
    };
    let managers = || label::values(&observed.labels, label::MANAGED);
    match label::manager(&observed.labels, deployment) {
        Some(Manager::Other) if managers().any(|value| value == deployment.as_str()) => {
            Standing::Contested
        }
        Some(Manager::Other) => Standing::Anothers,
        Some(Manager::This) if by_labels(row, observed, deployment).is_ok() => {
            Standing::Ours(claim)
        }
        Some(Manager::This) | None => Standing::Free(claim),
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

/// Tags can say two things at once. One that speaks of another speaks against us.
fn by_labels(
    row: &Resource,
    observed: &Observation,
    deployment: &DeploymentId,
) -> Result<(), Unproven> {
    let says = |key, ours: &str| {
        let mut values = label::values(&observed.labels, key).peekable();
        let is_there = values.peek().is_some();
        values
            .find(|value| *value != ours)
            .map_or(Ok(is_there), |other| Err(other.to_owned()))
    };
    let managed = says(label::MANAGED, deployment.as_str()).map_err(Unproven::OtherDeployment)?;
    let resource = says(label::RESOURCE, row.id.as_str()).map_err(Unproven::OtherResource)?;
    if managed && resource {
        Ok(())
    } else {
        Err(Unproven::NoLabel)
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
