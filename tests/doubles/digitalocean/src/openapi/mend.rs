//! Where the official document is behind the API that it describes.

use serde_json::{Value, json};

/// Adds to the document what the provider's own clients rely on:
///
/// - `database` as a type of resource that a tag can be put on;
/// - apps among the resources that a project can hold.
pub(crate) fn mend(document: &mut Value) {
    let types = document.pointer_mut(
        "/components/schemas/tags_resource/properties/resources/items/properties/resource_type/enum",
    );
    if let Some(Value::Array(types)) = types {
        types.push(json!("database"));
    }
    if let Some(Value::String(pattern)) = document.pointer_mut("/components/schemas/urn/pattern") {
        *pattern = pattern.replace("(dbaas|", "(dbaas|app|");
    }
}
