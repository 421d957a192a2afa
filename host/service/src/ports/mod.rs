//! What the runtime needs of the rest of the host: its ports, implemented.

mod ambient;
mod journal;
mod rate;
mod secrets;
mod transactions;

use std::sync::Arc;

use berth_runtime::Ports;
use berth_store::Store;
use berth_vault::Vault;

use crate::{Clock, Entropy};

/// The ports of a host.
#[must_use]
pub fn of(
    store: Arc<dyn Store>,
    vault: Option<Arc<Vault>>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
) -> Ports {
    Ports {
        secrets: Arc::new(secrets::StoredSecrets::new(store.clone(), vault)),
        journal: Arc::new(journal::StoredJournal::new(
            store,
            clock.clone(),
            entropy.clone(),
        )),
        rate: Arc::new(rate::AccountBudgets::new(clock.clone())),
        clock: Arc::new(ambient::HostClock(clock)),
        entropy: Arc::new(ambient::HostEntropy(entropy)),
        transactions: Arc::new(transactions::StoreTransactions),
    }
}
