//! One statement of a document.

use std::collections::BTreeSet;

use super::condition::Condition;
use super::pattern::{ResourcePattern, actions_of};
use super::reader::{Reader, echo};
use super::{DocumentError, Problem};
use crate::{Action, Limit, ResourceType};

const FIELDS: &[&str] = &["Sid", "Effect", "Action", "Resource", "Condition"];

/// Allows or denies actions on resources under conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Statement {
    pub(crate) sid: Option<String>,
    pub(crate) effect: Effect,
    /// What the patterns of `Action` stand for.
    pub(crate) actions: BTreeSet<Action>,
    pub(crate) resources: Vec<ResourcePattern>,
    /// All of them must hold.
    pub(crate) conditions: Vec<Condition>,
}

/// What a statement does where it applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    Allow,
    Deny,
}

impl Statement {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, DocumentError> {
        let fields = reader.object(FIELDS, "a statement")?;
        let sid = fields.optional("Sid").map(|r| read_sid(&r)).transpose()?;
        let effect = read_effect(&fields.required("Effect")?)?;
        let action_field = fields.required("Action")?;
        let resource_field = fields.required("Resource")?;
        let action_readers = action_field.one_or_many(Limit::Actions)?;
        let resource_readers = resource_field.one_or_many(Limit::Resources)?;

        let mut resources = Vec::with_capacity(resource_readers.len());
        for resource in &resource_readers {
            resources.push(ResourcePattern::read(resource)?);
        }
        let mut actions = BTreeSet::new();
        for action in &action_readers {
            let meant = actions_of(action)?;
            refuse_action_without_resource(action, &meant, &resources)?;
            actions.extend(meant);
        }
        for (reader, resource) in resource_readers.iter().zip(&resources) {
            refuse_resource_without_action(reader, resource, &actions)?;
        }
        let mut statement = Self {
            sid,
            effect,
            actions,
            resources,
            conditions: Vec::new(),
        };
        if let Some(condition) = fields.optional("Condition") {
            statement.conditions = Condition::read_all(&condition, &statement.resource_types())?;
        }
        Ok(statement)
    }

    /// The types of resource that the statement can apply to.
    fn resource_types(&self) -> Vec<ResourceType> {
        ResourceType::ALL
            .iter()
            .copied()
            .filter(|kind| {
                self.actions
                    .iter()
                    .any(|a| a.resource_types().contains(kind))
                    && self.resources.iter().any(|r| r.covers(*kind))
            })
            .collect()
    }
}

fn read_sid(reader: &Reader<'_>) -> Result<String, DocumentError> {
    let sid = reader.text()?;
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if sid.is_empty() || !sid.chars().all(allowed) {
        return Err(reader.unfit("a Sid: use letters, digits, `-`, `_` and `.`"));
    }
    Ok(sid.to_owned())
}

fn read_effect(reader: &Reader<'_>) -> Result<Effect, DocumentError> {
    match reader.text()? {
        "Allow" => Ok(Effect::Allow),
        "Deny" => Ok(Effect::Deny),
        other => Err(reader.wrong(Problem::Unknown {
            what: "effect",
            found: echo(other),
            nearest: super::nearest::nearest(other, ["Allow", "Deny"]).map(str::to_owned),
            expected: "\"Allow\" or \"Deny\"".to_owned(),
        })),
    }
}

/// A denial that silently never applies is worse than one that isn't written.
fn refuse_action_without_resource(
    reader: &Reader<'_>,
    actions: &[Action],
    resources: &[ResourcePattern],
) -> Result<(), DocumentError> {
    let decided_on: BTreeSet<ResourceType> = actions
        .iter()
        .flat_map(|action| action.resource_types())
        .copied()
        .collect();
    if decided_on
        .iter()
        .any(|kind| resources.iter().any(|r| r.covers(*kind)))
    {
        return Ok(());
    }
    Err(reader.wrong(Problem::Idle {
        what: reader.echo(),
        why: format!(
            "it is decided on {}, and Resource names none of that",
            listed(decided_on)
        ),
    }))
}

fn refuse_resource_without_action(
    reader: &Reader<'_>,
    resource: &ResourcePattern,
    actions: &BTreeSet<Action>,
) -> Result<(), DocumentError> {
    let types = actions.iter().flat_map(|a| a.resource_types());
    if types.clone().any(|kind| resource.covers(*kind)) {
        return Ok(());
    }
    Err(reader.wrong(Problem::Idle {
        what: reader.echo(),
        why: format!(
            "the actions of this statement are decided on {}",
            listed(types.copied().collect())
        ),
    }))
}

pub(super) fn listed(types: BTreeSet<ResourceType>) -> String {
    let names: Vec<_> = types.into_iter().map(ResourceType::as_str).collect();
    names.join(", ")
}
