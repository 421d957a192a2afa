//! Which versions of the spec's secrets the provider was given.
//!
//! A spec names secrets by reference, so a new version of one changes no spec, and no provider shows
//! which version it has. What was given is remembered with the row and compared with the store.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::secret::SecretRef;
use crate::spec::Spec;

/// Versions by reference.
pub type SecretVersions = BTreeMap<SecretRef, u64>;

/// The secrets that a spec names, each with its top-level field.
#[must_use]
pub fn secrets_named(spec: &Spec) -> Vec<(&str, SecretRef)> {
    fn collect(value: &Value, found: &mut Vec<SecretRef>) {
        match value {
            Value::String(text) => found.extend(text.parse().ok()),
            Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
            Value::Object(members) => members.values().for_each(|member| collect(member, found)),
            _ => {}
        }
    }
    let mut named = Vec::new();
    for (field, value) in spec {
        let mut found = Vec::new();
        collect(value, &mut found);
        named.extend(
            found
                .into_iter()
                .map(|reference| (field.as_str(), reference)),
        );
    }
    named
}

/// Fields that name a secret of which the store has a newer version than the provider was given.
pub(super) fn renewed(spec: &Spec, given: &SecretVersions, stored: &SecretVersions) -> Vec<String> {
    secrets_named(spec)
        .into_iter()
        .filter(|(_, reference)| stored.get(reference) > given.get(reference))
        .map(|(field, _)| field.to_owned())
        .collect()
}

/// The versions that a write of these fields gives.
pub(super) fn of_fields(
    spec: &Spec,
    stored: &SecretVersions,
    is_written: impl Fn(&str) -> bool,
) -> SecretVersions {
    secrets_named(spec)
        .into_iter()
        .filter(|(field, _)| is_written(field))
        .filter_map(|(_, reference)| {
            let version = *stored.get(&reference)?;
            Some((reference, version))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_newer_version_renews_its_field() {
        let spec = json!({"a": [{"env": "secret://t/x"}], "b": "secret://t/y", "c": 1});
        let spec = spec.as_object().unwrap();
        let versions = |x: u64, y: u64| {
            SecretVersions::from([
                ("secret://t/x".parse().unwrap(), x),
                ("secret://t/y".parse().unwrap(), y),
            ])
        };
        assert_eq!(renewed(spec, &versions(1, 1), &versions(2, 1)), ["a"]);
        assert_eq!(renewed(spec, &versions(2, 2), &versions(2, 1)), [""; 0]);
        // One that was destroyed meanwhile is nothing newer.
        assert_eq!(
            renewed(spec, &versions(1, 1), &SecretVersions::new()),
            [""; 0]
        );
        let of_b = of_fields(spec, &versions(3, 4), |field| field == "b");
        assert_eq!(of_b.into_values().collect::<Vec<_>>(), [4]);
    }
}
