#![doc = include_str!("../README.md")]
#![expect(
    clippy::test_attr_in_doctest,
    reason = "the sample shows its own test, which tests/readme runs"
)]

mod adapter;
pub mod answers;
pub mod bindings;
mod call;
pub mod digest;
mod host;
pub mod http;
mod json;
mod kind;
pub mod labels;
pub mod manifest;
pub mod names;
mod observed;
pub mod paging;
pub mod polling;
mod provider;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
mod text;

pub use adapter::Adapter;
pub use berth_sdk_derive::JsonSchema;
pub use call::{Call, Check, Listing, Log};
pub use host::Host;
pub use kind::{Kind, Kinds};
pub use observed::{Listed, Observed};
pub use provider::{About, Provider};

/// The words of the provider interface, as `wit-bindgen` makes them.
pub mod types {
    pub use crate::bindings::berth::provider::types::*;
    pub use crate::bindings::berth::provider::{
        http::{HttpError, Request, Response},
        log::Level,
    };
}

/// What every call of an adapter answers with.
pub type Result<T, E = types::Error> = std::result::Result<T, E>;

/// The JSON Schema that `berth_sdk_build::Schemas` wrote for a kind.
#[macro_export]
macro_rules! schema {
    ($kind:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $kind, ".schema.json"))
    };
}

/// Makes a [`Provider`] the component's adapter. Once in a plugin's library; natively it is nothing,
/// so the same library can be tested without wasm.
#[macro_export]
macro_rules! export {
    ($provider:ty) => {
        #[cfg(target_arch = "wasm32")]
        type ExportedAdapter = $crate::Adapter<$provider>;
        #[cfg(target_arch = "wasm32")]
        $crate::bindings::export_bindings!(ExportedAdapter with_types_in $crate::bindings);
        // A native build exports nothing; the provider is in use all the same.
        #[cfg(not(target_arch = "wasm32"))]
        const _: fn() -> $crate::Kinds = <$provider as $crate::Provider>::kinds;
        #[cfg(not(target_arch = "wasm32"))]
        const _: fn() -> $crate::About = <$provider as $crate::Provider>::about;
    };
}
