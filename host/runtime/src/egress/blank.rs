//! Finds places in a JSON document by pointer, and blanks what stands there.

use serde_json::Value;

/// The values at a pointer in which a segment `*` stands for every item or member.
pub(super) fn at<'v>(value: &'v Value, pointer: &str) -> Vec<&'v Value> {
    let mut found = vec![value];
    for segment in segments(pointer) {
        found = found
            .into_iter()
            .flat_map(|value| step(value, &segment))
            .collect();
    }
    found
}

fn step<'v>(value: &'v Value, segment: &str) -> Vec<&'v Value> {
    match value {
        Value::Array(items) if segment == "*" => items.iter().collect(),
        Value::Object(members) if segment == "*" => members.values().collect(),
        Value::Array(items) => segment
            .parse::<usize>()
            .ok()
            .and_then(|index| items.get(index))
            .into_iter()
            .collect(),
        Value::Object(members) => members.get(segment).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// Blanks the values at a pointer.
pub(super) fn blank_at(value: &mut Value, pointer: &str) {
    let segments: Vec<String> = segments(pointer).collect();
    descend(value, &segments);
}

fn descend(value: &mut Value, segments: &[String]) {
    let Some((segment, rest)) = segments.split_first() else {
        blank(value);
        return;
    };
    match value {
        Value::Array(items) if segment == "*" => {
            items.iter_mut().for_each(|item| descend(item, rest))
        }
        Value::Object(members) if segment == "*" => members
            .values_mut()
            .for_each(|member| descend(member, rest)),
        Value::Array(items) => {
            if let Some(item) = segment
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get_mut(index))
            {
                descend(item, rest);
            }
        }
        Value::Object(members) => {
            if let Some(member) = members.get_mut(segment) {
                descend(member, rest);
            }
        }
        _ => {}
    }
}

/// Takes the content away and leaves the shape, so that a plugin's types still read it: texts become
/// empty, numbers 0; lists and objects keep their members, blanked.
pub(super) fn blank(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::String(text) => text.clear(),
        Value::Number(number) => *number = 0.into(),
        Value::Array(items) => items.iter_mut().for_each(blank),
        Value::Object(members) => members.values_mut().for_each(blank),
    }
}

/// Every text in a value.
pub(super) fn texts<'v>(value: &'v Value, visit: &mut impl FnMut(&'v str)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, visit)),
        Value::Object(members) => members.values().for_each(|member| texts(member, visit)),
        _ => {}
    }
}

fn segments(pointer: &str) -> impl Iterator<Item = String> {
    pointer
        .split('/')
        .skip(1)
        .map(|segment| segment.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_star_reaches_every_item_and_every_member() {
        let mut value = json!({"dbs": [{"c": {"p": "one", "q": 1}}, {"c": {"p": "two"}}, {}], "m": {"a": {"k": "x"}, "b": {"k": "y"}}});
        blank_at(&mut value, "/dbs/*/c/p");
        blank_at(&mut value, "/m/*/k");
        assert_eq!(
            value,
            json!({"dbs": [{"c": {"p": "", "q": 1}}, {"c": {"p": ""}}, {}], "m": {"a": {"k": ""}, "b": {"k": ""}}})
        );
    }

    #[test]
    fn a_whole_object_keeps_its_shape() {
        let mut value = json!({"s": {"a": ["x", 5, true, null]}});
        blank_at(&mut value, "/s");
        assert_eq!(value, json!({"s": {"a": ["", 0, true, null]}}));
    }

    #[test]
    fn escapes_and_indexes_are_those_of_json_pointer() {
        let mut value = json!({"a/b": [{"~": "x"}, "keep"]});
        assert_eq!(at(&value, "/a~1b/0/~0"), [&json!("x")]);
        blank_at(&mut value, "/a~1b/0/~0");
        assert_eq!(value, json!({"a/b": [{"~": ""}, "keep"]}));
    }
}
