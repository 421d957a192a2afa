//! From bytes to a generation: compiled, of the right world, described, its manifest valid.

mod cache;
mod generation;
mod sniff;
mod world;

use berth_domain::manifest::ManifestFault;

use crate::call::CallFailure;

pub(crate) use cache::compile;
pub use generation::{Digest, Generation};
pub(crate) use sniff::sniff;
pub use world::WorldFault;
pub(crate) use world::{check as check_world, wants_wasi};

/// Why a component can't be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Too large.
    #[error(
        "the component has {bytes} bytes; at most {limit} are taken (`runtime.limits.componentBytes`)"
    )]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// Nothing there.
    #[error("the file is empty; give a WebAssembly component")]
    Empty,
    /// Some other file.
    #[error(
        "this is no WebAssembly: it starts with {start}, a component with the bytes 00 61 73 6d"
    )]
    NotWasm {
        /// Its first bytes.
        start: String,
    },
    /// Text.
    #[error(
        "this is WebAssembly as text; give the binary form (`wasm-tools parse component.wat -o component.wasm`)"
    )]
    Text,
    /// A module, not a component.
    #[error(
        "this is a core module, not a component; make one of it (`cargo xtask` does for plugins here, elsewhere `wasm-tools component new module.wasm -o component.wasm`)"
    )]
    CoreModule,
    /// Another layer or version.
    #[error(
        "this is WebAssembly of an unknown layer or version ({0}); this host takes components (0d 00 01 00)"
    )]
    UnknownLayer(String),
    /// It does not compile.
    #[error("the component is corrupt or uses what this host does not support: {0}")]
    Corrupt(String),
    /// It has another world.
    #[error("the component does not fit the world `berth:provider/provider@0.1.0`:{}", bullets(.0))]
    World(Vec<WorldFault>),
    /// It could not say what it is.
    #[error("`describe` failed: {0}")]
    Describe(CallFailure),
    /// It breaks rules.
    #[error("the manifest breaks {} rule(s):{}", .0.len(), bullets(.0))]
    Manifest(Vec<ManifestFault>),
    /// The host failed.
    #[error("the host failed to load the component: {0}")]
    Host(String),
}

fn bullets<T: std::fmt::Display>(faults: &[T]) -> String {
    faults
        .iter()
        .map(|fault| format!("\n  - {fault}"))
        .collect()
}
