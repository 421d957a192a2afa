//! Specs: what a tenant writes about a resource, and the schema that judges it.

mod marks;
mod merge;
mod reported;
mod schema;

use serde_json::{Map, Value};

pub use marks::{Mark, secret_refs};
pub use merge::{changed_fields, merge_patch};
pub use schema::{SCHEMA_BYTES_MAX, SCHEMA_DEPTH_MAX, SchemaError, SpecSchema};

use crate::input::InputError;

/// A spec: always an object.
pub type Spec = Map<String, Value>;

/// Largest spec, in bytes of compact JSON. The contract's limit; it holds for the result of a merge.
pub const SPEC_BYTES_MAX: usize = 64 * 1024;
/// Deepest nesting of a spec.
pub const SPEC_DEPTH_MAX: usize = 32;

/// Refuses a spec that is too large or nested too deeply, before anything walks it.
///
/// # Errors
/// Names the limit that was passed.
pub fn check_size(spec: &Spec) -> Result<(), InputError> {
    if spec
        .values()
        .any(|value| deeper_than(value, SPEC_DEPTH_MAX - 1))
    {
        return Err(InputError::new(
            "/spec",
            format!("nested deeper than {SPEC_DEPTH_MAX} levels"),
        ));
    }
    let bytes = serde_json::to_vec(spec).map_or(usize::MAX, |text| text.len());
    if bytes > SPEC_BYTES_MAX {
        return Err(InputError::new(
            "/spec",
            format!("{bytes} bytes of JSON; at most {SPEC_BYTES_MAX} (64 KiB) are taken"),
        ));
    }
    Ok(())
}

/// The spec that is in force: what the tenant wrote over the defaults pinned with the row.
#[must_use]
pub fn effective(spec: &Spec, defaults: &Spec) -> Spec {
    let mut whole = defaults.clone();
    for (field, value) in spec {
        whole.insert(field.clone(), value.clone());
    }
    whole
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => {
            levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1))
        }
        Value::Object(members) => {
            levels == 0
                || members
                    .values()
                    .any(|member| deeper_than(member, levels - 1))
        }
        _ => false,
    }
}

/// One segment of a JSON Pointer, escaped.
pub(crate) fn escaped(segment: &str) -> String {
    segment.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_deep_spec_is_refused_before_it_is_walked() {
        let mut value = json!(1);
        for _ in 0..SPEC_DEPTH_MAX {
            value = json!([value]);
        }
        let spec: Spec = [("a".to_owned(), value)].into_iter().collect();
        assert!(check_size(&spec).unwrap_err().message.contains("32 levels"));
    }

    #[test]
    fn a_spec_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
        let frame = r#"{"a":""}"#.len();
        let spec = |n: usize| -> Spec {
            [("a".to_owned(), json!("x".repeat(n)))]
                .into_iter()
                .collect()
        };
        assert!(check_size(&spec(SPEC_BYTES_MAX - frame)).is_ok());
        assert!(
            check_size(&spec(SPEC_BYTES_MAX - frame + 1))
                .unwrap_err()
                .message
                .contains("65536")
        );
    }
}
