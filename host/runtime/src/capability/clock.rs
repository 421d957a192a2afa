//! `berth:provider/clock`.

use crate::bindings::berth::provider::clock;
use crate::call::CallState;

impl clock::Host for CallState {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(u64::try_from(self.clock.now().0).unwrap_or(0))
    }
}
