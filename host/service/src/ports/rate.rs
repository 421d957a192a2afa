//! One request budget a provider account, whoever asks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::id::AccountId;
use berth_domain::rate::{RateBucket, RateWord};
use berth_domain::time::Millis;
use berth_runtime::{Budget, Priority, RateHeaders};

use crate::Clock;

const TOO_MANY_REQUESTS: u16 = 429;

/// The budgets of this host.
pub(super) struct AccountBudgets {
    clock: Arc<dyn Clock>,
    buckets: Mutex<HashMap<AccountId, RateBucket>>,
}

impl AccountBudgets {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            buckets: Mutex::new(HashMap::new()),
        }
    }

    fn with<T>(&self, account: &AccountId, act: impl FnOnce(&mut RateBucket) -> T) -> T {
        // A panic between two assignments of a bucket leaves numbers, not broken memory: go on with them.
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        act(buckets.entry(account.clone()).or_default())
    }
}

impl berth_runtime::RateBudget for AccountBudgets {
    fn take(&self, account: &AccountId, priority: Priority) -> Budget {
        let now = self.clock.now();
        match self.with(account, |bucket| {
            bucket.take(now, priority == Priority::User)
        }) {
            Ok(()) => Budget::Go,
            Err(wait) => Budget::WaitFor(wait),
        }
    }

    fn observe(&self, account: &AccountId, headers: &RateHeaders) {
        let word = RateWord {
            throttled: headers.status == TOO_MANY_REQUESTS,
            limit: headers.limit,
            remaining: headers.remaining,
            reset_at: headers
                .reset
                .and_then(|seconds| i64::try_from(seconds).ok())
                .map(|seconds| Millis(seconds.saturating_mul(1_000))),
            retry_after: headers.retry_after,
        };
        let now = self.clock.now();
        self.with(account, |bucket| bucket.hear(now, &word));
    }
}
