//! Manifests of agents: what is kept of one, and what is shown.
//!
//! A manifest is one document of YAML 1.2 whose keys are strings.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use yaml_rust2::{Yaml, YamlLoader};

use crate::error::ApiError;

/// A manifest that was read.
pub(super) struct Manifest {
    /// Without the values of its secrets.
    pub(super) shown: Value,
    /// The slots of its secrets, as they are shown.
    pub(super) credentials: Vec<Value>,
    /// The values of its secrets by name.
    pub(super) secrets: BTreeMap<String, String>,
}

impl Manifest {
    pub(super) fn read(text: &str) -> Result<Self, ApiError> {
        let wrong = |why: String| ApiError::bad_request(format!("manifest_yaml: {why}"));
        let documents =
            YamlLoader::load_from_str(text).map_err(|error| wrong(error.to_string()))?;
        let [Yaml::Hash(_)] = documents.as_slice() else {
            return Err(wrong("it must be one object".into()));
        };
        let read = documents.into_iter().next().map(json_of).transpose();
        let Some(Value::Object(mut shown)) = read.map_err(wrong)? else {
            return Err(wrong("it must be one object".into()));
        };
        if !shown.contains_key("agent") && !shown.contains_key("spec") {
            return Err(wrong("it has neither `agent` nor `spec`".into()));
        }
        let labels = shown.get("metadata").and_then(|all| all.get("labels"));
        if labels.is_some_and(|labels| !is_strings(labels)) {
            return Err(wrong(
                "`metadata.labels` must be an object of strings".into(),
            ));
        }
        let mut found = Self {
            shown: Value::Null,
            credentials: Vec::new(),
            secrets: BTreeMap::new(),
        };
        for place in ["secrets", "spec"] {
            let Some(inside) = shown.get_mut(place) else {
                continue;
            };
            let secrets = if place == "spec" {
                inside.get_mut("secrets")
            } else {
                Some(inside)
            };
            if let Some(secrets) = secrets {
                found.take(secrets);
            }
        }
        found.shown = shown.into();
        Ok(found)
    }

    /// Takes the values out of secrets, be they a list of slots or slots by their names.
    fn take(&mut self, secrets: &mut Value) {
        match secrets {
            Value::Array(slots) => {
                for slot in slots {
                    let name = slot["name"].as_str().unwrap_or_default().to_owned();
                    self.take_slot(&name, slot);
                }
            }
            Value::Object(slots) => {
                for (name, slot) in slots {
                    self.take_slot(name, slot);
                }
            }
            _ => {}
        }
    }

    fn take_slot(&mut self, name: &str, slot: &mut Value) {
        let source = slot["source"].as_str().unwrap_or("tenantSecret").to_owned();
        self.credentials
            .push(json!({"name": name, "source": source}));
        if let Value::Object(members) = slot
            && let Some(value) = members.remove("value")
        {
            let value = value.as_str().unwrap_or_default().to_owned();
            self.secrets.insert(name.to_owned(), value);
        }
    }
}

fn is_strings(labels: &Value) -> bool {
    labels
        .as_object()
        .is_some_and(|labels| labels.values().all(Value::is_string))
}

/// A node as JSON, or what can't be said in it.
fn json_of(node: Yaml) -> Result<Value, String> {
    Ok(match node {
        Yaml::Null => Value::Null,
        Yaml::Boolean(value) => value.into(),
        Yaml::Integer(value) => value.into(),
        Yaml::Real(text) => {
            let number: Option<f64> = text.parse().ok();
            number.map_or_else(|| text.into(), |number| json!(number))
        }
        Yaml::String(text) => text.into(),
        Yaml::Array(items) => items
            .into_iter()
            .map(json_of)
            .collect::<Result<Vec<Value>, String>>()?
            .into(),
        Yaml::Hash(members) => members
            .into_iter()
            .map(|(name, value)| match name {
                Yaml::String(name) => Ok((name, json_of(value)?)),
                other => Err(format!("the key {other:?} is no string")),
            })
            .collect::<Result<Map<String, Value>, String>>()?
            .into(),
        Yaml::Alias(_) | Yaml::BadValue => return Err("a node can't be read".into()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_taken_out_in_both_forms() {
        for text in [
            r#"{"agent": "a", "secrets": {"KEY": {"value": "hush"}}}"#,
            r#"{"spec": {"secrets": [{"name": "KEY", "source": "tenantSecret", "value": "hush"}]}}"#,
            "agent: a\nsecrets:\n  KEY:\n    value: hush\n",
        ] {
            let manifest = Manifest::read(text).unwrap();
            assert_eq!(manifest.secrets["KEY"], "hush");
            assert!(!manifest.shown.to_string().contains("hush"), "{text}");
            assert_eq!(
                manifest.credentials,
                [json!({"name": "KEY", "source": "tenantSecret"})]
            );
        }
    }

    #[test]
    fn what_is_no_manifest_is_refused() {
        for text in [
            "",
            "agent: [",
            "agent",
            "1: a\nagent: b",
            "agent: a\n---\nagent: b",
            "[]",
            "{}",
            r#"{"agent": "a", "metadata": {"labels": {"a": 1}}}"#,
        ] {
            assert!(Manifest::read(text).is_err(), "{text}");
        }
    }
}
