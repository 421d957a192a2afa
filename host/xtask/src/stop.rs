//! Knows when the person at the terminal wants the task to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, bail};
use signal_hook::consts::{SIGINT, SIGTERM};

/// Set by ctrl-c and by SIGTERM. The task looks at it between its steps and then ends in order, so
/// that what it started is ended too.
#[derive(Debug, Clone)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Starts listening. A second signal ends the task at once.
    pub fn listen() -> anyhow::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            let hooked = signal_hook::flag::register_conditional_shutdown(signal, 1, asked.clone())
                .and_then(|_| signal_hook::flag::register(signal, asked.clone()));
            hooked.context("can't listen for ctrl-c")?;
        }
        Ok(Self(asked))
    }

    /// Whether the end was asked for.
    pub fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits, and fails when the end was asked for.
    pub fn pause(&self, time: Duration) -> anyhow::Result<()> {
        sleep(time);
        if self.asked() {
            bail!("stopped on request");
        }
        Ok(())
    }
}
