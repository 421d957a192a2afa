//! The spec of `do.database.pool`.

use serde::{Deserialize, Serialize};

use crate::JsonSchema;

/// A pool of connections to one database of a PostgreSQL cluster.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// What the pool is called in the cluster; clients connect to it by this name.
    #[schemars(regex(pattern = r"^[a-zA-Z0-9][a-zA-Z0-9_-]{2,59}$"))]
    pub name: String,
    /// When a server connection is given to another client.
    pub mode: Mode,
    /// Server connections. All pools of a cluster share 25 per GiB of memory, less 3.
    #[schemars(range(min = 1, max = 10_000))]
    pub size: u32,
    /// Database of the cluster that the pool connects to, such as `defaultdb`.
    #[schemars(regex(pattern = r"^[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}$"))]
    pub db: String,
    /// User of the cluster that the pool connects as. Left out: whoever comes in.
    #[schemars(regex(pattern = r"^[a-zA-Z0-9_][a-zA-Z0-9_.@-]{0,62}$"))]
    pub user: Option<String>,
}

/// When a server connection goes back to the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// When the client disconnects.
    Session,
    /// After each transaction.
    Transaction,
    /// After each statement.
    Statement,
}
