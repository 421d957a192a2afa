//! How large documents may be.

use std::fmt;

/// Largest document, as compact JSON, in bytes.
pub const DEFAULT_MAX_DOCUMENT_BYTES: usize = 32 * 1024;
/// Most statements of a document.
pub const DEFAULT_MAX_STATEMENTS: usize = 100;
/// Most actions that one statement lists.
pub const DEFAULT_MAX_ACTIONS: usize = 100;
/// Most resources that one statement lists.
pub const DEFAULT_MAX_RESOURCES: usize = 100;
/// Most conditions (an operator with a key) of one statement.
pub const DEFAULT_MAX_CONDITIONS: usize = 20;
/// Most values of one condition.
pub const DEFAULT_MAX_VALUES: usize = 50;
/// Longest action, resource, value or Sid, in bytes.
pub const DEFAULT_MAX_PATTERN_BYTES: usize = 512;
/// Most statements that hold for one principal, over all its policies.
pub const DEFAULT_MAX_STATEMENTS_A_PRINCIPAL: usize = 500;

/// Which limit was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// [`Limits::document_bytes`].
    DocumentBytes,
    /// [`Limits::statements`].
    Statements,
    /// [`Limits::actions`].
    Actions,
    /// [`Limits::resources`].
    Resources,
    /// [`Limits::conditions`].
    Conditions,
    /// [`Limits::values`].
    Values,
    /// [`Limits::pattern_bytes`].
    PatternBytes,
}

impl Limit {
    /// The setting that moves the limit.
    #[must_use]
    pub fn setting(self) -> &'static str {
        match self {
            Self::DocumentBytes => "policy.max_document_bytes",
            Self::Statements => "policy.max_statements",
            Self::Actions => "policy.max_actions",
            Self::Resources => "policy.max_resources",
            Self::Conditions => "policy.max_conditions",
            Self::Values => "policy.max_values",
            Self::PatternBytes => "policy.max_pattern_bytes",
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::DocumentBytes => "bytes in a document",
            Self::Statements => "statements in a document",
            Self::Actions => "actions in a statement",
            Self::Resources => "resources in a statement",
            Self::Conditions => "conditions in a statement",
            Self::Values => "values in a condition",
            Self::PatternBytes => "bytes in one text",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what())
    }
}

/// How large a document may be, when it is written. One that was accepted is read back with
/// [`Limits::NONE`]: a limit that was lowered since must not lock its principals out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Size as compact JSON, in bytes.
    pub document_bytes: usize,
    /// Statements of a document.
    pub statements: usize,
    /// Actions that one statement lists.
    pub actions: usize,
    /// Resources that one statement lists.
    pub resources: usize,
    /// Conditions of one statement.
    pub conditions: usize,
    /// Values of one condition.
    pub values: usize,
    /// Length of an action, resource, value or Sid, in bytes.
    pub pattern_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: DEFAULT_MAX_DOCUMENT_BYTES,
            statements: DEFAULT_MAX_STATEMENTS,
            actions: DEFAULT_MAX_ACTIONS,
            resources: DEFAULT_MAX_RESOURCES,
            conditions: DEFAULT_MAX_CONDITIONS,
            values: DEFAULT_MAX_VALUES,
            pattern_bytes: DEFAULT_MAX_PATTERN_BYTES,
        }
    }
}

impl Limits {
    /// No limits, for documents that were accepted before.
    pub const NONE: Self = Self {
        document_bytes: usize::MAX,
        statements: usize::MAX,
        actions: usize::MAX,
        resources: usize::MAX,
        conditions: usize::MAX,
        values: usize::MAX,
        pattern_bytes: usize::MAX,
    };

    pub(crate) fn of(&self, limit: Limit) -> usize {
        match limit {
            Limit::DocumentBytes => self.document_bytes,
            Limit::Statements => self.statements,
            Limit::Actions => self.actions,
            Limit::Resources => self.resources,
            Limit::Conditions => self.conditions,
            Limit::Values => self.values,
            Limit::PatternBytes => self.pattern_bytes,
        }
    }
}
