//! What a call's store holds: everything that its capabilities work on, and nothing of other calls.

use std::sync::Arc;

use wasmtime::component::HasData;

use super::cpu::CpuMeter;
use super::held_log::Sink;
use super::limiter::Limiter;
use crate::capability::WasiState;
use crate::egress::Egress;
use crate::ports::{Clock, Entropy};

/// The data of a store.
pub(crate) struct CallState {
    pub(crate) limiter: Limiter,
    pub(crate) cpu: Arc<CpuMeter>,
    pub(crate) log: Sink,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) random_left: usize,
    pub(crate) random_limit: usize,
    /// `None` where the call is granted no http.
    pub(crate) http: Option<Arc<Egress>>,
    /// Made when a guest first uses WASI; first-party plugins never do.
    pub(crate) wasi: Option<Box<WasiState>>,
}

impl HasData for CallState {
    type Data<'a> = &'a mut Self;
}

impl crate::bindings::berth::provider::types::Host for CallState {}
