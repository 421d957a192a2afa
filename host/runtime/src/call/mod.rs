//! One call of one function of a plugin.

mod cpu;
mod execute;
mod failure;
mod findings;
mod held_log;
mod limiter;
mod state;
mod trap;

use std::sync::Arc;

use berth_domain::id::{AccountId, RequestId, ResourceId, RunId, TenantId};
use berth_domain::provider::{AccountView, Operation};

use crate::egress::AccountGrant;

pub(crate) use execute::{Granted, Slots, Stage};
pub use failure::{CallFailure, LimitHit};
pub(crate) use findings::Findings;
pub(crate) use held_log::{HeldLog, LogLevel, Sink, Speaker};
pub(crate) use state::CallState;

/// How urgent a call's requests are where an account's rate budget is short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Nobody waits for it.
    Refresh,
    /// A user's change.
    User,
}

/// For whom a call is made and what it may use. The operation is told by the function that is called.
#[derive(Debug, Clone)]
pub struct Call {
    /// The account, as the plugin may know it.
    pub account: AccountView,
    /// Where the account lets requests go.
    pub grant: Arc<AccountGrant>,
    /// The tenant for whom it is made, if it is for one.
    pub tenant: Option<TenantId>,
    /// The row that it is about, if it is about one.
    pub resource: Option<ResourceId>,
    /// The reconcile run that makes it.
    pub run: Option<RunId>,
    /// The request of the API that makes it.
    pub request: Option<RequestId>,
    /// The epoch of the lease under which it is made; the runtime only hands it on.
    pub lease: Option<i64>,
    /// How urgent its requests are.
    pub priority: Priority,
}

/// What ports are told of the call that uses them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallScope {
    /// The account.
    pub account: AccountId,
    /// The tenant for whom it is made.
    pub tenant: Option<TenantId>,
    /// The row that it is about.
    pub resource: Option<ResourceId>,
    /// The reconcile run.
    pub run: Option<RunId>,
    /// The request of the API.
    pub request: Option<RequestId>,
    /// The epoch of the lease.
    pub lease: Option<i64>,
    /// How urgent it is.
    pub priority: Priority,
    /// What is done.
    pub operation: Operation,
    /// The kind, where there is one.
    pub kind: Option<String>,
    /// Digest of the generation that runs.
    pub generation: String,
}

/// What came of a call that may have sent requests.
#[derive(Debug)]
pub struct Outcome<T> {
    /// What the plugin answered, checked.
    pub result: Result<T, CallFailure>,
    /// A request that is no read was sent.
    pub wrote: bool,
    /// The answer to such a request was lost.
    pub lost: bool,
}

impl<T> Outcome<T> {
    /// Whether the provider may have changed something that this outcome does not tell of: find out
    /// before anything is written again.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        match &self.result {
            Ok(_) => false,
            Err(CallFailure::Provider(error)) => {
                self.lost || matches!(error, berth_domain::provider::ProviderError::Ambiguous(_))
            }
            Err(_) => self.wrote,
        }
    }
}
