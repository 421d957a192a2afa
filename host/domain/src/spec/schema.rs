//! A kind's JSON Schema, compiled: self-contained, size-capped, with a linear-time regex engine.

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions, Validator};
use serde_json::Value;

use super::marks::{self, Mark};
use super::{Spec, escaped};
use crate::input::InputError;

/// Largest schema, in bytes of compact JSON.
pub const SCHEMA_BYTES_MAX: usize = 256 * 1024;
/// Deepest nesting of a schema.
pub const SCHEMA_DEPTH_MAX: usize = 64;
/// Most faults that one answer names.
const FAULTS_MAX: usize = 20;

/// Why a schema can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// Too large or too deep.
    #[error(
        "the schema is larger than {SCHEMA_BYTES_MAX} bytes or nested deeper than {SCHEMA_DEPTH_MAX} levels"
    )]
    TooLarge,
    /// It is not an object schema.
    #[error("the schema must describe an object: expected `\"type\": \"object\"` at its top")]
    NotAnObject,
    /// It refers to something outside itself.
    #[error("the schema refers to `{0}`; only references into itself (`#/…`) are taken")]
    RemoteReference(String),
    /// The validator refuses it.
    #[error("the schema does not compile: {0}")]
    Broken(String),
}

/// A compiled schema of a kind's spec.
#[derive(Debug)]
pub struct SpecSchema {
    schema: Value,
    validator: Validator,
}

impl SpecSchema {
    /// Compiles a schema.
    ///
    /// # Errors
    /// When the schema is too large, not of an object, reaches outside itself, or is no schema.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let bytes = serde_json::to_vec(schema).map_or(usize::MAX, |text| text.len());
        if bytes > SCHEMA_BYTES_MAX || super::deeper_than(schema, SCHEMA_DEPTH_MAX) {
            return Err(SchemaError::TooLarge);
        }
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(SchemaError::NotAnObject);
        }
        if let Some(reference) = remote_reference(schema) {
            return Err(SchemaError::RemoteReference(reference));
        }
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .with_pattern_options(PatternOptions::regex())
            .should_validate_formats(true)
            .build(schema)
            .map_err(|error| SchemaError::Broken(error.to_string()))?;
        Ok(Self {
            schema: schema.clone(),
            validator,
        })
    }

    /// The schema as published.
    #[must_use]
    pub fn as_json(&self) -> &Value {
        &self.schema
    }

    /// Judges a spec. Messages never repeat values, since one of them may be a secret.
    ///
    /// # Errors
    /// Every fault found, at most 20, each with its pointer under `/spec`.
    pub fn validate(&self, spec: &Spec) -> Result<(), Vec<InputError>> {
        let instance = Value::Object(spec.clone());
        let mut faults: Vec<InputError> = self
            .validator
            .iter_errors(&instance)
            .take(FAULTS_MAX)
            .map(|error| {
                let mut field = format!("/spec{}", error.instance_path());
                match error.kind() {
                    ValidationErrorKind::AdditionalProperties { unexpected } => {
                        if let Some(name) = unexpected.first() {
                            field.push('/');
                            field.push_str(&escaped(name));
                        }
                        InputError::new(field, "unknown field: the kind's schema does not have it")
                    }
                    ValidationErrorKind::Required { property } => {
                        if let Some(name) = property.as_str() {
                            field.push('/');
                            field.push_str(&escaped(name));
                        }
                        InputError::new(field, "missing: the kind requires it")
                    }
                    _ => InputError::new(field, error.masked_with("the value").to_string()),
                }
            })
            .collect();
        // The order in which the validator finds them is its own affair.
        faults.sort_by(|a, b| a.field.cmp(&b.field));
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults)
        }
    }

    /// Values of a spec that stand where the schema has an annotation.
    #[must_use]
    pub fn marked<'s>(&self, spec: &'s Spec, mark: Mark) -> Vec<(String, &'s Value)> {
        marks::marked(&self.schema, spec, mark)
    }

    /// Pointers into the schema at which an annotation stands, to compare two versions of a kind.
    #[must_use]
    pub fn mark_places(&self, mark: Mark) -> Vec<String> {
        marks::places(&self.schema, mark)
    }
}

fn remote_reference(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(key, member)| match member {
            Value::String(text)
                if matches!(key.as_str(), "$ref" | "$dynamicRef" | "$recursiveRef")
                    && !text.starts_with('#') =>
            {
                Some(text.clone())
            }
            other => remote_reference(other),
        }),
        Value::Array(items) => items.iter().find_map(remote_reference),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> SpecSchema {
        SpecSchema::compile(&json!({
            "type": "object",
            "properties": {"size": {"type": "string", "pattern": "^db-"}, "n": {"type": "integer", "maximum": 3}},
            "required": ["size"],
            "additionalProperties": false
        }))
        .unwrap()
    }

    fn faults(spec: Value) -> Vec<String> {
        schema()
            .validate(spec.as_object().unwrap())
            .unwrap_err()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn every_fault_names_its_field_under_spec() {
        insta::assert_debug_snapshot!(faults(json!({"n": 4, "sise": "x"})), @r#"
        [
            "/spec/n: the value is greater than the maximum of 3",
            "/spec/sise: unknown field: the kind's schema does not have it",
            "/spec/size: missing: the kind requires it",
        ]
        "#);
    }

    #[test]
    fn a_fault_never_repeats_a_value() {
        assert!(
            !faults(json!({"size": "canary"}))
                .concat()
                .contains("canary")
        );
    }

    #[test]
    fn a_schema_that_reaches_out_is_refused() {
        let remote =
            json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/s.json"}}});
        assert!(matches!(
            SpecSchema::compile(&remote),
            Err(SchemaError::RemoteReference(_))
        ));
        let file = json!({"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}});
        assert!(matches!(
            SpecSchema::compile(&file),
            Err(SchemaError::RemoteReference(_))
        ));
    }

    #[test]
    fn a_pattern_that_needs_backtracking_is_refused_instead_of_run() {
        let schema = json!({"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)\\1$"}}});
        assert!(matches!(
            SpecSchema::compile(&schema),
            Err(SchemaError::Broken(_))
        ));
    }
}
