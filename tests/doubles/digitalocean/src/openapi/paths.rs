//! The operations of a document, and which one a request is for.

use serde_json::{Map, Value};

/// An operation, with its path as segments.
pub(crate) struct Operation {
    method: String,
    segments: Vec<String>,
    pub(crate) definition: Value,
    /// Parameters, those of the path item included.
    parameters: Vec<Value>,
}

/// All operations.
pub(crate) struct Paths {
    operations: Vec<Operation>,
}

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "patch", "head", "options"];

impl Paths {
    pub(crate) fn of(paths: &Map<String, Value>) -> Self {
        let mut operations = Vec::new();
        for (path, item) in paths {
            let shared = list(item.get("parameters"));
            for method in METHODS {
                let Some(definition) = item.get(method) else {
                    continue;
                };
                let mut parameters = list(definition.get("parameters"));
                parameters.extend(shared.iter().cloned());
                operations.push(Operation {
                    method: method.to_ascii_uppercase(),
                    segments: path.split('/').map(str::to_owned).collect(),
                    definition: definition.clone(),
                    parameters,
                });
            }
        }
        Self { operations }
    }

    /// The operation of a request, and its place. Literal segments win over parameters.
    pub(crate) fn find(&self, method: &str, path: &str) -> Option<(usize, &Operation)> {
        let segments: Vec<&str> = path.split('/').collect();
        self.operations
            .iter()
            .enumerate()
            .filter(|(_, operation)| operation.method == method && operation.fits(&segments))
            .min_by_key(|(_, operation)| operation.segments.iter().filter(|s| is_open(s)).count())
    }
}

fn list(value: Option<&Value>) -> Vec<Value> {
    value.and_then(Value::as_array).cloned().unwrap_or_default()
}

fn is_open(segment: &str) -> bool {
    segment.starts_with('{')
}

impl Operation {
    fn fits(&self, segments: &[&str]) -> bool {
        self.segments.len() == segments.len()
            && self
                .segments
                .iter()
                .zip(segments)
                .all(|(own, asked)| own == asked || (is_open(own) && !asked.is_empty()))
    }

    /// What is wrong with a query string: unknown parameters, wrong values, missing ones.
    pub(crate) fn check_query(&self, query: &str) -> Vec<String> {
        let uri = format!("/?{query}").parse::<http::Uri>();
        let Ok(uri) = uri else {
            return vec![format!("the query `{query}` can't be read")];
        };
        let given: Vec<(String, String)> = crate::query::pairs(&uri).collect();
        let known = || {
            self.parameters
                .iter()
                .filter(|parameter| parameter["in"] == "query")
        };
        let mut wrong = Vec::new();
        for (name, value) in &given {
            match known().find(|parameter| parameter["name"] == **name) {
                None => wrong.push(format!("`{name}` is no query parameter")),
                Some(parameter) => wrong.extend(check_value(name, value, &parameter["schema"])),
            }
        }
        for parameter in known().filter(|parameter| parameter["required"] == true) {
            if !given.iter().any(|(name, _)| parameter["name"] == **name) {
                wrong.push(format!(
                    "the query parameter {} is missing",
                    parameter["name"]
                ));
            }
        }
        wrong
    }
}

fn check_value(name: &str, value: &str, schema: &Value) -> Option<String> {
    let problem = match schema["type"].as_str() {
        Some("integer") => match value.parse::<i64>() {
            Err(_) => Some("isn't a whole number".to_owned()),
            Ok(number)
                if schema["minimum"]
                    .as_i64()
                    .is_some_and(|least| number < least) =>
            {
                Some(format!("is less than {}", schema["minimum"]))
            }
            Ok(number) if schema["maximum"].as_i64().is_some_and(|most| number > most) => {
                Some(format!("is more than {}", schema["maximum"]))
            }
            Ok(_) => None,
        },
        Some("boolean") if value != "true" && value != "false" => {
            Some("is neither true nor false".to_owned())
        }
        Some("string") => match schema["enum"].as_array() {
            Some(allowed) if !allowed.iter().any(|one| one == value) => {
                Some("is none of the allowed values".to_owned())
            }
            _ => None,
        },
        _ => None,
    };
    problem.map(|problem| format!("the query parameter `{name}` = `{value}` {problem}"))
}
