//! The derive that spec types see inside a plugin.
//!
//! A plugin's spec types are compiled twice: by its build script, where `JsonSchema` is that of
//! `schemars` and writes the schema, and into the component, where `JsonSchema` is this one and
//! writes nothing. So the same source carries its schema without carrying the code that derives it.

use proc_macro::TokenStream;

/// Accepts `#[derive(JsonSchema)]` and its `#[schemars(…)]` attributes and expands to nothing.
#[proc_macro_derive(JsonSchema, attributes(schemars))]
pub fn json_schema(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}
