//! The digest of an input, the same however its members were ordered.

use berth_domain::spec::Spec;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256, in hex, over a method's name and its input as canonical JSON: members in the order of
/// their names, no white space.
pub(crate) fn digest(method: &str, input: &Value) -> String {
    let mut hash = Sha256::new();
    hash.update((method.len() as u64).to_be_bytes());
    hash.update(method.as_bytes());
    let mut text = String::new();
    write(input, &mut text);
    hash.update(text.as_bytes());
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            text.push('{');
            for (index, (name, member)) in sorted(members).into_iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(&Value::String(name.clone()).to_string());
                text.push(':');
                write(member, text);
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(item, text);
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn sorted(members: &Spec) -> Vec<(&String, &Value)> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(text: &str) -> Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_order_of_members_does_not_matter_and_everything_else_does() {
        let one = parse(r#"{"a": {"x": 1, "y": [1, 2]}, "b": "t"}"#);
        let same = parse(r#"{"b": "t", "a": {"y": [1, 2], "x": 1}}"#);
        assert_eq!(digest("create", &one), digest("create", &same));
        for other in [
            json!({"a": {"x": 1, "y": [2, 1]}, "b": "t"}),
            json!({"a": {"x": "1", "y": [1, 2]}, "b": "t"}),
            json!({"a": {"x": 1, "y": [1, 2]}, "b": "t", "c": null}),
        ] {
            assert_ne!(digest("create", &one), digest("create", &other));
        }
        assert_ne!(digest("create", &one), digest("adopt", &one));
    }
}
