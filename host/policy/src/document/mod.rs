//! IAM documents: parsed whole, or refused with the place and what would be right there.

mod condition;
mod error;
mod moment;
mod nearest;
mod network;
mod operator;
mod pattern;
mod reader;
mod statement;
mod value;

use serde_json::Value;

use crate::{Limit, Limits};
use reader::Reader;

pub(crate) use condition::{Condition, Qualifier, Test};
pub use error::{DocumentError, Problem};
pub(crate) use network::Network;
pub(crate) use operator::Comparison;
pub(crate) use pattern::{Pattern, ResourcePattern};
pub(crate) use statement::{Effect, Statement};

/// The one version of the policy language.
pub const VERSION: &str = "2012-10-17";

/// What a policy says: statements that allow or deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    statements: Vec<Statement>,
}

impl Document {
    pub(crate) fn new(statements: Vec<Statement>) -> Self {
        Self { statements }
    }

    /// Reads a document under the default limits.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(json: &Value) -> Result<Self, DocumentError> {
        Self::parse_within(json, &Limits::default())
    }

    /// Reads a document under limits of the operator's.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse_within(json: &Value, limits: &Limits) -> Result<Self, DocumentError> {
        let root = Reader::root(json, limits);
        let fields = root.object(&["Version", "Statement"], "a policy document")?;
        let version = fields.required("Version")?;
        if version.text()? != VERSION {
            let found = version.echo();
            return Err(version.wrong(Problem::Version { found }));
        }
        let field = fields.required("Statement")?;
        let mut statements: Vec<Statement> = Vec::new();
        for reader in field.one_or_many(Limit::Statements)? {
            let statement = Statement::read(&reader)?;
            let taken = |other: &Statement| other.sid.is_some() && other.sid == statement.sid;
            if statements.iter().any(taken) {
                let sid = statement.sid.unwrap_or_default();
                return Err(reader.under("Sid").wrong(Problem::Duplicate { sid }));
            }
            statements.push(statement);
        }
        // Last, when every part is known to be bounded: measuring walks all of it.
        root.within(Limit::DocumentBytes, json.to_string().len())?;
        Ok(Self { statements })
    }

    pub(crate) fn statements(&self) -> &[Statement] {
        &self.statements
    }
}
