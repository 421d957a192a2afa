//! Rules of an app spec that its schema can't say.

use std::collections::HashSet;

use serde_json::Value;

use super::render::{COMPONENTS, components};
use crate::error::ApiError;

const SOURCES: [&str; 5] = ["git", "github", "gitlab", "bitbucket", "image"];

/// Refuses a spec without components, with two of one name, or with one that has not one source.
pub(crate) fn check(spec: &Value) -> Result<(), ApiError> {
    let refuse = |what: String| {
        Err(ApiError::bad_request(format!(
            "error validating app spec field: {what}"
        )))
    };
    let mut names = HashSet::new();
    for list in COMPONENTS.iter().chain(&["databases"]) {
        for name in components(spec, list) {
            if !names.insert(name) {
                return refuse(format!("{list}: component name `{name}` is used twice"));
            }
        }
    }
    if names.is_empty() {
        return refuse("the spec must have at least one component".into());
    }
    for list in COMPONENTS {
        let all = spec.get(list).and_then(Value::as_array);
        for component in all.into_iter().flatten() {
            let sources = SOURCES
                .iter()
                .filter(|source| component.get(source).is_some())
                .count();
            if sources != 1 {
                let name = &component["name"];
                return refuse(format!(
                    "{list}: component {name} has {sources} sources, not one"
                ));
            }
        }
    }
    Ok(())
}
