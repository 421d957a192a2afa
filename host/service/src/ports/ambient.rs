//! The host's time and randomness, as the runtime asks for them.

use std::sync::Arc;

use berth_domain::time::Millis;

use crate::{Clock, Entropy};

pub(super) struct HostClock(pub(super) Arc<dyn Clock>);

impl berth_runtime::Clock for HostClock {
    fn now(&self) -> Millis {
        self.0.now()
    }
}

pub(super) struct HostEntropy(pub(super) Arc<dyn Entropy>);

impl berth_runtime::Entropy for HostEntropy {
    fn fill(&self, buffer: &mut [u8]) {
        self.0.fill(buffer);
    }
}
