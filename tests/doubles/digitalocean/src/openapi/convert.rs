//! Schemas of OpenAPI 3.0 as JSON Schema 2020-12.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value, json};

const PREFIX: &str = "#/components/schemas/";

/// A schema with every other one that it refers to, all converted. In a request, members that
/// are read-only needn't be there though the schema requires them; in an answer, members that are
/// write-only.
pub(crate) fn self_contained(
    schema: &Value,
    named: &HashMap<String, Value>,
    request: bool,
) -> Value {
    let converter = Converter {
        named,
        absent: if request { "readOnly" } else { "writeOnly" },
    };
    let mut wanted = BTreeSet::new();
    let body = converter.convert(schema, &mut wanted);
    let mut definitions = Map::new();
    while let Some(name) = wanted
        .iter()
        .find(|name| !definitions.contains_key(*name))
        .cloned()
    {
        let converted = match named.get(&name) {
            Some(schema) => converter.convert(schema, &mut wanted),
            None => json!({}),
        };
        definitions.insert(name, converted);
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions,
        "allOf": [body],
    })
}

struct Converter<'a> {
    named: &'a HashMap<String, Value>,
    /// The mark of members that may be absent.
    absent: &'static str,
}

impl Converter<'_> {
    fn convert(&self, schema: &Value, wanted: &mut BTreeSet<String>) -> Value {
        let Value::Object(members) = schema else {
            return schema.clone();
        };
        if let Some(name) = reference(schema) {
            // Siblings of a reference have no meaning in OpenAPI 3.0.
            wanted.insert(name.to_owned());
            return json!({"$ref": format!("#/$defs/{name}")});
        }
        let mut converted = Map::new();
        for (key, value) in members {
            match key.as_str() {
                "type" | "enum" | "pattern" | "format" | "minLength" | "maxLength" | "minItems"
                | "maxItems" | "uniqueItems" | "minProperties" | "maxProperties" | "multipleOf" => {
                    converted.insert(key.clone(), value.clone());
                }
                "required" => {
                    converted.insert(key.clone(), self.required(value, members));
                }
                "minimum" | "maximum" => {
                    bound(&mut converted, key, value, members);
                }
                "properties" => {
                    let properties = value.as_object().into_iter().flatten();
                    let properties: Map<String, Value> = properties
                        .map(|(name, schema)| (name.clone(), self.convert(schema, wanted)))
                        .collect();
                    converted.insert(key.clone(), properties.into());
                }
                "items" | "additionalProperties" | "not" => {
                    converted.insert(key.clone(), self.convert(value, wanted));
                }
                "allOf" | "anyOf" | "oneOf" => {
                    let all = value.as_array().into_iter().flatten();
                    let all: Vec<Value> = all.map(|one| self.convert(one, wanted)).collect();
                    converted.insert(key.clone(), all.into());
                }
                // Annotations, and keywords of OpenAPI alone.
                _ => {}
            }
        }
        let converted = Value::Object(converted);
        if schema["nullable"] == true {
            return json!({"anyOf": [{"type": "null"}, converted]});
        }
        converted
    }

    /// Required members without those that may be absent on this side.
    fn required(&self, required: &Value, schema: &Map<String, Value>) -> Value {
        let names = required.as_array().into_iter().flatten();
        names
            .filter(|name| {
                let name = name.as_str().unwrap_or_default();
                let property = schema.get("properties").and_then(|all| all.get(name));
                !property.is_some_and(|property| self.may_be_absent(property, 0))
            })
            .cloned()
            .collect()
    }

    /// Whether a property is marked, itself or by what it refers to.
    fn may_be_absent(&self, property: &Value, depth: usize) -> bool {
        if depth > MAX_DEPTH {
            return false;
        }
        if property[self.absent] == true {
            return true;
        }
        if let Some(schema) = reference(property).and_then(|name| self.named.get(name)) {
            return self.may_be_absent(schema, depth + 1);
        }
        let all = property.get("allOf").and_then(Value::as_array);
        all.into_iter()
            .flatten()
            .any(|one| self.may_be_absent(one, depth + 1))
    }
}

/// References may go round in circles.
const MAX_DEPTH: usize = 8;

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(PREFIX)
}

/// A bound, which OpenAPI 3.0 makes exclusive by a flag beside it.
fn bound(
    converted: &mut Map<String, Value>,
    key: &str,
    value: &Value,
    schema: &Map<String, Value>,
) {
    let exclusive = if key == "minimum" {
        "exclusiveMinimum"
    } else {
        "exclusiveMaximum"
    };
    let is_exclusive = schema.get(exclusive) == Some(&Value::Bool(true));
    let key = if is_exclusive { exclusive } else { key };
    converted.insert(key.to_owned(), value.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn valid(schema: &Value, named: &HashMap<String, Value>, request: bool, value: &Value) -> bool {
        let converted = self_contained(schema, named, request);
        jsonschema::validator_for(&converted)
            .unwrap()
            .is_valid(value)
    }

    #[test]
    fn nullable_lets_null_in() {
        let schema = json!({"type": "string", "nullable": true, "enum": ["a"]});
        assert!(valid(&schema, &HashMap::new(), false, &Value::Null));
        assert!(valid(&schema, &HashMap::new(), false, &json!("a")));
        assert!(!valid(&schema, &HashMap::new(), false, &json!("b")));
        let strict = json!({"type": "string"});
        assert!(!valid(&strict, &HashMap::new(), false, &Value::Null));
    }

    #[test]
    fn read_only_members_are_required_in_answers_only() {
        let named = HashMap::from([
            ("id".to_owned(), json!({"type": "string", "readOnly": true})),
            (
                "thing".to_owned(),
                json!({
                    "type": "object",
                    "required": ["id", "name"],
                    "properties": {
                        "id": {"$ref": "#/components/schemas/id"},
                        "name": {"type": "string"},
                    },
                }),
            ),
        ]);
        let schema = json!({"$ref": "#/components/schemas/thing"});
        assert!(valid(&schema, &named, true, &json!({"name": "a"})));
        assert!(!valid(&schema, &named, false, &json!({"name": "a"})));
        assert!(!valid(&schema, &named, true, &json!({"id": "a"})));
    }

    #[test]
    fn circles_of_references_end() {
        let named = HashMap::from([(
            "tree".to_owned(),
            json!({
                "type": "object",
                "properties": {"below": {"$ref": "#/components/schemas/tree"}},
            }),
        )]);
        let schema = json!({"$ref": "#/components/schemas/tree"});
        assert!(valid(
            &schema,
            &named,
            false,
            &json!({"below": {"below": {}}})
        ));
        assert!(!valid(
            &schema,
            &named,
            false,
            &json!({"below": {"below": 1}})
        ));
    }

    #[test]
    fn exclusive_bounds() {
        let schema = json!({"type": "integer", "minimum": 1, "exclusiveMinimum": true});
        assert!(!valid(&schema, &HashMap::new(), false, &json!(1)));
        assert!(valid(&schema, &HashMap::new(), false, &json!(2)));
    }
}
