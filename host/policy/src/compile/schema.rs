//! The Cedar schema, made from the vocabulary.

use std::sync::LazyLock;

use cedar_policy::Schema;
use serde_json::{Map, Value, json};

use crate::vocabulary::{Bearer, Shape};
use crate::{Action, Key, ResourceType};

/// Namespace of all our Cedar types.
pub(crate) const NAMESPACE: &str = "Berth";
/// Type of the one who acts. Another than the principals that are acted on, so that one who
/// looks at itself isn't two entities of one name.
pub(crate) const CALLER: &str = "Caller";
/// Attribute of every resource that resource patterns are compared with.
pub(crate) const RESOURCE_ID: &str = "id";

static SCHEMA: LazyLock<Result<Schema, String>> =
    LazyLock::new(|| Schema::from_json_value(schema_json()).map_err(|error| error.to_string()));

/// The schema; an error only if the vocabulary itself is wrong.
pub(crate) fn schema() -> Result<&'static Schema, &'static str> {
    SCHEMA.as_ref().map_err(String::as_str)
}

fn schema_json() -> Value {
    let mut entity_types = Map::new();
    let caller = attributes(|key| key.bearer() == Bearer::Principal);
    entity_types.insert(CALLER.to_owned(), json!({"shape": record(caller)}));
    for kind in ResourceType::ALL {
        let mut own =
            attributes(|key| matches!(key.bearer(), Bearer::Resource(on) if on.contains(kind)));
        own.insert(
            RESOURCE_ID.to_owned(),
            json!({"type": "String", "required": true}),
        );
        entity_types.insert(kind.entity_type().to_owned(), json!({"shape": record(own)}));
    }
    let mut actions = Map::new();
    for action in Action::ALL {
        let on: Vec<_> = action
            .resource_types()
            .iter()
            .map(|kind| kind.entity_type())
            .collect();
        let context = attributes(|key| key.bearer() == Bearer::Context);
        let applies = json!({
            "principalTypes": [CALLER],
            "resourceTypes": on,
            "context": record(context),
        });
        actions.insert(action.as_str().to_owned(), json!({"appliesTo": applies}));
    }
    json!({NAMESPACE: {"entityTypes": entity_types, "actions": actions}})
}

fn record(attributes: Map<String, Value>) -> Value {
    json!({"type": "Record", "attributes": attributes})
}

fn attributes(chosen: impl Fn(Key) -> bool) -> Map<String, Value> {
    Key::ALL
        .iter()
        .filter(|key| chosen(**key))
        .map(|key| (key.attribute().to_owned(), attribute(*key)))
        .collect()
}

fn attribute(key: Key) -> Value {
    let required = key.is_always_there();
    match key.shape() {
        Shape::Text => json!({"type": "String", "required": required}),
        Shape::Texts => {
            json!({"type": "Set", "element": {"type": "String"}, "required": required})
        }
        Shape::Number | Shape::Moment => json!({"type": "Long", "required": required}),
        Shape::Bool => json!({"type": "Boolean", "required": required}),
        Shape::Address => {
            json!({"type": "Extension", "name": "ipaddr", "required": required})
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_vocabulary_makes_a_schema() {
        assert_eq!(super::schema().err(), None);
    }
}
