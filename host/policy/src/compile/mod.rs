//! Documents as Cedar policies.
//!
//! A statement becomes one Cedar policy for each resource type that it can apply to, so that
//! conditions on attributes which a type doesn't have are settled here. Everything goes through
//! Cedar's JSON form, where a text of a tenant's is data whatever stands in it; no Cedar source
//! is ever put together or parsed.

mod condition;
mod expr;
mod names;
mod schema;

use cedar_policy::{
    Policy, PolicyId, PolicySet as CedarPolicySet, ValidationMode, ValidationWarning, Validator,
};
use serde_json::{Value, json};

use crate::document::{Effect, ResourcePattern, Statement};
use crate::{Action, Document, ResourceType};
use expr::{Expr, attribute, like};

pub(crate) use names::Names;
use schema::NAMESPACE;
pub(crate) use schema::RESOURCE_ID;

/// Why documents were not compiled. But for the first, each is a fault of the host's: tell
/// whoever maintains it, and deny meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Too much for one principal.
    #[error(
        "{found} statements hold for this principal, and `policy.max_statements_per_principal` allows {allowed}: detach a policy, or join statements"
    )]
    TooManyStatements {
        /// Statements of all documents.
        found: usize,
        /// How many there may be.
        allowed: usize,
    },
    /// The vocabulary makes no schema.
    #[error("the policy schema is wrong: {0}")]
    Schema(
        /// What Cedar says.
        String,
    ),
    /// A statement that was accepted makes no valid policy.
    #[error(
        "policy {policy}, statement {statement}, was accepted but can't be compiled: {message}"
    )]
    Statement {
        /// The policy's id.
        policy: String,
        /// The statement's place in its document, from 0.
        statement: usize,
        /// What Cedar says.
        message: String,
    },
}

/// A Cedar policy and what it stands for.
pub(crate) struct Compiled {
    pub(crate) policy: Policy,
    pub(crate) source: Source,
    pub(crate) on: ResourceType,
    pub(crate) actions: Vec<Action>,
}

/// Where a Cedar policy comes from.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) policy: String,
    pub(crate) statement: usize,
    pub(crate) sid: Option<String>,
}

/// Compiles and validates all statements of the documents, in order.
pub(crate) fn compile(documents: &[(&str, Document)]) -> Result<Vec<Compiled>, CompileError> {
    let mut compiled = Vec::new();
    for (policy, document) in documents {
        for (index, statement) in document.statements().iter().enumerate() {
            let source = Source {
                policy: (*policy).to_owned(),
                statement: index,
                sid: statement.sid.clone(),
            };
            compile_statement(statement, &source, &mut compiled)?;
        }
    }
    validate(&compiled)?;
    Ok(compiled)
}

fn compile_statement(
    statement: &Statement,
    source: &Source,
    compiled: &mut Vec<Compiled>,
) -> Result<(), CompileError> {
    for &on in ResourceType::ALL {
        let decided_here = |action: &Action| action.resource_types().contains(&on);
        let actions: Vec<Action> = statement
            .actions
            .iter()
            .copied()
            .filter(decided_here)
            .collect();
        let applies = Expr::all(
            std::iter::once(resources(&statement.resources, on)).chain(
                statement
                    .conditions
                    .iter()
                    .map(|c| condition::compile(c, on)),
            ),
        );
        if actions.is_empty() || applies == Expr::Never {
            continue;
        }
        let json = policy_json(statement.effect, &actions, on, applies);
        let id = PolicyId::new(compiled.len().to_string());
        let policy = Policy::from_json(Some(id), json).map_err(|e| source.refused(&e))?;
        compiled.push(Compiled {
            policy,
            source: source.clone(),
            on,
            actions,
        });
    }
    Ok(())
}

fn resources(patterns: &[ResourcePattern], on: ResourceType) -> Expr {
    Expr::any(patterns.iter().map(|pattern| match pattern {
        ResourcePattern::Any => Expr::Always,
        ResourcePattern::Of(kind, _) if *kind != on => Expr::Never,
        ResourcePattern::Of(_, id) => like(attribute("resource", RESOURCE_ID), id.literals()),
    }))
}

fn policy_json(effect: Effect, actions: &[Action], on: ResourceType, applies: Expr) -> Value {
    let actions: Vec<Value> = actions
        .iter()
        .map(|action| json!({"type": format!("{NAMESPACE}::Action"), "id": action.as_str()}))
        .collect();
    let conditions = match applies {
        Expr::When(body) => vec![json!({"kind": "when", "body": body})],
        Expr::Always | Expr::Never => Vec::new(),
    };
    json!({
        "effect": match effect {
            Effect::Allow => "permit",
            Effect::Deny => "forbid",
        },
        "principal": {"op": "All"},
        "action": {"op": "in", "entities": actions},
        "resource": {"op": "is", "entity_type": format!("{NAMESPACE}::{}", on.entity_type())},
        "conditions": conditions,
    })
}

/// Checks all policies against the schema, strictly. What Cedar merely warns of, such as an
/// attribute that doesn't exist, is a denial that never applies: it counts as an error.
pub(crate) fn validate(compiled: &[Compiled]) -> Result<(), CompileError> {
    let broken = |message: &str| CompileError::Schema(message.to_owned());
    let schema = schema::schema().map_err(broken)?;
    let mut policies = CedarPolicySet::new();
    for each in compiled {
        policies
            .add(each.policy.clone())
            .map_err(|e| each.source.refused(&e))?;
    }
    let result = Validator::new(schema.clone()).validate(&policies, ValidationMode::Strict);
    let errors = result
        .validation_errors()
        .map(|e| (e.policy_id(), e.to_string()));
    let warnings = result
        .validation_warnings()
        .filter(|warning| !is_about_texts(warning))
        .map(|w| (w.policy_id(), w.to_string()));
    let Some((id, message)) = errors.chain(warnings).next() else {
        return Ok(());
    };
    let source = compiled.iter().find(|each| each.policy.id() == id);
    Err(source.map_or_else(
        || CompileError::Schema(message.clone()),
        |each| each.source.refused(&message),
    ))
}

/// Whether a warning is only about what a text of the document's looks like to a reader.
fn is_about_texts(warning: &ValidationWarning) -> bool {
    matches!(
        warning,
        ValidationWarning::BidiCharsInString(_) | ValidationWarning::MixedScriptString(_)
    )
}

impl Source {
    fn refused(&self, why: &impl std::fmt::Display) -> CompileError {
        CompileError::Statement {
            policy: self.policy.clone(),
            statement: self.statement,
            message: why.to_string(),
        }
    }
}
