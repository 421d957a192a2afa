//! What the journal knows of the creates of a row.

use berth_domain::id::{ResourceId, RunId};
use berth_domain::provider::Operation;
use berth_domain::resource::CallError;
use berth_domain::time::Millis;
use berth_store::{JournalEntry, JournalOutcome, Store, StoreError};

/// Entries that are looked at. A row with more of them counts as one whose create may have arrived.
const LOOK_MAX: u32 = 100;

/// A request that the provider certainly did not act on.
fn came_to_nothing(entry: &JournalEntry) -> bool {
    match entry.outcome {
        Some(JournalOutcome::NotSent) => true,
        // A gateway says 408 and 499 of requests that may have passed it.
        Some(JournalOutcome::Answered(status)) => {
            (400..500).contains(&status) && !matches!(status, 408 | 499)
        }
        Some(JournalOutcome::Lost) | None => false,
    }
}

fn is_create(entry: &JournalEntry) -> bool {
    entry.operation == Operation::Create.as_str()
}

/// Whether the journal shows that no create of a row can have reached its provider.
pub(super) async fn no_create_arrived(
    store: &dyn Store,
    id: &ResourceId,
) -> Result<bool, StoreError> {
    let entries = store.journal_of(id, LOOK_MAX).await?;
    let is_whole = entries.len() < LOOK_MAX as usize;
    Ok(is_whole
        && entries
            .iter()
            .filter(|entry| is_create(entry))
            .all(came_to_nothing))
}

/// When the create was sent that made the object: the first that was answered with success. Where none was,
/// the last of which nobody knows what became, since the object was seen absent before it was sent.
pub(super) async fn accepted_at(
    store: &dyn Store,
    id: &ResourceId,
) -> Result<Option<Millis>, StoreError> {
    let entries = store.journal_of(id, LOOK_MAX).await?;
    let creates = || entries.iter().filter(|entry| is_create(entry));
    let was_accepted = |entry: &&JournalEntry| matches!(entry.outcome, Some(JournalOutcome::Answered(status)) if (200..300).contains(&status));
    let accepted = creates().filter(was_accepted).map(|entry| entry.at).min();
    let unknown = creates().filter(|entry| !came_to_nothing(entry));
    Ok(accepted.or_else(|| unknown.map(|entry| entry.at).max()))
}

/// Takes back that a failed create may have had an effect, where each of its requests was refused.
/// (The runtime only tells that one was sent.)
pub(super) async fn weigh(
    store: &dyn Store,
    id: &ResourceId,
    run: &RunId,
    error: CallError,
) -> Result<CallError, StoreError> {
    if !error.wrote {
        return Ok(error);
    }
    let entries = store.journal_of(id, LOOK_MAX).await?;
    let mut of_this_run = entries
        .iter()
        .filter(|entry| is_create(entry) && entry.run == *run)
        .peekable();
    let was_refused = of_this_run.peek().is_some() && of_this_run.all(came_to_nothing);
    Ok(CallError {
        wrote: !was_refused,
        ..error
    })
}
