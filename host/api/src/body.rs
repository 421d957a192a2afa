//! Bodies, parsed strictly: one JSON object, no duplicate keys, no unknown fields, every fault with its path.

use std::fmt;

use berth_service::ServiceError;
use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

/// Parses a body into a method's input.
///
/// # Errors
/// `INVALID_INPUT` with the JSON Pointer of the fault and what would be right.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ServiceError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ServiceError::invalid(
            "",
            "the body is empty; send a JSON object, `{}` if there is nothing to say",
        )
        .reason("body"));
    }
    let Strict(value) = serde_json::from_slice(bytes).map_err(not_json)?;
    if !value.is_object() {
        return Err(ServiceError::invalid("", "the body must be a JSON object").reason("body"));
    }
    serde_path_to_error::deserialize(value).map_err(|error| misfit(&error))
}

fn not_json(error: serde_json::Error) -> ServiceError {
    let text = error.to_string();
    let message = match text.strip_prefix(DUPLICATE) {
        Some(key) => format!("the body names a key twice:{}", without_position(key)),
        None if text.starts_with(INEXACT) => format!(
            "the body has a number too large to be kept exactly (line {}); send it as a string",
            error.line()
        ),
        None if text.contains("recursion limit") => {
            "the body is nested deeper than 128 levels".to_owned()
        }
        None => format!(
            "the body is not JSON (line {}, column {})",
            error.line(),
            error.column()
        ),
    };
    ServiceError::invalid("", message).reason("body")
}

fn without_position(text: &str) -> &str {
    text.split(" at line ").next().unwrap_or(text)
}

/// How much of a name that a caller made up is repeated.
const NAME_SHOWN_MAX: usize = 64;
const POINTER_SHOWN_MAX: usize = 512;

/// Turns serde's words into a pointer and a message that repeats no value of the caller's.
fn misfit(error: &serde_path_to_error::Error<serde_json::Error>) -> ServiceError {
    let text = error.inner().to_string();
    let mut field = pointer(error.path());
    let message = if let Some(name) = between_ticks(&text, "unknown field `") {
        let name: String = name.chars().take(NAME_SHOWN_MAX).collect();
        field = field.chars().take(POINTER_SHOWN_MAX).collect();
        if !field.ends_with(&format!("/{name}")) {
            field = format!("{field}/{name}");
        }
        let expected = text.split_once("`, ").map_or("", |(_, rest)| rest);
        format!("unknown field; {expected}")
    } else if let Some(name) = between_ticks(&text, "missing field `") {
        field = format!("{field}/{name}");
        "required, but missing".to_owned()
    } else {
        mask_values(&text)
    };
    ServiceError::invalid(field, message)
}

fn between_ticks<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    text.strip_prefix(start)?.split('`').next()
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut pointer, segment| {
        match segment {
            Segment::Map { key } => {
                pointer.push_str(&format!("/{}", key.replace('~', "~0").replace('/', "~1")))
            }
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
        pointer
    })
}

/// `invalid type: string "hunter2", expected u32` becomes `invalid type: a string, expected u32`.
fn mask_values(text: &str) -> String {
    let Some((head, expected)) = text.rsplit_once(", expected ") else {
        return text.to_owned();
    };
    let Some((what, found)) = head.split_once(": ") else {
        return text.to_owned();
    };
    let sort = found.split([' ', '`', '"']).next().unwrap_or("value");
    if what.starts_with("invalid") {
        format!("{what}: found {sort}, expected {expected}")
    } else {
        text.to_owned()
    }
}

const DUPLICATE: &str = "duplicate key";
const INEXACT: &str = "inexact number";
/// From 2^53 on a float no longer tells neighbouring integers apart.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A JSON value in which no object names a key twice: which of the two counts is not ours to guess.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(value.into()))
    }

    /// An integer that does not fit arrives as a float as well: it must not be stored as another number.
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Strict, E> {
        if value.abs() >= EXACT_MAX {
            return Err(E::custom(INEXACT));
        }
        if value.fract() == 0.0 {
            #[expect(clippy::cast_possible_truncation, reason = "integral and below 2^53")]
            return Ok(Strict((value as i64).into()));
        }
        Ok(Strict(
            serde_json::Number::from_f64(value).map_or(Value::Null, Value::Number),
        ))
    }

    fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
        Ok(Strict(Value::String(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Strict, E> {
        Ok(Strict(Value::String(value)))
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
        let mut array = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Strict(Value::Array(array)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Strict, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            let Strict(value) = members.next_value()?;
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!(
                    "{DUPLICATE} `{}`",
                    key.chars().take(64).collect::<String>()
                )));
            }
            object.insert(key, value);
        }
        Ok(Strict(Value::Object(object)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    #[expect(dead_code, reason = "only its parsing is looked at")]
    struct Input {
        tenant_id: berth_domain::id::TenantId,
        #[serde(default)]
        spec: Map<String, Value>,
        #[serde(default)]
        count: u32,
    }

    fn fault(body: &str) -> String {
        let error = parse::<Input>(body.as_bytes()).unwrap_err();
        format!(
            "{} | {}",
            error
                .details
                .get("field")
                .and_then(Value::as_str)
                .unwrap_or("?"),
            error.message
        )
    }

    #[test]
    fn every_fault_names_its_place_and_what_would_be_right() {
        let faults = [
            "",
            "{",
            "[1]",
            "nope",
            "{\"tenantId\": \"a\", \"tenantId\": \"b\"}",
            "{}",
            "{\"tenantId\": \"a b\"}",
            "{\"tenantId\": \"a\", \"tenant\": 1}",
            "{\"tenantId\": \"a\", \"count\": \"hunter2\"}",
            "{\"tenantId\": \"a\", \"count\": -1}",
            "{\"tenantId\": \"a\", \"spec\": {\"x\": {\"y\": 1, \"y\": 2}}}",
        ]
        .map(fault);
        insta::assert_debug_snapshot!(faults);
    }

    #[test]
    fn a_body_nested_without_end_is_refused() {
        let deep = format!(
            "{{\"tenantId\":\"a\",\"spec\":{}1{}}}",
            "{\"a\":".repeat(5_000),
            "}".repeat(5_000)
        );
        assert!(fault(&deep).contains("128 levels"));
    }

    #[test]
    fn a_number_that_would_be_stored_as_another_is_refused() {
        assert!(
            fault("{\"tenantId\": \"a\", \"spec\": {\"n\": 12345678901234567890123}}")
                .contains("too large to be kept exactly")
        );
        let input: Input = parse(b"{\"tenantId\": \"a\", \"count\": 3.0}").unwrap();
        assert_eq!(input.count, 3);
    }

    #[test]
    fn no_fault_repeats_a_value() {
        assert!(!fault("{\"tenantId\": \"a\", \"count\": \"hunter2\"}").contains("hunter2"));
        assert!(
            !fault("{\"tenantId\": \"a\", \"spec\": \"hunter2, expected x\"}").contains("hunter2")
        );
    }
}
