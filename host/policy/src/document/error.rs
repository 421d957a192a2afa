//! What is wrong with a document.

use crate::Limit;

/// The first thing that is wrong with a document, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at {}: {problem}", if path.is_empty() { "the top" } else { path })]
pub struct DocumentError {
    /// JSON pointer to the place; empty for the document itself.
    pub path: String,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong, and what would be right. Texts of the document are quoted and cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// Another JSON type.
    #[error("expected {expected}, found {found}")]
    Type {
        /// What belongs there.
        expected: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// A field that must be there.
    #[error("{field} is missing: expected {expected}")]
    Missing {
        /// The field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// Another version of the language.
    #[error("version {found} is not known: write {:?}", super::VERSION)]
    Version {
        /// The version as found.
        found: String,
    },
    /// A word that isn't in the vocabulary.
    #[error("{found} is no {what}: {}", meant(nearest.as_ref(), expected))]
    Unknown {
        /// What was looked for: an action, an operator, a field of a statement.
        what: &'static str,
        /// What is there.
        found: String,
        /// The word that looks most like it.
        nearest: Option<String>,
        /// The words there are, or where to find them.
        expected: String,
    },
    /// Something that other policy languages have.
    #[error("{what} is not supported: {instead}")]
    Unsupported {
        /// What was used.
        what: String,
        /// What to write instead.
        instead: &'static str,
    },
    /// Nothing where something is needed.
    #[error("{0} is empty: name at least one, or leave the field out where it may be")]
    Empty(
        /// What is empty.
        &'static str,
    ),
    /// Two statements with one name.
    #[error("another statement has the Sid {sid:?}: each Sid names one statement")]
    Duplicate {
        /// The Sid.
        sid: String,
    },
    /// A text that isn't what the place needs.
    #[error("{found} is not {expected}")]
    Value {
        /// What is there.
        found: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// An operator for other keys.
    #[error("{operator} does not fit {key}, which holds {holds}: use {instead}")]
    Fit {
        /// The operator as found.
        operator: String,
        /// The key.
        key: &'static str,
        /// What the key holds.
        holds: &'static str,
        /// Operators that fit.
        instead: &'static str,
    },
    /// A part of a statement that could never matter.
    #[error("{what} can never apply here: {why}")]
    Idle {
        /// The part.
        what: String,
        /// Why not.
        why: String,
    },
    /// Over a limit.
    #[error("{found} {limit}, and `{}` allows {allowed}", limit.setting())]
    TooMany {
        /// Which limit.
        limit: Limit,
        /// How many there are.
        found: usize,
        /// How many there may be.
        allowed: usize,
    },
}

fn meant(nearest: Option<&String>, expected: &str) -> String {
    nearest.map_or_else(
        || format!("expected {expected}"),
        |word| format!("did you mean {word:?}?"),
    )
}
