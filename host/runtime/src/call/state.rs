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

#[cfg(test)]
impl CallState {
    /// A state with ports and without anything granted.
    pub(crate) fn bare(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self {
            limiter: Limiter::new(1 << 20, 1_000),
            cpu: CpuMeter::new(),
            log: super::HeldLog::sink(1_000, 10),
            clock,
            entropy,
            random_left: 0,
            random_limit: 0,
            http: None,
            wasi: None,
        }
    }
}

impl HasData for CallState {
    type Data<'a> = &'a mut Self;
}

impl crate::bindings::berth::provider::types::Host for CallState {}
