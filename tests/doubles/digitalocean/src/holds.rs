//! Requests that wait until a test lets them go on.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

use tokio::sync::watch;

use crate::sync::locked;

/// Requests that wait, by the fault that holds them.
pub(crate) struct Holds {
    state: Mutex<State>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct State {
    waiting: HashMap<u64, usize>,
    released: HashSet<u64>,
}

impl Default for Holds {
    fn default() -> Self {
        Self {
            state: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

/// Counts a waiting request, also when its client hangs up.
struct Waiting<'a> {
    holds: &'a Holds,
    fault: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(count) = locked(&self.holds.state).waiting.get_mut(&self.fault) {
            *count = count.saturating_sub(1);
        }
        self.holds.changed.send_replace(());
    }
}

impl Holds {
    /// Waits until `fault` is released.
    pub(crate) async fn wait(&self, fault: u64) {
        let mut changed = self.changed.subscribe();
        *locked(&self.state).waiting.entry(fault).or_default() += 1;
        let _waiting = Waiting { holds: self, fault };
        self.changed.send_replace(());
        while !locked(&self.state).released.contains(&fault) {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Lets every request go on that `fault` holds, now or later.
    pub(crate) fn release(&self, fault: u64) {
        locked(&self.state).released.insert(fault);
        self.changed.send_replace(());
    }

    /// How many requests `fault` holds.
    pub(crate) fn waiting(&self, fault: u64) -> usize {
        locked(&self.state)
            .waiting
            .get(&fault)
            .copied()
            .unwrap_or_default()
    }

    /// Waits until `fault` holds a request.
    pub(crate) async fn held(&self, fault: u64) {
        let mut changed = self.changed.subscribe();
        while self.waiting(fault) == 0 {
            if changed.changed().await.is_err() {
                return;
            }
        }
    }
}
