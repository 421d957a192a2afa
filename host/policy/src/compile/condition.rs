//! Conditions as Cedar expressions.

use serde_json::{Value, json};

use super::expr::{Expr, attribute, binary, has, like, literal, set};
use crate::document::{Comparison, Condition, Qualifier, Test};
use crate::vocabulary::{Bearer, Shape};
use crate::{Key, ResourceType};

/// The condition, for a resource of one type.
///
/// Every read of an attribute stands behind a `has` of it, so that a missing key is a verdict
/// and never an error.
pub(super) fn compile(condition: &Condition, on: ResourceType) -> Expr {
    let key = condition.key;
    let there = presence(key, on);
    if let Test::Missing(wanted) = &condition.test {
        return Expr::any(wanted.iter().map(|missing| there.clone().not_if(*missing)));
    }
    if there == Expr::Never {
        return Expr::certain(condition.when_missing);
    }
    let met = met(condition);
    if condition.when_missing {
        Expr::all([there, met.not()]).not()
    } else {
        Expr::all([there, met])
    }
}

fn presence(key: Key, on: ResourceType) -> Expr {
    if !key.is_on(on) {
        Expr::Never
    } else if key.is_always_there() {
        Expr::Always
    } else {
        Expr::When(has(bearer(key), key.attribute()))
    }
}

/// Whether the condition is met, given that the key is there.
fn met(condition: &Condition) -> Expr {
    let key = condition.key;
    let value = attribute(bearer(key), key.attribute());
    if key.shape() == Shape::Texts {
        return met_by_set(condition, value);
    }
    let alternatives = match &condition.test {
        Test::Equals(texts) => one_of(value, texts.iter().map(literal).collect()),
        Test::Like(patterns) => Expr::any(
            patterns
                .iter()
                .map(|pattern| like(value.clone(), pattern.literals())),
        ),
        Test::Compares(Comparison::Equal, numbers) => {
            one_of(value, numbers.iter().map(|n| literal(*n)).collect())
        }
        Test::Compares(comparison, numbers) => Expr::any(numbers.iter().map(|number| {
            let operator = operator(*comparison);
            Expr::When(binary(operator, value.clone(), literal(*number)))
        })),
        Test::Is(truths) => one_of(value, truths.iter().map(|t| literal(*t)).collect()),
        Test::Within(networks) => Expr::any(networks.iter().map(|network| {
            let network = json!({"ip": [literal(&network.to_string())]});
            Expr::When(json!({"isInRange": [value.clone(), network]}))
        })),
        // Answered before: a missing key isn't a test of its value.
        Test::Missing(_) => Expr::Never,
    };
    alternatives.not_if(condition.negated)
}

/// A key that holds a set of texts. Documents compare those with whole texts only.
fn met_by_set(condition: &Condition, held: Value) -> Expr {
    let Test::Equals(texts) = &condition.test else {
        return Expr::Never;
    };
    let named = set(texts.iter().map(literal).collect());
    let (question, negated) = match (condition.qualifier, condition.negated) {
        (Qualifier::All, false) => (binary("containsAll", named, held), false),
        (Qualifier::All, true) => (binary("containsAny", held, named), true),
        (_, false) => (binary("containsAny", held, named), false),
        (_, true) => (binary("containsAll", named, held), true),
    };
    Expr::When(question).not_if(negated)
}

/// Equality with one of many: a set, since long chains of alternatives are slow and deep.
fn one_of(value: Value, mut literals: Vec<Value>) -> Expr {
    if literals.len() == 1 {
        return literals
            .pop()
            .map_or(Expr::Never, |only| Expr::When(binary("==", value, only)));
    }
    Expr::When(binary("contains", set(literals), value))
}

fn operator(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "==",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}

fn bearer(key: Key) -> &'static str {
    match key.bearer() {
        Bearer::Resource(_) => "resource",
        Bearer::Principal => "principal",
        Bearer::Context => "context",
    }
}
