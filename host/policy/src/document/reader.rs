//! Walks a JSON value and knows where it is.

use serde_json::{Map, Value};

use super::nearest::nearest;
use super::{DocumentError, Problem};
use crate::{Limit, Limits};

/// Longest part of a document that an error repeats, in characters.
const ECHO_CHARS: usize = 60;

/// A value, where it stands, and the limits that hold.
pub(super) struct Reader<'a> {
    value: &'a Value,
    path: String,
    limits: &'a Limits,
}

/// The fields of an object, all of them known.
pub(super) struct Fields<'a> {
    reader: &'a Reader<'a>,
    map: &'a Map<String, Value>,
}

impl<'a> Reader<'a> {
    pub(super) fn root(value: &'a Value, limits: &'a Limits) -> Self {
        Self {
            value,
            path: String::new(),
            limits,
        }
    }

    fn child(&self, step: &str, value: &'a Value) -> Self {
        let step: String = step.chars().take(ECHO_CHARS).collect();
        let step = step.replace('~', "~0").replace('/', "~1");
        Self {
            value,
            path: format!("{}/{step}", self.path),
            limits: self.limits,
        }
    }

    /// The same value, with its place named more closely.
    pub(super) fn under(&self, step: &str) -> Self {
        self.child(step, self.value)
    }

    pub(super) fn wrong(&self, problem: Problem) -> DocumentError {
        DocumentError {
            path: self.path.clone(),
            problem,
        }
    }

    pub(super) fn value(&self) -> &'a Value {
        self.value
    }

    /// The value for a message, cut where it is long.
    pub(super) fn echo(&self) -> String {
        match self.value {
            Value::String(text) => echo(text),
            Value::Number(number) => number.to_string(),
            other => kind(other).to_owned(),
        }
    }

    pub(super) fn mistyped(&self, expected: &'static str) -> DocumentError {
        self.wrong(Problem::Type {
            expected,
            found: kind(self.value),
        })
    }

    pub(super) fn unfit(&self, expected: &'static str) -> DocumentError {
        self.wrong(Problem::Value {
            found: self.echo(),
            expected,
        })
    }

    pub(super) fn within(&self, limit: Limit, found: usize) -> Result<(), DocumentError> {
        let allowed = self.limits.of(limit);
        if found <= allowed {
            return Ok(());
        }
        Err(self.wrong(Problem::TooMany {
            limit,
            found,
            allowed,
        }))
    }

    /// A text of bounded length.
    pub(super) fn text(&self) -> Result<&'a str, DocumentError> {
        let text = self.value.as_str().ok_or_else(|| self.mistyped("a text"))?;
        self.within(Limit::PatternBytes, text.len())?;
        Ok(text)
    }

    /// The elements of an array, or the one value that stands for an array of itself.
    pub(super) fn one_or_many(&self, limit: Limit) -> Result<Vec<Reader<'a>>, DocumentError> {
        let Value::Array(elements) = self.value else {
            return Ok(vec![Reader {
                value: self.value,
                path: self.path.clone(),
                limits: self.limits,
            }]);
        };
        self.within(limit, elements.len())?;
        if elements.is_empty() {
            return Err(self.wrong(Problem::Empty("the list")));
        }
        Ok(elements
            .iter()
            .enumerate()
            .map(|(index, element)| self.child(&index.to_string(), element))
            .collect())
    }

    /// An object with no other fields than the known ones.
    pub(super) fn object<'r>(
        &'r self,
        known: &'static [&'static str],
        what: &'static str,
    ) -> Result<Fields<'r>, DocumentError> {
        let map = self.value.as_object().ok_or_else(|| self.mistyped(what))?;
        for (field, value) in map {
            if known.contains(&field.as_str()) {
                continue;
            }
            let here = self.child(field, value);
            return Err(here.wrong(unknown_field(field, known, what)));
        }
        Ok(Fields { reader: self, map })
    }

    /// The entries of an object whose keys are data.
    pub(super) fn entries(
        &self,
        what: &'static str,
        most: Limit,
    ) -> Result<Vec<(&'a str, Reader<'a>)>, DocumentError> {
        let map = self.value.as_object().ok_or_else(|| self.mistyped(what))?;
        self.within(most, map.len())?;
        Ok(map
            .iter()
            .map(|(key, value)| (key.as_str(), self.child(key, value)))
            .collect())
    }
}

impl<'a> Fields<'a> {
    pub(super) fn optional(&self, field: &'static str) -> Option<Reader<'a>> {
        let value = self.map.get(field)?;
        Some(self.reader.child(field, value))
    }

    pub(super) fn required(&self, field: &'static str) -> Result<Reader<'a>, DocumentError> {
        self.optional(field).ok_or_else(|| {
            self.reader.wrong(Problem::Missing {
                field,
                expected: expected_of(field),
            })
        })
    }
}

/// A text for a message: quoted, its control characters escaped, cut where it is long.
pub(super) fn echo(text: &str) -> String {
    match text.char_indices().nth(ECHO_CHARS) {
        Some((at, _)) => format!("{:?}…", text.get(..at).unwrap_or_default()),
        None => format!("{text:?}"),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(true) => "true",
        Value::Bool(false) => "false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn expected_of(field: &str) -> &'static str {
    match field {
        "Version" => "\"2012-10-17\"",
        "Statement" => "a list of statements",
        "Effect" => "\"Allow\" or \"Deny\"",
        "Action" => "an action or a list of actions, such as \"compute:cloud-resources:read\"",
        "Resource" => "a resource or a list, such as \"compute-cloud-resource/*\" or \"*\"",
        _ => "a value",
    }
}

fn unknown_field(field: &str, known: &[&str], what: &'static str) -> Problem {
    let instead = match field {
        "NotAction" => "list the actions in Action, or deny the ones that are not meant",
        "NotResource" => "list the resources in Resource, or deny the ones that are not meant",
        "Principal" | "NotPrincipal" => {
            "a policy holds for the principals that it is attached to; ask about `principal.id` or `principal.groups` in Condition"
        }
        "Id" => "a policy's id is the one that the host gives it",
        _ => {
            return Problem::Unknown {
                what: if what == "a statement" {
                    "field of a statement"
                } else {
                    "field of a document"
                },
                found: echo(field),
                nearest: nearest(field, known.iter().copied()).map(str::to_owned),
                expected: known.join(", "),
            };
        }
    };
    Problem::Unsupported {
        what: field.to_owned(),
        instead,
    }
}
