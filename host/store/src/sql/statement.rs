//! A statement with its parameters.

use std::borrow::Cow;

use berth_domain::time::{Millis, Span};
use serde::Serialize;

use crate::StoreError;

/// A value that is bound to a parameter. The type stands even where the value is absent: some engines
/// want to know of what a NULL is one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Datum {
    /// A whole number, a time, or a flag.
    Integer(Option<i64>),
    /// Text, or JSON as text.
    Text(Option<String>),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// A statement: text with `$1`, `$2`, … and as many values.
#[derive(Debug, Clone)]
pub struct Statement {
    pub(crate) text: Cow<'static, str>,
    pub(crate) values: Vec<Datum>,
}

impl Statement {
    /// A statement without values yet.
    pub(crate) fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            text: text.into(),
            values: Vec::new(),
        }
    }

    /// Binds the next parameter.
    pub(crate) fn bind(mut self, value: impl Into<Datum>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Binds the next parameters.
    pub(crate) fn bind_all(mut self, values: Vec<Datum>) -> Self {
        self.values.extend(values);
        self
    }
}

/// JSON as it is stored.
pub(crate) fn json(value: &impl Serialize) -> Result<Datum, StoreError> {
    serde_json::to_string(value)
        .map(|text| Datum::Text(Some(text)))
        .map_err(|error| StoreError::Failed(format!("can't be written as JSON: {error}")))
}

/// JSON that may be absent.
pub(crate) fn optional_json(value: Option<&impl Serialize>) -> Result<Datum, StoreError> {
    value.map_or(Ok(Datum::Text(None)), json)
}

/// The name of an enum's variant, as its serialisation spells it.
pub(crate) fn word(value: &impl Serialize) -> Result<Datum, StoreError> {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(text)) => Ok(Datum::Text(Some(text))),
        _ => Err(StoreError::Failed("not a plain word".to_owned())),
    }
}

/// Something with a textual form, such as an id.
pub(crate) fn text(value: impl ToString) -> Datum {
    Datum::Text(Some(value.to_string()))
}

/// Something with a textual form that may be absent.
pub(crate) fn optional_text<T: ToString>(value: Option<T>) -> Datum {
    Datum::Text(value.map(|value| value.to_string()))
}

impl From<&str> for Datum {
    fn from(value: &str) -> Self {
        Self::Text(Some(value.to_owned()))
    }
}

impl From<Option<&str>> for Datum {
    fn from(value: Option<&str>) -> Self {
        Self::Text(value.map(str::to_owned))
    }
}

impl From<i64> for Datum {
    fn from(value: i64) -> Self {
        Self::Integer(Some(value))
    }
}

impl From<u32> for Datum {
    fn from(value: u32) -> Self {
        Self::Integer(Some(i64::from(value)))
    }
}

impl From<u64> for Datum {
    /// Counters stay far below 2^63; one that did not would be refused by the next read.
    fn from(value: u64) -> Self {
        Self::Integer(Some(i64::try_from(value).unwrap_or(i64::MAX)))
    }
}

impl From<bool> for Datum {
    fn from(value: bool) -> Self {
        Self::Integer(Some(i64::from(value)))
    }
}

impl From<Millis> for Datum {
    fn from(value: Millis) -> Self {
        Self::Integer(Some(value.0))
    }
}

impl From<Option<Millis>> for Datum {
    fn from(value: Option<Millis>) -> Self {
        Self::Integer(value.map(|time| time.0))
    }
}

impl From<Span> for Datum {
    fn from(value: Span) -> Self {
        Self::from(value.0)
    }
}

impl From<Vec<u8>> for Datum {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}
