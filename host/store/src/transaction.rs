//! Whether a task is inside of a transaction.
//!
//! No transaction leaves this crate, so nobody outside can hold one open while a provider is asked.
//! That is a promise; this is how debug builds, and so all tests, find out if it is ever broken.

use std::future::Future;

tokio::task_local! {
    static INSIDE: ();
}

/// Whether the task that asks is inside of a transaction of the store.
#[must_use]
pub fn in_transaction() -> bool {
    INSIDE.try_with(|()| ()).is_ok()
}

/// Runs what is part of a transaction. The store does this around each write; whoever else does it can
/// prove that something refuses to happen in there.
pub async fn inside_transaction<F: Future>(work: F) -> F::Output {
    INSIDE.scope((), work).await
}
