//! What a provider reports of an object that nobody here specified.

use serde_json::Value;

use super::marks::{Mark, secret_refs};
use super::schema::SpecSchema;
use super::{Spec, check_size};
use crate::input::InputError;

impl SpecSchema {
    /// The fields of the schema in what a provider reports, without what stands at places of secrets:
    /// there a tenant writes references, and a value is nobody's to see.
    #[must_use]
    pub fn shown(&self, found: &Spec) -> Spec {
        let fields = self.as_json().get("properties");
        let mut shown: Spec = found
            .iter()
            .filter(|(field, _)| fields.is_some_and(|fields| fields.get(*field).is_some()))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        let secrets: Vec<String> = self
            .marked(&shown, Mark::Secret)
            .into_iter()
            .map(|(pointer, _)| pointer)
            .collect();
        for pointer in &secrets {
            remove(&mut shown, pointer);
        }
        shown
    }

    /// What a provider reports, as the spec of its object.
    ///
    /// # Errors
    /// Where it is none that the schema takes.
    pub fn reported(&self, found: &Spec) -> Result<Spec, Vec<InputError>> {
        let shown = self.shown(found);
        check_size(&shown).map_err(|error| vec![error])?;
        if let Some((pointer, _)) = secret_refs(&shown).into_iter().next() {
            return Err(vec![InputError::new(
                format!("/spec{pointer}"),
                "reads like a SecretRef, which no provider has to say",
            )]);
        }
        self.validate(&shown)?;
        Ok(shown)
    }
}

/// Takes out the member at a pointer. An item of a list takes its list along: without it the others
/// would stand in places that are not theirs.
fn remove(spec: &mut Spec, pointer: &str) {
    let mut path: Vec<String> = pointer
        .split('/')
        .skip(1)
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    while let Some(last) = path.pop() {
        if path.is_empty() {
            spec.remove(&last);
            return;
        }
        match parent(spec, &path) {
            Some(Value::Object(members)) => {
                members.remove(&last);
                return;
            }
            Some(Value::Array(_)) => {}
            // Gone with its list already.
            _ => return,
        }
    }
}

fn parent<'s>(spec: &'s mut Spec, path: &[String]) -> Option<&'s mut Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(spec.get_mut(first)?, |value, part| match value {
            Value::Object(members) => members.get_mut(part),
            Value::Array(items) => items.get_mut(part.parse::<usize>().ok()?),
            _ => None,
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> SpecSchema {
        let secret = json!({"type": "string", "x-secret": true});
        SpecSchema::compile(&json!({
            "type": "object",
            "required": ["size"],
            "additionalProperties": false,
            "properties": {
                "size": {"type": "integer"},
                "token": secret,
                "keys": {"type": "array", "items": secret},
                "env": {"type": "array", "items": {"type": "object", "properties": {
                    "key": {"type": "string"}, "value": secret,
                }}},
            },
        }))
        .unwrap()
    }

    fn object(value: &Value) -> Spec {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn what_stands_at_places_of_secrets_is_left_out() {
        let found = json!({
            "size": 1, "token": "canary", "keys": ["canary", "canary"], "uuid": "u",
            "env": [{"key": "A", "value": "canary"}, {"key": "B", "value": "canary"}],
        });
        assert_eq!(
            json!(schema().reported(&object(&found)).unwrap()),
            json!({"size": 1, "env": [{"key": "A"}, {"key": "B"}]})
        );
    }

    #[test]
    fn what_the_schema_does_not_take_is_no_spec() {
        for unfit in [
            json!({}),
            json!({"size": "large"}),
            json!({"size": 1, "env": [{"key": "secret://acme/token"}]}),
            json!({"size": 1, "env": [{"key": "x".repeat(70_000)}]}),
        ] {
            assert!(schema().reported(&object(&unfit)).is_err(), "{unfit}");
        }
    }
}
