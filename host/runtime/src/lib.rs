//! Runs provider plugins: WebAssembly components that reach the world only through this crate.
//!
//! [`Runtime::load`] turns bytes into a [`Generation`]: compiled, of the right world, described, its
//! manifest valid. The calls of [`Runtime`] each run one function of it in an instance of its own,
//! under [`Limits`], with the capabilities that a [`Call`] grants. What needs the rest of the host
//! (secrets, the journal, rate budgets) comes in through [`Ports`].

mod bindings;
mod call;
mod capability;
mod convert;
mod egress;
mod engine;
mod limits;
mod load;
mod ports;
mod registry;
mod runtime;

pub use call::{Call, CallFailure, CallScope, LimitHit, Outcome, Priority};
pub use egress::{AccountGrant, GrantConfig, GrantError, GrantedEndpoint};
pub use limits::{Limits, RuntimeConfig};
pub use load::{Digest, Generation, LoadError, WorldFault};
pub use ports::{
    Budget, Clock, Entropy, Exchange, Journal, JournalEntry, PortError, Ports, RateBudget,
    RateHeaders, Secrets, Transactions,
};
pub use registry::{Registry, RegistryError};
pub use runtime::{Runtime, RuntimeError};
