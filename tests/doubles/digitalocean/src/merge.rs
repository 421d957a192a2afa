//! JSON merge patch (RFC 7396), by which the control API changes settings and objects.

use serde_json::{Map, Value};

/// Puts `patch` into `target`.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(members) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(object) = target else {
        return;
    };
    for (name, value) in members {
        if value.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name.clone()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn null_removes_and_objects_merge() {
        let mut target = json!({"a": 1, "b": {"c": 2, "d": 3}});
        super::merge(
            &mut target,
            &json!({"a": null, "b": {"c": 4}, "e": {"f": 5}}),
        );
        assert_eq!(target, json!({"b": {"c": 4, "d": 3}, "e": {"f": 5}}));
    }
}
