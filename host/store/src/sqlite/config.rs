//! What an operator can set about the embedded store.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Settings of the embedded store. Each limit is named by the errors that it causes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SqliteConfig {
    /// The database's file; `-wal` and `-shm` lie beside it.
    pub path: PathBuf,
    /// Connections that read at the same time.
    pub readers: u32,
    /// Writes that may wait for the writer; further ones wait for room, up to `wait_ms`.
    pub queue: usize,
    /// Writes that are made durable together at most.
    pub batch: usize,
    /// Longest wait for room in the queue, for a reader, or for another process's lock, in milliseconds.
    pub wait_ms: u64,
    /// Largest size of the database in pages of 4 KiB; `None`: what the disk holds. Some room on a disk that
    /// others need too is worth more than one more row.
    pub max_pages: Option<u32>,
}

impl SqliteConfig {
    /// The defaults, with the database in this file.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            ..Self::default()
        }
    }

    pub(super) fn wait(&self) -> Duration {
        Duration::from_millis(self.wait_ms)
    }
}

impl Default for SqliteConfig {
    fn default() -> Self {
        Self {
            path: PathBuf::from("berth.db"),
            readers: 4,
            queue: 1_024,
            batch: 256,
            wait_ms: 5_000,
            max_pages: None,
        }
    }
}
