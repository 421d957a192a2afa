//! Checks exchanges against the provider's official OpenAPI document.
//!
//! The document is of version 3.0, whose schemas are nearly JSON Schema; `convert` makes them
//! so. Where the document is known to be behind the real API, [`Document`] is mended, see
//! `mend`.

mod convert;
mod mend;
mod paths;
mod violation;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use jsonschema::Validator;
use serde_json::{Value, json};

pub use violation::{Side, Violation};

use crate::log::Entry;
use crate::sync::locked;
use paths::{Operation, Paths};

/// Why a document can't be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file can't be read.
    #[error("can't read the OpenAPI document {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is no JSON.
    #[error("the OpenAPI document is no JSON: {0}")]
    Parse(#[from] serde_json::Error),
    /// It has no paths.
    #[error("the OpenAPI document has no `paths`")]
    NoPaths,
}

/// An OpenAPI document, ready for checks.
pub struct Document {
    paths: Paths,
    schemas: HashMap<String, Value>,
    validators: Mutex<HashMap<Slot, Arc<Compiled>>>,
}

/// The place of a schema in the document: an operation, and a status or the request.
type Slot = (usize, Part);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    Request,
    Response(String),
    Error,
}

type Compiled = Result<Validator, String>;

impl Document {
    /// Reads a document from a file.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path).map_err(|source| LoadError::Read {
            path: path.display().to_string(),
            source,
        })?;
        Self::parse(&text)
    }

    /// Reads a document.
    ///
    /// # Errors
    /// [`LoadError`].
    pub fn parse(text: &str) -> Result<Self, LoadError> {
        let mut document: Value = serde_json::from_str(text)?;
        mend::mend(&mut document);
        let schemas = document
            .pointer("/components/schemas")
            .and_then(Value::as_object)
            .map(|schemas| schemas.clone().into_iter().collect())
            .unwrap_or_default();
        let paths = document
            .get("paths")
            .and_then(Value::as_object)
            .ok_or(LoadError::NoPaths)?;
        Ok(Self {
            paths: Paths::of(paths),
            schemas,
            validators: Mutex::default(),
        })
    }

    /// What is wrong with an exchange. `path` may have a query; an empty body is none.
    ///
    /// A status from 400 that the document doesn't declare is right if its body has the shape of
    /// the document's errors: the real API answers many more statuses than are declared.
    #[must_use]
    pub fn check_exchange(
        &self,
        method: &str,
        path: &str,
        request_body: &[u8],
        status: u16,
        response_body: &[u8],
    ) -> Vec<Violation> {
        let mut violations = self.check_request(method, path, request_body);
        violations.extend(self.check_response(method, path, status, response_body));
        violations
    }

    /// What is wrong with a request: its path, its query, its body.
    #[must_use]
    pub fn check_request(&self, method: &str, path: &str, body: &[u8]) -> Vec<Violation> {
        let report = |what: String| Violation::new(Side::Request, method, path, what);
        let (bare, query) = path.split_once('?').unwrap_or((path, ""));
        let Some((place, operation)) = self.paths.find(method, bare) else {
            return vec![report("the document has no such operation".into())];
        };
        let mut wrong = operation.check_query(query);
        match (operation.request_schema(), body) {
            (None, []) => {}
            (None, _) => wrong.push("the operation takes no body".into()),
            (Some(_), []) if operation.request_required() => {
                wrong.push("the body is missing".into())
            }
            (Some(_), []) => {}
            (Some(schema), body) => {
                wrong.extend(self.check_body((place, Part::Request), schema, body));
            }
        }
        wrong.into_iter().map(report).collect()
    }

    /// What is wrong with an answer.
    #[must_use]
    pub fn check_response(
        &self,
        method: &str,
        path: &str,
        status: u16,
        body: &[u8],
    ) -> Vec<Violation> {
        let report = |what: String| Violation::new(Side::Response, method, path, what);
        let bare = path.split('?').next().unwrap_or(path);
        let Some((place, operation)) = self.paths.find(method, bare) else {
            // Whatever isn't there must at least be refused like everything else.
            let wrong = self.check_error((usize::MAX, Part::Error), status, body);
            return wrong.into_iter().map(report).collect();
        };
        let wrong = match operation.response(status) {
            None => self.check_error((place, Part::Error), status, body),
            Some(None) if body.is_empty() => Vec::new(),
            Some(None) => vec![format!(
                "{status} is declared without a body, and there is one"
            )],
            Some(Some(schema)) => {
                self.check_body((place, Part::Response(status.to_string())), schema, body)
            }
        };
        wrong.into_iter().map(report).collect()
    }

    /// What is wrong with the exchanges of a log, those that a fault hit left out. The requests
    /// are checked whatever they were answered.
    #[must_use]
    pub fn check_log(&self, entries: &[Entry]) -> Vec<Violation> {
        let mut violations = Vec::new();
        for entry in entries {
            let target = entry.target();
            violations.extend(self.check_request(&entry.method, &target, entry.body.as_bytes()));
            if let (true, Some(status), Some(answer)) =
                (entry.faults.is_empty(), entry.status, &entry.answer)
            {
                violations.extend(self.check_response(
                    &entry.method,
                    &target,
                    status,
                    answer.as_bytes(),
                ));
            }
        }
        violations
    }

    fn check_error(&self, slot: Slot, status: u16, body: &[u8]) -> Vec<String> {
        if status < 400 {
            return vec![format!("status {status} isn't declared")];
        }
        self.check_body(slot, &json!({"$ref": "#/components/schemas/error"}), body)
    }

    fn check_body(&self, slot: Slot, schema: &Value, body: &[u8]) -> Vec<String> {
        let value: Value = match serde_json::from_slice(body) {
            Ok(value) => value,
            Err(error) => return vec![format!("the body is no JSON: {error}")],
        };
        match &*self.validator(slot, schema) {
            Err(why) => vec![format!("the document's schema can't be used: {why}")],
            Ok(validator) if validator.is_valid(&value) => Vec::new(),
            Ok(validator) => validator
                .iter_errors(&value)
                .map(|error| format!("{}: {error}", error.instance_path().as_str()))
                .collect(),
        }
    }

    fn validator(&self, slot: Slot, schema: &Value) -> Arc<Compiled> {
        if let Some(known) = locked(&self.validators).get(&slot) {
            return Arc::clone(known);
        }
        let request = slot.1 == Part::Request;
        let converted = convert::self_contained(schema, &self.schemas, request);
        let compiled = jsonschema::options()
            .should_validate_formats(true)
            .build(&converted)
            .map_err(|error| error.to_string());
        let compiled = Arc::new(compiled);
        locked(&self.validators).insert(slot, Arc::clone(&compiled));
        compiled
    }
}

impl Operation {
    fn request_schema(&self) -> Option<&Value> {
        self.definition
            .pointer("/requestBody/content/application~1json/schema")
    }

    fn request_required(&self) -> bool {
        self.definition.pointer("/requestBody/required") == Some(&Value::Bool(true))
    }

    /// None: the status isn't declared. `Some(None)`: it is declared without a body.
    fn response(&self, status: u16) -> Option<Option<&Value>> {
        let response = self.definition.get("responses")?.get(status.to_string())?;
        let Some(content) = response.get("content") else {
            return Some(None);
        };
        Some(content.pointer("/application~1json/schema"))
    }
}
