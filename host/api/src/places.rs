//! How much is served at the same time, in all and for one tenant: no tenant can take every place.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::id::TenantId;
use berth_service::{Code, ServiceError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::settings::ApiSettings;

/// The places of a host.
#[derive(Clone)]
pub(crate) struct Places {
    whole: Arc<Semaphore>,
    installs: Arc<Semaphore>,
    tenants: Arc<Tenants>,
}

struct Tenants {
    most: usize,
    taken: Mutex<HashMap<TenantId, usize>>,
}

/// A tenant's place, from its token to its answer. Given back when dropped.
pub(crate) struct TenantPlace {
    tenants: Arc<Tenants>,
    tenant: TenantId,
}

fn busy(setting: &str) -> ServiceError {
    ServiceError::new(
        Code::RateLimited,
        format!("as many requests are served as `{setting}` allows; try again shortly"),
    )
    .with("retryAfterMs", 1_000)
}

impl Places {
    pub(crate) fn new(settings: &ApiSettings) -> Self {
        Self {
            whole: Arc::new(Semaphore::new(settings.concurrency)),
            installs: Arc::new(Semaphore::new(settings.concurrent_installs)),
            tenants: Arc::new(Tenants {
                most: settings.concurrency_per_tenant,
                taken: Mutex::new(HashMap::new()),
            }),
        }
    }

    /// Taken before a body is read: a body that never comes holds only its own tenant's places.
    pub(crate) fn of_tenant(&self, tenant: &TenantId) -> Result<TenantPlace, ServiceError> {
        let mut taken = self
            .tenants
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(tenant.clone()).or_default();
        if *count >= self.tenants.most {
            return Err(busy("api.concurrencyPerTenant"));
        }
        *count += 1;
        Ok(TenantPlace {
            tenants: self.tenants.clone(),
            tenant: tenant.clone(),
        })
    }

    /// Taken once the body is there, for as long as the method runs.
    pub(crate) fn of_method(&self) -> Result<OwnedSemaphorePermit, ServiceError> {
        self.whole
            .clone()
            .try_acquire_owned()
            .map_err(|_| busy("api.concurrency"))
    }

    /// Taken before a component is read: they are large.
    pub(crate) fn of_install(&self) -> Result<OwnedSemaphorePermit, ServiceError> {
        self.installs
            .clone()
            .try_acquire_owned()
            .map_err(|_| busy("api.concurrentInstalls"))
    }
}

impl Drop for TenantPlace {
    fn drop(&mut self) {
        let mut taken = self
            .tenants
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.tenant) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_that_takes_all_its_places_leaves_the_others_theirs() {
        let places = Places::new(&ApiSettings {
            concurrency_per_tenant: 2,
            ..ApiSettings::default()
        });
        let (greedy, other): (TenantId, TenantId) =
            ("greedy".parse().unwrap(), "other".parse().unwrap());
        let first = places.of_tenant(&greedy).unwrap();
        let _second = places.of_tenant(&greedy).unwrap();
        assert!(
            places
                .of_tenant(&greedy)
                .err()
                .unwrap()
                .message
                .contains("api.concurrencyPerTenant")
        );
        assert!(places.of_tenant(&other).is_ok());
        drop(first);
        assert!(places.of_tenant(&greedy).is_ok());
    }
}
