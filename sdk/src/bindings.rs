//! What `wit-bindgen` makes of the provider interface. Authors use [`crate::types`].

#![expect(missing_docs, reason = "generated; the interface documents it")]

wit_bindgen::generate!({
    path: "../wit/provider-0.1.0",
    world: "provider",
    pub_export_macro: true,
    export_macro_name: "export_bindings",
    default_bindings_module: "berth_sdk::bindings",
    additional_derives: [PartialEq],
});
