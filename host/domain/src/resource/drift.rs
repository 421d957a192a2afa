//! What the provider reports otherwise than the spec says.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::secret::SecretRef;
use crate::spec::Spec;

/// Top-level fields that the spec sets and the provider reports otherwise, as it reports them.
/// What is still to be applied is no drift.
pub(super) fn drift(wanted: &Spec, found: &Spec, unapplied: &BTreeSet<String>) -> Spec {
    found
        .iter()
        .filter(|(field, found)| {
            !unapplied.contains(*field)
                && wanted
                    .get(*field)
                    .is_some_and(|wanted| !agrees(wanted, found))
        })
        .map(|(field, found)| (field.clone(), found.clone()))
        .collect()
}

/// A provider may fill in what the spec leaves open, and it never shows a secret.
fn agrees(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => wanted.iter().all(|(key, wanted)| {
            found
                .get(key)
                .map_or(wanted.is_null(), |found| agrees(wanted, found))
        }),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len()
                && wanted
                    .iter()
                    .zip(found)
                    .all(|(wanted, found)| agrees(wanted, found))
        }
        (Value::String(text), _) if text.parse::<SecretRef>().is_ok() => true,
        (Value::Number(wanted), Value::Number(found)) => {
            wanted == found || wanted.as_f64() == found.as_f64()
        }
        (wanted, found) => wanted == found,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(wanted: Value, found: Value, unapplied: &[&str]) -> Value {
        let object = |value: Value| value.as_object().cloned().unwrap();
        let unapplied = unapplied.iter().map(|field| (*field).to_owned()).collect();
        Value::Object(drift(&object(wanted), &object(found), &unapplied))
    }

    #[test]
    fn another_value_is_drift_and_a_field_of_the_providers_own_is_not() {
        let found = of(
            json!({"size": 1, "tag": "a"}),
            json!({"size": 2, "tag": "a", "uuid": "u"}),
            &[],
        );
        assert_eq!(found, json!({"size": 2}));
    }

    #[test]
    fn what_is_still_to_be_applied_is_no_drift() {
        assert_eq!(
            of(json!({"size": 1}), json!({"size": 2}), &["size"]),
            json!({})
        );
    }

    #[test]
    fn a_member_that_the_provider_fills_in_is_no_drift() {
        let wanted = json!({"service": [{"name": "web", "port": 80}]});
        let found = json!({"service": [{"name": "web", "port": 80.0, "cpu": "shared"}]});
        assert_eq!(of(wanted, found, &[]), json!({}));
    }

    #[test]
    fn an_encrypted_echo_of_a_secret_is_no_drift() {
        let wanted = json!({"env": [{"key": "TOKEN", "value": "secret://acme/token"}]});
        let found = json!({"env": [{"key": "TOKEN", "value": "EV[1:abc]"}]});
        assert_eq!(of(wanted, found, &[]), json!({}));
    }
}
