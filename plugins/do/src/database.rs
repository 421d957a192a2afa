//! Managed databases.

mod child;
mod connection;
pub(crate) mod firewall;
pub(crate) mod pg;
pub(crate) mod pool;
pub(crate) mod replica;
pub(crate) mod user;

/// The meter of nodes: an hour of each node of a cluster or replica.
pub(crate) const NODE_HOURS: &str = "do.database.node-hours";
