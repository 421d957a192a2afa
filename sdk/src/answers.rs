//! Errors that a plugin answers with, made in one line.

use crate::json::Misfit;
use crate::types::{Error, FieldError, Retry};

/// The spec is wrong at one field. `field` is a JSON Pointer into the spec.
pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Error {
    Error::Invalid(vec![FieldError {
        field: field.into(),
        message: message.into(),
    }])
}

/// The same call may succeed later.
pub fn busy(message: impl Into<String>) -> Error {
    Error::Busy(Retry {
        message: message.into(),
        after: None,
    })
}

/// This plugin does not do that.
pub fn unsupported(what: &str) -> Error {
    Error::Unsupported(format!("this plugin does not {what}"))
}

/// `Ok` if there are no field errors.
pub fn judge(errors: Vec<FieldError>) -> Result<(), Error> {
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Error::Invalid(errors))
    }
}

/// A spec that does not fit its type. The tenant wrote it, so what is wrong may be quoted.
pub(crate) fn unusable(misfit: &Misfit) -> Error {
    invalid(misfit.pointer(), misfit.error.to_string())
}

/// One line of at most `longest` characters, without control characters.
pub fn one_line(text: &str, longest: usize) -> String {
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut line: String = flat
        .chars()
        .filter(|c| !c.is_control())
        .take(longest)
        .collect();
    if line.chars().count() < flat.chars().count() {
        line.push('…');
    }
    line
}
