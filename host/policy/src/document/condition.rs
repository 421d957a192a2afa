//! Conditions of a statement.

use std::collections::BTreeSet;

use super::nearest::nearest;
use super::operator::{Base, Comparison, Operator};
use super::reader::{Reader, echo};
use super::statement::listed;
use super::value::{bool_of, moment_of, network_of, number_of, text_of};
use super::{DocumentError, Network, Pattern, Problem};
use crate::vocabulary::Bearer;
use crate::{Key, Limit, ResourceType};

/// One operator with one key and its values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) key: Key,
    pub(crate) qualifier: Qualifier,
    /// Whether the test must fail rather than hold.
    pub(crate) negated: bool,
    /// The verdict where the request lacks the key.
    pub(crate) when_missing: bool,
    pub(crate) test: Test,
}

/// How a key with several values counts. A key with one value is a set of that one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Qualifier {
    One,
    Any,
    All,
}

/// The test, with values that are alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Test {
    /// The text is one of these.
    Equals(Vec<String>),
    /// The text matches one of these.
    Like(Vec<Pattern>),
    /// The number, or the moment in epoch milliseconds, compares so with one of these.
    Compares(Comparison, Vec<i64>),
    /// The truth value is one of these.
    Is(Vec<bool>),
    /// The address is in one of these.
    Within(Vec<Network>),
    /// The key is missing, if one of these is true, or there, if one is false.
    Missing(Vec<bool>),
}

impl Condition {
    /// Reads all conditions of a statement that applies to resources of these types.
    pub(super) fn read_all(
        reader: &Reader<'_>,
        types: &[ResourceType],
    ) -> Result<Vec<Self>, DocumentError> {
        let mut conditions = Vec::new();
        for (name, operands) in reader.entries("an object of operators", Limit::Conditions)? {
            let operator = Operator::read(name, &operands)?;
            let entries = operands.entries("an object of condition keys", Limit::Conditions)?;
            if entries.is_empty() {
                return Err(operands.wrong(Problem::Empty("the operator")));
            }
            for (key_name, values) in entries {
                let key = read_key(key_name, &values)?;
                refuse_foreign_key(key, types, &values)?;
                operator.fits(name, key, &values)?;
                conditions.push(Self::read(operator, key, &values)?);
            }
            reader.within(Limit::Conditions, conditions.len())?;
        }
        refuse_contradiction(&conditions, reader)?;
        Ok(conditions)
    }

    fn read(operator: Operator, key: Key, values: &Reader<'_>) -> Result<Self, DocumentError> {
        let test = match operator.base {
            Base::StringEquals => Test::Equals(each(values, text_of)?),
            Base::StringLike => Test::Like(each(values, |v| text_of(v).map(|t| Pattern::new(&t)))?),
            Base::Numeric(comparison) => Test::Compares(comparison, each(values, number_of)?),
            Base::Date(comparison) => Test::Compares(comparison, each(values, moment_of)?),
            Base::Bool => Test::Is(each(values, bool_of)?),
            Base::IpAddress => Test::Within(each(values, network_of)?),
            Base::Null => Test::Missing(each(values, bool_of)?),
        };
        let when_missing = match (&test, operator.qualifier) {
            (Test::Missing(wanted), _) => wanted.contains(&true),
            _ if operator.if_exists => true,
            (_, Qualifier::One) => operator.negated,
            (_, Qualifier::Any) => false,
            (_, Qualifier::All) => true,
        };
        Ok(Self {
            key,
            qualifier: operator.qualifier,
            negated: operator.negated,
            when_missing,
            test,
        })
    }
}

fn each<'a, T>(
    values: &Reader<'a>,
    read: impl Fn(&Reader<'a>) -> Result<T, DocumentError>,
) -> Result<Vec<T>, DocumentError> {
    values
        .one_or_many(Limit::Values)?
        .iter()
        .map(read)
        .collect()
}

fn read_key(name: &str, reader: &Reader<'_>) -> Result<Key, DocumentError> {
    Key::parse(name).ok_or_else(|| {
        let names = || Key::ALL.iter().map(|key| key.as_str());
        reader.wrong(Problem::Unknown {
            what: "condition key",
            found: echo(name),
            nearest: nearest(name, names()).map(str::to_owned),
            expected: names().collect::<Vec<_>>().join(", "),
        })
    })
}

/// A key that nothing in the statement has would make the condition always or never hold.
fn refuse_foreign_key(
    key: Key,
    types: &[ResourceType],
    reader: &Reader<'_>,
) -> Result<(), DocumentError> {
    let Bearer::Resource(bearers) = key.bearer() else {
        return Ok(());
    };
    if types.iter().any(|kind| bearers.contains(kind)) {
        return Ok(());
    }
    Err(reader.wrong(Problem::Idle {
        what: key.as_str().to_owned(),
        why: format!(
            "the statement is about {}, and only {} have it",
            listed(types.iter().copied().collect()),
            listed(bearers.iter().copied().collect::<BTreeSet<_>>()),
        ),
    }))
}

/// A key that has to be both missing and there.
fn refuse_contradiction(
    conditions: &[Condition],
    reader: &Reader<'_>,
) -> Result<(), DocumentError> {
    let wants_missing =
        |c: &&Condition| matches!(&c.test, Test::Missing(wanted) if !wanted.contains(&false));
    for missing in conditions.iter().filter(wants_missing) {
        let key = missing.key;
        if conditions.iter().any(|c| c.key == key && !c.when_missing) {
            return Err(reader.wrong(Problem::Idle {
                what: "the statement".to_owned(),
                why: format!("Null wants {key} to be missing, and another condition needs it"),
            }));
        }
    }
    Ok(())
}
