//! `berth:provider/random`.

use crate::bindings::berth::provider::random;
use crate::call::{CallState, LimitHit};

/// Bytes that one call of `bytes` gives at most.
const BYTES_PER_DRAW: usize = 1_024;

impl random::Host for CallState {
    fn bytes(&mut self, len: u32) -> wasmtime::Result<Vec<u8>> {
        let len = usize::try_from(len)?;
        if len > BYTES_PER_DRAW {
            return Err(wasmtime::format_err!(
                "asked for {len} random bytes; at most {BYTES_PER_DRAW} are given at once"
            ));
        }
        self.random_left = self.random_left.checked_sub(len).ok_or(LimitHit::Random {
            bytes: self.random_limit,
        })?;
        let mut bytes = vec![0; len];
        self.entropy.fill(&mut bytes);
        Ok(bytes)
    }
}
