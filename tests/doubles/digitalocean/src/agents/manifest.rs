//! Manifests of agents: what is kept of one, and what is shown.
//!
//! The provider reads YAML 1.2; this double reads what of it is JSON.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

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
        let mut shown: Map<String, Value> = serde_json::from_str(text).map_err(|error| {
            ApiError::bad_request(format!(
                "manifest_yaml: it is no JSON object, which is all of YAML that this double reads: {error}"
            ))
        })?;
        if !shown.contains_key("agent") && !shown.contains_key("spec") {
            return Err(ApiError::bad_request(
                "manifest_yaml: it has neither `agent` nor `spec`",
            ));
        }
        if let Some(labels) = shown.get("metadata").and_then(|all| all.get("labels")) {
            check_labels(labels)?;
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

fn check_labels(labels: &Value) -> Result<(), ApiError> {
    let right = labels
        .as_object()
        .is_some_and(|labels| labels.values().all(Value::is_string));
    if right {
        return Ok(());
    }
    Err(ApiError::bad_request(
        "manifest_yaml: `metadata.labels` must be an object of strings",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_secrets_are_taken_out_in_both_forms() {
        for text in [
            r#"{"agent": "a", "secrets": {"KEY": {"value": "hush"}}}"#,
            r#"{"spec": {"secrets": [{"name": "KEY", "source": "tenantSecret", "value": "hush"}]}}"#,
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
            "agent: a",
            "[]",
            "{}",
            r#"{"agent": "a", "metadata": {"labels": {"a": 1}}}"#,
        ] {
            assert!(Manifest::read(text).is_err(), "{text}");
        }
    }
}
