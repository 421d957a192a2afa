//! What a plugin may use of the host: the imports of its world.

mod clock;
mod http;
mod log;
mod random;
mod wasi;

use wasmtime::Engine;
use wasmtime::component::Linker;

use crate::bindings::Provider;
use crate::call::CallState;

pub(crate) use wasi::WasiState;

/// A linker with the interfaces of `berth:provider`, and with WASI if the component wants it.
pub(crate) fn linker(engine: &Engine, with_wasi: bool) -> wasmtime::Result<Linker<CallState>> {
    let mut linker = Linker::new(engine);
    Provider::add_to_linker::<_, CallState>(&mut linker, |state| state)?;
    if with_wasi {
        wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    }
    Ok(linker)
}
