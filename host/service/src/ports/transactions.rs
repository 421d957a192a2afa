//! Whether a call would begin inside of a transaction.

/// The store's own word, of the task that asks.
pub(super) struct StoreTransactions;

impl berth_runtime::Transactions for StoreTransactions {
    fn holds_one(&self) -> bool {
        berth_store::in_transaction()
    }
}
