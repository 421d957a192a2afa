//! The sealer: chains what was committed to the audit, batch by batch.
//!
//! Every host has one. A seal is stored only if it follows the newest, so of several hosts one is first with
//! each link, and the others go on from there. Rows are read and hashed outside of any write.

use std::sync::Arc;
use std::time::Duration;

use berth_domain::audit::chain::{Seal, SealHash, Sealing};
use tokio::sync::watch;

use crate::{Service, ServiceError};

/// Longest wait between tries while sealing fails.
const RETRY_MAX: Duration = Duration::from_secs(60);

impl Service {
    /// Seals every row that is committed; answers with the newest seal.
    ///
    /// # Errors
    /// When the store fails; what was sealed until then stays sealed.
    pub async fn seal_audit(&self) -> Result<Option<Seal>, ServiceError> {
        let store = self.store();
        let batch = self.settings().audit.seal_batch;
        loop {
            let head = store.last_seal().await?;
            let (sealed, before, previous) = match &head {
                Some(head) => (head.last, head.sequence, head.hash),
                None => (0, 0, SealHash::genesis(&self.deployment().id)),
            };
            let rows = store.raw_audit(sealed, u64::MAX, batch).await?;
            let mut sealing = Sealing::new(before + 1, previous, self.now());
            for row in &rows {
                sealing.add(row);
            }
            let Some(seal) = sealing.finish() else {
                return Ok(head);
            };
            // One that came too late covers rows that another host has sealed: look again.
            if store.put_seal(&seal).await? && rows.len() < batch as usize {
                return Ok(Some(seal));
            }
        }
    }
}

/// Seals every `service.audit.sealEvery` until it is told to stop. Whoever stops the host seals once more
/// when nothing writes any longer.
pub async fn run(service: Arc<Service>, mut stopped: watch::Receiver<bool>) {
    let every = Duration::from_millis(service.settings().audit.seal_every.0);
    let mut wait = every;
    let mut witness = Witness::default();
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
        match service.seal_audit().await {
            Ok(head) => {
                wait = every;
                witness.tell(&service, head.as_ref());
            }
            Err(error) => {
                wait = (wait * 2).min(RETRY_MAX);
                let cause = error.internal.as_deref().unwrap_or(&error.message);
                tracing::error!(cause, "the audit could not be sealed; tried again later");
            }
        }
    }
}

/// Tells the log of the newest seal now and then: where logs are kept apart from the database, they
/// witness what the chain was.
#[derive(Default)]
struct Witness {
    told: Option<Seal>,
}

impl Witness {
    fn tell(&mut self, service: &Service, head: Option<&Seal>) {
        let Some(head) = head else { return };
        let is_due = self.told.as_ref().is_none_or(|told| {
            told.sequence < head.sequence
                && head.sealed_at - told.sealed_at >= service.settings().audit.witness_every
        });
        if is_due {
            tell(head);
            self.told = Some(head.clone());
        }
    }
}

/// Writes a seal to the log.
pub fn tell(head: &Seal) {
    tracing::info!(seal = head.sequence, head = %head.hash, last_row = head.last, "the audit is sealed; `berth audit verify --expect` takes this head");
}
