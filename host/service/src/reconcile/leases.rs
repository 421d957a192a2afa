//! The leases of runs under way, renewed while they last.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use berth_domain::id::ResourceId;
use berth_domain::time::Millis;

use crate::Service;

/// The shortest time between renewals.
const RENEW_AT_LEAST_EVERY: Duration = Duration::from_millis(20);

/// Leases that this host holds.
#[derive(Default)]
pub(super) struct Leases {
    held: Mutex<HashMap<ResourceId, Held>>,
}

#[derive(Clone, Copy)]
struct Held {
    epoch: u64,
    until: Millis,
}

/// A lease that is renewed until this is dropped.
pub(super) struct Hold<'a> {
    leases: &'a Leases,
    id: ResourceId,
    epoch: u64,
}

impl Leases {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<ResourceId, Held>) -> T) -> T {
        act(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins to renew a lease.
    pub(super) fn hold(&self, id: &ResourceId, epoch: u64, until: Millis) -> Hold<'_> {
        self.with(|held| held.insert(id.clone(), Held { epoch, until }));
        Hold {
            leases: self,
            id: id.clone(),
            epoch,
        }
    }

    /// Renews all that are held.
    async fn renew(&self, service: &Service, host: &str) {
        let leases: Vec<(ResourceId, u64)> = self.with(|held| {
            held.iter()
                .map(|(id, held)| (id.clone(), held.epoch))
                .collect()
        });
        if leases.is_empty() {
            return;
        }
        let until = service.now() + service.settings().reconcile.lease;
        match service.store().renew(host, &leases, until).await {
            Ok(lost) => self.with(|held| {
                for (id, epoch) in leases {
                    let is_lost = lost.contains(&id);
                    if let Some(entry) = held.get_mut(&id).filter(|held| held.epoch == epoch) {
                        entry.until = if is_lost { Millis(0) } else { until };
                    }
                }
            }),
            Err(error) => {
                tracing::warn!(%error, "leases were not renewed; runs whose leases end make no further call");
            }
        }
    }

    /// Renews at a third of the lease, for as long as it is polled.
    pub(super) async fn keep_renewing(&self, service: &Service, host: &str) {
        let third = Duration::from_millis(service.settings().reconcile.lease.0 / 3);
        let mut ticks = tokio::time::interval(third.max(RENEW_AT_LEAST_EVERY));
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.renew(service, host).await;
        }
    }
}

impl Hold<'_> {
    /// Whether calls may still be made under it. Another host may have the row once it has ended,
    /// whether or not this one was told.
    pub(super) fn is_good(&self, now: Millis) -> bool {
        self.leases.with(|held| {
            held.get(&self.id)
                .is_some_and(|held| held.epoch == self.epoch && now < held.until)
        })
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.leases.with(|held| {
            // The row may have been claimed again by now, under a later epoch.
            if held
                .get(&self.id)
                .is_some_and(|held| held.epoch == self.epoch)
            {
                held.remove(&self.id);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ends_leaves_the_lease_of_the_next_one_alone() {
        let leases = Leases::default();
        let id: ResourceId = "crs_00000000000000000000000000".parse().unwrap();
        let first = leases.hold(&id, 1, Millis(100));
        let second = leases.hold(&id, 2, Millis(200));
        drop(first);
        assert!(second.is_good(Millis(199)));
        assert!(!second.is_good(Millis(200)), "it has ended");
        drop(second);
        assert!(leases.with(|held| held.is_empty()));
    }
}
