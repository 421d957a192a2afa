//! The leases of runs under way, renewed while they last.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use berth_domain::id::ResourceId;

use crate::Service;

/// Leases that this host holds.
#[derive(Default)]
pub(super) struct Leases {
    held: Mutex<HashMap<ResourceId, Held>>,
}

#[derive(Clone, Copy)]
struct Held {
    epoch: u64,
    lost: bool,
}

impl Leases {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<ResourceId, Held>) -> T) -> T {
        act(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins to renew a lease.
    pub(super) fn hold(&self, id: &ResourceId, epoch: u64) {
        self.with(|held| held.insert(id.clone(), Held { epoch, lost: false }));
    }

    /// Ends it.
    pub(super) fn drop_hold(&self, id: &ResourceId) {
        self.with(|held| held.remove(id));
    }

    /// Another host has the row: no further call may be made for it.
    pub(super) fn is_lost(&self, id: &ResourceId) -> bool {
        self.with(|held| held.get(id).is_none_or(|held| held.lost))
    }

    /// Renews all that are held.
    pub(super) async fn renew(&self, service: &Service, host: &str) {
        let leases: Vec<(ResourceId, u64)> = self.with(|held| held.iter().filter(|(_, held)| !held.lost).map(|(id, held)| (id.clone(), held.epoch)).collect());
        if leases.is_empty() {
            return;
        }
        let until = service.now() + service.settings().reconcile.lease;
        match service.store().renew(host, &leases, until).await {
            Ok(lost) => self.with(|held| {
                for id in lost {
                    if let Some(entry) = held.get_mut(&id) {
                        entry.lost = true;
                    }
                }
            }),
            Err(error) => tracing::warn!(%error, "leases could not be renewed; writes stay fenced by their epochs"),
        }
    }
}
