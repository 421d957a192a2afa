//! Writes the JSON Schemas of a plugin's specs while the plugin is built.
//!
//! ```no_run
//! // build.rs
//! # use schemars::JsonSchema;
//! # #[derive(JsonSchema)] struct Bucket { region: String }
//! fn main() -> std::io::Result<()> {
//!     berth_sdk_build::Schemas::new()?
//!         .spec::<Bucket>("acme.bucket")?;
//!     Ok(())
//! }
//! ```
//! and in the plugin `berth_sdk::schema!("acme.bucket")` is that text.

use std::path::PathBuf;
use std::{env, fs, io};

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::Value;

/// The schemas of one plugin, written into the build's output directory.
#[derive(Debug)]
pub struct Schemas {
    directory: PathBuf,
}

impl Schemas {
    /// Inside a build script. Fails where `OUT_DIR` is not set.
    pub fn new() -> io::Result<Self> {
        let directory = env::var_os("OUT_DIR")
            .ok_or_else(|| io::Error::other("OUT_DIR is not set: call this from a build script"))?;
        Ok(Self {
            directory: directory.into(),
        })
    }

    /// Writes the schema of a kind's spec type, for `berth_sdk::schema!(kind)`.
    pub fn spec<T: JsonSchema>(self, kind: &str) -> io::Result<Self> {
        fs::write(
            self.directory.join(format!("{kind}.schema.json")),
            schema_text::<T>(),
        )?;
        Ok(self)
    }
}

/// The schema of a spec type, as the host takes it: JSON Schema 2020-12, one self-contained
/// document with every annotation at its own place (nothing behind a reference, save recursive
/// types), and a field that may be left out does not take `null` as well.
pub fn schema_text<T: JsonSchema>() -> String {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    NoNull.transform(&mut schema);
    PlainEnum.transform(&mut schema);
    // The name of a Rust type means nothing to a tenant.
    schema.remove("title");
    schema.to_value().to_string()
}

/// Takes back the `null` that `Option` adds: in a spec a field is there or it is not.
struct NoNull;

impl Transform for NoNull {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::Array(types)) = schema.get_mut("type") {
            types.retain(|name| name != "null");
            if let [only] = types.as_slice() {
                let only = only.clone();
                schema.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        if let Some(Value::Array(branches)) = schema.get_mut("anyOf") {
            branches.retain(|branch| branch != &serde_json::json!({"type": "null"}));
            if let [Value::Object(only)] = branches.as_slice() {
                let only = only.clone();
                schema.remove("anyOf");
                for (key, value) in only {
                    // What is said at the field goes before what is said at its type.
                    if schema.get(&key).is_none() {
                        schema.insert(key, value);
                    }
                }
            }
        }
        // Rust's widths ("uint32") are no formats of JSON Schema.
        if schema
            .get("format")
            .and_then(Value::as_str)
            .is_some_and(|format| {
                format.starts_with("int")
                    || format.starts_with("uint")
                    || format == "double"
                    || format == "float"
            })
        {
            schema.remove("format");
        }
        transform_subschemas(self, schema);
    }
}

/// Writes a choice of documented words as the plain list of them: its errors then say what may
/// stand there instead of "none of the branches fits".
struct PlainEnum;

impl Transform for PlainEnum {
    fn transform(&mut self, schema: &mut Schema) {
        let words = schema
            .get("oneOf")
            .and_then(Value::as_array)
            .and_then(|branches| {
                branches
                    .iter()
                    .map(|branch| branch.get("const").filter(|word| word.is_string()).cloned())
                    .collect::<Option<Vec<Value>>>()
            });
        if let Some(words) = words {
            schema.remove("oneOf");
            schema.insert("type".to_owned(), Value::from("string"));
            schema.insert("enum".to_owned(), Value::from(words));
        }
        transform_subschemas(self, schema);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema is used")]
    #[serde(deny_unknown_fields)]
    struct Spec {
        /// Where it lives.
        region: String,
        #[schemars(range(min = 1, max = 3))]
        nodes: Option<u8>,
        #[schemars(extend("x-account-wide" = true))]
        vpc: Option<String>,
        tier: Option<Tier>,
        keys: Vec<Key>,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema is used")]
    #[serde(rename_all = "lowercase")]
    enum Tier {
        /// Little.
        Small,
        /// Much.
        Large,
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only the schema is used")]
    #[serde(deny_unknown_fields)]
    struct Key {
        #[schemars(extend("x-secret" = true))]
        secret: String,
    }

    #[test]
    fn a_schema_is_inline_closed_without_null_and_keeps_its_annotations() {
        let schema: Value = serde_json::from_str(&schema_text::<Spec>()).unwrap();
        insta::assert_json_snapshot!(schema);
    }
}
