//! Turns at writing a row: who writes the same row on this host at the same time waits, instead of
//! deciding again and again.
//!
//! Nothing rests on it: rows are fenced by their revisions, and other hosts know no turns.

use std::hash::{DefaultHasher, Hash, Hasher};

use berth_domain::id::ResourceId;
use tokio::sync::{Mutex, MutexGuard};

/// Two rows in so many share a turn by chance.
const LANES: usize = 256;

/// The turns of a host.
pub(crate) struct Turns {
    lanes: Vec<Mutex<()>>,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            lanes: (0..LANES).map(|_| Mutex::new(())).collect(),
        }
    }
}

impl Turns {
    /// Waits for the row's turn; it ends when the answer is dropped.
    pub(crate) async fn of(&self, id: &ResourceId) -> Option<MutexGuard<'_, ()>> {
        let mut hash = DefaultHasher::new();
        id.hash(&mut hash);
        let lane = usize::try_from(hash.finish() % LANES as u64).unwrap_or(0);
        match self.lanes.get(lane) {
            Some(lane) => Some(lane.lock().await),
            None => None,
        }
    }
}
