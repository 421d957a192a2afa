//! Writes down every change of a provider before it leaves.

use std::sync::Arc;

use async_trait::async_trait;
use berth_domain::id::EntryId;
use berth_runtime::{CallScope, Exchange, JournalEntry, PortError};
use berth_store::{JournalOutcome, Store, StoreError};

use crate::{Clock, Entropy};

/// Longest body that is kept with an entry, in bytes; of a longer one only the digest.
const BODY_MAX: usize = 16 * 1024;

/// The store's journal.
pub(super) struct StoredJournal {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl StoredJournal {
    pub(super) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        Self {
            store,
            clock,
            entropy,
        }
    }
}

fn failed(error: &StoreError) -> PortError {
    tracing::warn!(%error, "the journal can't be written");
    PortError::Unavailable(
        "the journal can't be written, so nothing is sent; the call is tried again".to_owned(),
    )
}

/// The body as text if it is short text; else its digest.
fn kept(entry: &JournalEntry) -> Option<String> {
    if entry.body.is_empty() {
        return None;
    }
    match std::str::from_utf8(&entry.body) {
        Ok(text) if text.len() <= BODY_MAX => Some(text.to_owned()),
        _ => Some(format!(
            "sha256:{} ({} bytes)",
            entry.body_sha256,
            entry.body.len()
        )),
    }
}

#[async_trait]
impl berth_runtime::Journal for StoredJournal {
    async fn before_write(
        &self,
        scope: &CallScope,
        entry: JournalEntry,
    ) -> Result<EntryId, PortError> {
        let (Some(run), Some(resource)) = (&scope.run, &scope.resource) else {
            return Err(PortError::Denied(
                "only a reconcile run of a resource may change anything at a provider".to_owned(),
            ));
        };
        let now = self.clock.now();
        let row = berth_store::JournalEntry {
            id: EntryId::generate(now, self.entropy.id_seed()),
            run: run.clone(),
            resource: resource.clone(),
            account: scope.account.clone(),
            operation: scope.operation.as_str().to_owned(),
            method: entry.method.clone(),
            target: format!("{}{}", entry.origin, entry.path),
            body: kept(&entry),
            at: now,
            outcome: None,
        };
        self.store
            .journal_open(&row)
            .await
            .map_err(|error| failed(&error))?;
        Ok(row.id)
    }

    async fn after_write(
        &self,
        _scope: &CallScope,
        entry: &EntryId,
        end: Exchange,
    ) -> Result<(), PortError> {
        let outcome = match end {
            Exchange::Answered(status) => JournalOutcome::Answered(status),
            Exchange::NotSent => JournalOutcome::NotSent,
            Exchange::Lost => JournalOutcome::Lost,
        };
        self.store
            .journal_close(entry, outcome, self.clock.now())
            .await
            .map_err(|error| failed(&error))
    }
}
