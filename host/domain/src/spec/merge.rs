//! How an update is laid over a stored spec.

use serde_json::{Map, Value};

use super::Spec;

/// JSON Merge Patch (RFC 7396) of two objects: `null` removes, objects merge, all else replaces.
#[must_use]
pub fn merge_patch(stored: &Spec, patch: &Spec) -> Spec {
    let mut merged = stored.clone();
    lay_over(&mut merged, patch);
    merged
}

fn lay_over(target: &mut Spec, patch: &Spec) {
    for (field, change) in patch {
        match change {
            Value::Null => {
                target.remove(field);
            }
            Value::Object(members) => {
                let slot = target
                    .entry(field.clone())
                    .or_insert_with(|| Value::Object(Map::new()));
                if !slot.is_object() {
                    *slot = Value::Object(Map::new());
                }
                if let Value::Object(inner) = slot {
                    lay_over(inner, members);
                }
            }
            other => {
                target.insert(field.clone(), other.clone());
            }
        }
    }
}

/// Top-level fields in which two specs differ, in order.
#[must_use]
pub fn changed_fields(before: &Spec, after: &Spec) -> Vec<String> {
    let mut fields: Vec<String> = before
        .iter()
        .filter(|(field, value)| after.get(*field) != Some(value))
        .map(|(field, _)| field.clone())
        .chain(
            after
                .keys()
                .filter(|field| !before.contains_key(*field))
                .cloned(),
        )
        .collect();
    fields.sort();
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn object(value: Value) -> Spec {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn the_examples_of_the_standard_hold() {
        for (stored, patch, result) in [
            (json!({"a": "b"}), json!({"a": "c"}), json!({"a": "c"})),
            (
                json!({"a": "b", "b": "c"}),
                json!({"a": null}),
                json!({"b": "c"}),
            ),
            (json!({"a": ["b"]}), json!({"a": "c"}), json!({"a": "c"})),
            (
                json!({"a": {"b": "c"}}),
                json!({"a": {"b": "d", "c": null}}),
                json!({"a": {"b": "d"}}),
            ),
            (
                json!({"a": [{"b": "c"}]}),
                json!({"a": [1]}),
                json!({"a": [1]}),
            ),
            (
                json!({}),
                json!({"a": {"bb": {"ccc": null}}}),
                json!({"a": {"bb": {}}}),
            ),
        ] {
            assert_eq!(
                Value::Object(merge_patch(&object(stored), &object(patch))),
                result
            );
        }
    }

    proptest! {
        #[test]
        fn a_patch_laid_twice_changes_nothing_more(a in 0..4_i32, b in 0..4_i32, drop: bool) {
            let stored = object(json!({"x": a, "y": {"z": a}}));
            let patch = object(json!({"y": {"z": b}, "x": if drop { Value::Null } else { json!(b) }}));
            let once = merge_patch(&stored, &patch);
            prop_assert_eq!(merge_patch(&once, &patch), once.clone());
            prop_assert!(changed_fields(&once, &once).is_empty());
            prop_assert_eq!(changed_fields(&stored, &once), changed_fields(&once, &stored));
        }
    }
}
