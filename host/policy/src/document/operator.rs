//! Condition operators and the keys that they fit.

use super::condition::Qualifier;
use super::nearest::nearest;
use super::reader::{Reader, echo};
use super::{DocumentError, Problem};
use crate::Key;
use crate::vocabulary::Shape;

/// An operator, taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Operator {
    pub(super) qualifier: Qualifier,
    pub(super) base: Base,
    pub(super) negated: bool,
    pub(super) if_exists: bool,
}

/// What is compared, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    StringEquals,
    StringLike,
    Numeric(Comparison),
    Date(Comparison),
    Bool,
    IpAddress,
    Null,
}

/// How numbers and moments compare: the key stands left, the value right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// Name, meaning, negated.
const OPERATORS: &[(&str, Base, bool)] = &[
    ("StringEquals", Base::StringEquals, false),
    ("StringNotEquals", Base::StringEquals, true),
    ("StringLike", Base::StringLike, false),
    ("StringNotLike", Base::StringLike, true),
    ("NumericEquals", Base::Numeric(Comparison::Equal), false),
    ("NumericNotEquals", Base::Numeric(Comparison::Equal), true),
    ("NumericLessThan", Base::Numeric(Comparison::Less), false),
    (
        "NumericLessThanEquals",
        Base::Numeric(Comparison::LessOrEqual),
        false,
    ),
    (
        "NumericGreaterThan",
        Base::Numeric(Comparison::Greater),
        false,
    ),
    (
        "NumericGreaterThanEquals",
        Base::Numeric(Comparison::GreaterOrEqual),
        false,
    ),
    ("DateEquals", Base::Date(Comparison::Equal), false),
    ("DateNotEquals", Base::Date(Comparison::Equal), true),
    ("DateLessThan", Base::Date(Comparison::Less), false),
    (
        "DateLessThanEquals",
        Base::Date(Comparison::LessOrEqual),
        false,
    ),
    ("DateGreaterThan", Base::Date(Comparison::Greater), false),
    (
        "DateGreaterThanEquals",
        Base::Date(Comparison::GreaterOrEqual),
        false,
    ),
    ("Bool", Base::Bool, false),
    ("IpAddress", Base::IpAddress, false),
    ("NotIpAddress", Base::IpAddress, true),
    ("Null", Base::Null, false),
];

const ANY: &str = "ForAnyValue:";
const ALL: &str = "ForAllValues:";
const IF_EXISTS: &str = "IfExists";

impl Operator {
    pub(super) fn read(name: &str, reader: &Reader<'_>) -> Result<Self, DocumentError> {
        let (prefix, qualifier, rest) = if let Some(rest) = name.strip_prefix(ANY) {
            (ANY, Qualifier::Any, rest)
        } else if let Some(rest) = name.strip_prefix(ALL) {
            (ALL, Qualifier::All, rest)
        } else {
            ("", Qualifier::One, name)
        };
        let (base_name, suffix) = match rest.strip_suffix(IF_EXISTS) {
            Some(base) => (base, IF_EXISTS),
            None => (rest, ""),
        };
        let found = OPERATORS.iter().find(|(known, ..)| *known == base_name);
        let Some(&(_, base, negated)) = found else {
            return Err(reader.wrong(unknown(name, prefix, base_name, suffix)));
        };
        if base == Base::Null && (qualifier != Qualifier::One || !suffix.is_empty()) {
            return Err(reader.wrong(plain_null(name)));
        }
        Ok(Self {
            qualifier,
            base,
            negated,
            if_exists: !suffix.is_empty(),
        })
    }

    /// Refuses a key that the operator can't compare.
    pub(super) fn fits(
        self,
        name: &str,
        key: Key,
        reader: &Reader<'_>,
    ) -> Result<(), DocumentError> {
        let (holds, instead) = match (key.shape(), self.base, self.qualifier) {
            (_, Base::Null, _)
            | (Shape::Text, Base::StringEquals | Base::StringLike, _)
            | (Shape::Texts, Base::StringEquals, Qualifier::Any | Qualifier::All)
            | (Shape::Number, Base::Numeric(_), _)
            | (Shape::Moment, Base::Date(_), _)
            | (Shape::Bool, Base::Bool, _)
            | (Shape::Address, Base::IpAddress, _) => return Ok(()),
            (Shape::Texts, ..) => (
                "a set of texts",
                "ForAnyValue:StringEquals, ForAllValues:StringEquals or their StringNotEquals forms, with whole names",
            ),
            (Shape::Text, ..) => ("a text", "StringEquals, StringLike or their Not forms"),
            (Shape::Number, ..) => ("a number", "NumericEquals, NumericLessThan and the like"),
            (Shape::Moment, ..) => ("a moment", "DateLessThan, DateGreaterThan and the like"),
            (Shape::Bool, ..) => ("true or false", "Bool"),
            (Shape::Address, ..) => ("an address", "IpAddress or NotIpAddress"),
        };
        Err(reader.wrong(Problem::Fit {
            operator: echo(name),
            key: key.as_str(),
            holds,
            instead,
        }))
    }
}

fn plain_null(name: &str) -> Problem {
    Problem::Unsupported {
        what: echo(name),
        instead: "Null itself asks whether a key is missing: write \"Null\"",
    }
}

fn unknown(name: &str, prefix: &str, base: &str, suffix: &str) -> Problem {
    let instead = if base.ends_with("IgnoreCase") {
        "list each spelling in StringEquals; what is compared here is lower case as a rule"
    } else if base.starts_with("Arn") {
        "resources are named in Resource, as in \"compute-cloud-resource/*\""
    } else if base.starts_with("Binary") {
        "no key holds bytes; use StringEquals"
    } else {
        let names = OPERATORS.iter().map(|(known, ..)| *known);
        return Problem::Unknown {
            what: "condition operator",
            found: echo(name),
            nearest: nearest(base, names.clone()).map(|n| format!("{prefix}{n}{suffix}")),
            expected: format!(
                "{}, each also with IfExists, and behind ForAnyValue: or ForAllValues:",
                names.collect::<Vec<_>>().join(", ")
            ),
        };
    };
    Problem::Unsupported {
        what: echo(name),
        instead,
    }
}
