//! Patterns of texts, resources and actions.

use super::nearest::nearest;
use super::reader::{Reader, echo};
use super::{DocumentError, Problem};
use crate::{Action, ResourceType};

/// A text in which `*` stands for any text, also none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern(String);

impl Pattern {
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The literal texts between the stars, in order. One text: no star at all.
    pub(crate) fn literals(&self) -> impl Iterator<Item = &str> {
        self.0.split('*')
    }
}

/// What a statement applies to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResourcePattern {
    /// `*`
    Any,
    /// `type/pattern`
    Of(ResourceType, Pattern),
}

impl ResourcePattern {
    pub(super) fn read(reader: &Reader<'_>) -> Result<Self, DocumentError> {
        let text = reader.text()?;
        if text == "*" {
            return Ok(Self::Any);
        }
        let (name, id) = text.split_once('/').unwrap_or((text, ""));
        let Some(kind) = ResourceType::parse(name) else {
            return Err(reader.wrong(unknown_type(name)));
        };
        if id.is_empty() {
            return Err(reader.unfit(
                "a resource: after the type comes a slash and an id, `*` for every one of the type",
            ));
        }
        refuse_variables(reader, id)?;
        Ok(Self::Of(kind, Pattern::new(id)))
    }

    /// Whether some resource of the type can match.
    pub(crate) fn covers(&self, kind: ResourceType) -> bool {
        match self {
            Self::Any => true,
            Self::Of(own, _) => *own == kind,
        }
    }
}

fn unknown_type(name: &str) -> Problem {
    if name.contains('*') {
        return Problem::Unsupported {
            what: format!("a `*` in the type {}", echo(name)),
            instead: "name the type and put the `*` into the id, or write \"*\" for everything",
        };
    }
    let names = || ResourceType::ALL.iter().map(|kind| kind.as_str());
    Problem::Unknown {
        what: "resource type",
        found: echo(name),
        nearest: nearest(name, names()).map(str::to_owned),
        expected: names().collect::<Vec<_>>().join(", "),
    }
}

/// `${…}` would never be filled in, and a denial that never matches denies nothing.
pub(super) fn refuse_variables(reader: &Reader<'_>, text: &str) -> Result<(), DocumentError> {
    if !text.contains("${") {
        return Ok(());
    }
    Err(reader.wrong(Problem::Unsupported {
        what: format!("a variable, as in {},", echo(text)),
        instead: "write the text itself; for what a caller created, ownership needs no policy",
    }))
}

/// The actions that a pattern stands for.
pub(super) fn actions_of(reader: &Reader<'_>) -> Result<Vec<Action>, DocumentError> {
    let text = reader.text()?;
    if let Some(action) = Action::parse(text) {
        return Ok(vec![action]);
    }
    let Some(prefix) = prefix_of(text) else {
        if text.contains('*') {
            return Err(reader.wrong(Problem::Unsupported {
                what: format!("the pattern {}", echo(text)),
                instead: "in an action `*` stands for whole last parts, as in \"compute:cloud-resources:*\", \"compute:*\" or \"*\"",
            }));
        }
        return Err(reader.wrong(unknown_action(text)));
    };
    let meant: Vec<Action> = Action::ALL
        .iter()
        .copied()
        .filter(|action| action.as_str().starts_with(prefix))
        .collect();
    if meant.is_empty() {
        return Err(reader.wrong(unknown_action(text)));
    }
    Ok(meant)
}

/// What stands before the stars that end the pattern, when they stand for whole parts.
fn prefix_of(text: &str) -> Option<&str> {
    let parts: Vec<&str> = text.split(':').collect();
    let stars = parts.iter().rev().take_while(|part| **part == "*").count();
    let plain = parts.len().checked_sub(stars)?;
    let starless = parts.iter().take(plain).all(|part| !part.contains('*'));
    if stars == 0 || !starless || parts.len() > 3 {
        return None;
    }
    text.get(..text.find('*')?)
}

fn unknown_action(text: &str) -> Problem {
    let names = || Action::ALL.iter().map(|action| action.as_str());
    // With a star, look for the nearest module; without, for the nearest action.
    let nearest = match text.strip_suffix('*') {
        Some(start) => names()
            .filter_map(|name| name.rsplit_once(':'))
            .map(|(module, _)| module)
            .filter(|module| strsim::damerau_levenshtein(module, start.trim_end_matches(':')) <= 3)
            .min_by_key(|module| strsim::damerau_levenshtein(module, start.trim_end_matches(':')))
            .map(|module| format!("{module}:*")),
        None => nearest(text, names()).map(str::to_owned),
    };
    let module = text.rsplit_once(':').map(|(module, _)| module);
    let alike: Vec<_> = names()
        .filter(|name| name.rsplit_once(':').map(|(of, _)| of) == module)
        .collect();
    Problem::Unknown {
        what: "action",
        found: echo(text),
        nearest,
        expected: if alike.is_empty() {
            "an action such as \"compute:cloud-resources:read\", or a pattern such as \"compute:cloud-resources:*\"".to_owned()
        } else {
            alike.join(", ")
        },
    }
}
