//! Documents that come with the host.

use serde_json::{Value, json};

use crate::document::{Effect, ResourcePattern, Statement};
use crate::{Action, Document, VERSION};

/// A policy that every tenant has and none can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ManagedPolicy {
    /// Everything, on everything of the tenant; with a reach of every tenant, of all of them.
    Administrator,
    /// Seeing everything, though no value of a secret.
    ReadOnly,
}

impl ManagedPolicy {
    /// Each of them.
    pub const ALL: &'static [Self] = &[Self::Administrator, Self::ReadOnly];

    /// Its policy id. No policy that a tenant writes has a slash in its id.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Administrator => "managed/administrator",
            Self::ReadOnly => "managed/read-only",
        }
    }

    /// The managed policy of that id.
    #[must_use]
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|policy| policy.id() == id)
    }

    fn sid(self) -> &'static str {
        match self {
            Self::Administrator => "Administrator",
            Self::ReadOnly => "ReadOnly",
        }
    }

    fn actions(self) -> impl Iterator<Item = Action> {
        Action::ALL
            .iter()
            .copied()
            .filter(move |action| match self {
                Self::Administrator => true,
                Self::ReadOnly => action.as_str().ends_with(":read"),
            })
    }

    /// What it says, compiled in: it can't be missing or wrong.
    #[must_use]
    pub fn document(self) -> Document {
        Document::new(vec![Statement {
            sid: Some(self.sid().to_owned()),
            effect: Effect::Allow,
            actions: self.actions().collect(),
            resources: vec![ResourcePattern::Any],
            conditions: Vec::new(),
        }])
    }

    /// What it says, as a document to show.
    #[must_use]
    pub fn json(self) -> Value {
        let actions = match self {
            Self::Administrator => json!("*"),
            Self::ReadOnly => self.actions().map(Action::as_str).collect(),
        };
        json!({
            "Version": VERSION,
            "Statement": [{
                "Sid": self.sid(),
                "Effect": "Allow",
                "Action": actions,
                "Resource": "*",
            }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_says_what_it_shows() {
        for managed in ManagedPolicy::ALL {
            assert_eq!(
                Document::parse(&managed.json()).as_ref(),
                Ok(&managed.document())
            );
            assert_eq!(ManagedPolicy::parse(managed.id()), Some(*managed));
        }
    }
}
