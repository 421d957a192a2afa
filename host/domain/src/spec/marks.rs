//! Annotations in a kind's schema: which values of a spec are secrets, reach account-wide objects,
//! or name the tenant's instances and networks.

use std::collections::HashSet;

use serde_json::Value;

use super::{Spec, escaped};
use crate::secret::SecretRef;

/// An annotation that the host enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The value is a SecretRef of the tenant.
    Secret,
    /// The value reaches objects of the whole account.
    AccountWide,
    /// The value is an instance's id.
    Instances,
    /// The value is a network's id.
    Networks,
}

impl Mark {
    /// The keyword in a schema.
    #[must_use]
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Secret => "x-secret",
            Self::AccountWide => "x-account-wide",
            Self::Instances => "x-instances",
            Self::Networks => "x-networks",
        }
    }
}

pub(super) fn marked<'s>(schema: &Value, spec: &'s Spec, mark: Mark) -> Vec<(String, &'s Value)> {
    let mut walk = Walk {
        root: schema,
        keyword: mark.keyword(),
        found: Vec::new(),
        seen: HashSet::new(),
    };
    walk.members(schema, spec, "");
    walk.root_applicators(schema, spec);
    let mut found = walk.found;
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found
}

pub(super) fn places(schema: &Value, mark: Mark) -> Vec<String> {
    fn descend(value: &Value, keyword: &str, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                if members.get(keyword) == Some(&Value::Bool(true)) {
                    found.push(at.to_owned());
                }
                for (key, member) in members {
                    descend(member, keyword, &format!("{at}/{}", escaped(key)), found);
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    descend(item, keyword, &format!("{at}/{index}"), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    descend(schema, mark.keyword(), "", &mut found);
    found
}

/// Every string of a spec that is, whole, a SecretRef: its pointer and the reference.
#[must_use]
pub fn secret_refs(spec: &Spec) -> Vec<(String, SecretRef)> {
    fn descend(value: &Value, at: String, found: &mut Vec<(String, SecretRef)>) {
        match value {
            Value::String(text) => {
                if let Ok(reference) = text.parse() {
                    found.push((at, reference));
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    descend(item, format!("{at}/{index}"), found);
                }
            }
            Value::Object(members) => {
                for (key, member) in members {
                    descend(member, format!("{at}/{}", escaped(key)), found);
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (field, value) in spec {
        descend(value, format!("/{}", escaped(field)), &mut found);
    }
    found
}

struct Walk<'r, 's> {
    root: &'r Value,
    keyword: &'static str,
    found: Vec<(String, &'s Value)>,
    /// Pairs of schema and value that were walked: a schema that refers to itself ends here, and
    /// no schema makes the walk longer than its size times the spec's.
    seen: HashSet<(*const Value, *const Value)>,
}

impl<'r, 's> Walk<'r, 's> {
    fn value(&mut self, schema: &'r Value, value: &'s Value, at: &str) {
        if !self
            .seen
            .insert((std::ptr::from_ref(schema), std::ptr::from_ref(value)))
        {
            return;
        }
        if schema.get(self.keyword) == Some(&Value::Bool(true)) {
            match value {
                Value::Array(items) => {
                    for (index, item) in items.iter().enumerate() {
                        self.found.push((format!("{at}/{index}"), item));
                    }
                }
                other => self.found.push((at.to_owned(), other)),
            }
        }
        match value {
            Value::Object(members) => self.members(schema, members, at),
            Value::Array(items) => self.items(schema, items, at),
            _ => {}
        }
        for inner in self.applicators(schema, Some(value)) {
            self.value(inner, value, at);
        }
    }

    fn members(&mut self, schema: &'r Value, members: &'s Spec, at: &str) {
        for (key, member) in members {
            let place = format!("{at}/{}", escaped(key));
            let own = schema
                .get("properties")
                .and_then(|properties| properties.get(key));
            if let Some(inner) = own.or_else(|| schema.get("additionalProperties")) {
                self.value(inner, member, &place);
            }
            if let Some(Value::Object(patterns)) = schema.get("patternProperties") {
                // Whether the pattern matches does not matter: a mark may only be found too often.
                for inner in patterns.values() {
                    self.value(inner, member, &place);
                }
            }
        }
    }

    fn items(&mut self, schema: &'r Value, items: &'s [Value], at: &str) {
        for (index, item) in items.iter().enumerate() {
            let prefixed = schema
                .get("prefixItems")
                .and_then(|prefix| prefix.get(index));
            if let Some(inner) = prefixed.or_else(|| schema.get("items")) {
                self.value(inner, item, &format!("{at}/{index}"));
            }
        }
    }

    /// The spec itself is a map, not a value: what applies to the whole of it is walked here.
    fn root_applicators(&mut self, schema: &'r Value, spec: &'s Spec) {
        let mut waiting = self.applicators(schema, None);
        let mut walked: HashSet<*const Value> = HashSet::from([std::ptr::from_ref(schema)]);
        while let Some(inner) = waiting.pop() {
            if walked.insert(std::ptr::from_ref(inner)) {
                self.members(inner, spec, "");
                waiting.extend(self.applicators(inner, None));
            }
        }
    }

    /// Schemas that apply to the same value. A branch of a union whose `const` or `enum` members
    /// contradict the value is passed over, so that only the variant that was written is walked.
    fn applicators(&self, schema: &'r Value, value: Option<&Value>) -> Vec<&'r Value> {
        let reference = schema
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|text| self.resolve(text));
        let unions = ["allOf", "anyOf", "oneOf"]
            .into_iter()
            .filter_map(|key| schema.get(key).and_then(Value::as_array))
            .flatten()
            .filter(|branch| !value.is_some_and(|value| self.contradicts(branch, value)));
        let conditions = ["if", "then", "else"]
            .into_iter()
            .filter_map(|key| schema.get(key));
        reference
            .into_iter()
            .chain(unions)
            .chain(conditions)
            .collect()
    }

    fn resolve(&self, reference: &str) -> Option<&'r Value> {
        self.root.pointer(reference.strip_prefix('#')?)
    }

    fn contradicts(&self, branch: &Value, value: &Value) -> bool {
        let branch = branch
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|text| self.root.pointer(text.strip_prefix('#')?))
            .unwrap_or(branch);
        let (Some(Value::Object(properties)), Value::Object(members)) =
            (branch.get("properties"), value)
        else {
            return false;
        };
        properties.iter().any(|(name, schema)| {
            members.get(name).is_some_and(|member| {
                schema.get("const").is_some_and(|only| only != member)
                    || schema
                        .get("enum")
                        .and_then(Value::as_array)
                        .is_some_and(|all| !all.contains(member))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn pointers(schema: &Value, spec: &Value) -> Vec<String> {
        marked(schema, spec.as_object().unwrap(), Mark::Secret)
            .into_iter()
            .map(|(at, _)| at)
            .collect()
    }

    #[test]
    fn marks_are_found_through_references_arrays_and_maps() {
        let schema = json!({
            "type": "object",
            "properties": {
                "token": {"type": "string", "x-secret": true},
                "envs": {"type": "array", "items": {"$ref": "#/$defs/env"}},
                "headers": {"type": "object", "additionalProperties": {"type": "string", "x-secret": true}}
            },
            "$defs": {"env": {"type": "object", "properties": {"value": {"type": "string", "x-secret": true}}}}
        });
        let spec = json!({"token": "a", "envs": [{"value": "b"}, {"key": "c"}], "headers": {"x/y": "d"}, "other": "e"});
        assert_eq!(
            pointers(&schema, &spec),
            ["/envs/0/value", "/headers/x~1y", "/token"]
        );
    }

    #[test]
    fn only_the_variant_that_was_written_is_marked() {
        let schema = json!({
            "type": "object",
            "properties": {"env": {"oneOf": [
                {"properties": {"type": {"const": "SECRET"}, "value": {"x-secret": true}}},
                {"properties": {"type": {"const": "GENERAL"}, "value": {}}}
            ]}}
        });
        assert_eq!(
            pointers(&schema, &json!({"env": {"type": "SECRET", "value": "v"}})),
            ["/env/value"]
        );
        assert!(pointers(&schema, &json!({"env": {"type": "GENERAL", "value": "v"}})).is_empty());
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"type": "object", "$ref": "#", "properties": {"a": {"$ref": "#"}, "s": {"x-secret": true}}});
        assert_eq!(
            pointers(&schema, &json!({"a": {"a": {"s": "v"}}})),
            ["/a/a/s"]
        );
    }

    #[test]
    fn references_are_found_wherever_they_stand() {
        let spec = json!({"a": ["secret://t/x", "secret://t/x and more"]});
        let found = secret_refs(spec.as_object().unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "/a/0");
    }
}
