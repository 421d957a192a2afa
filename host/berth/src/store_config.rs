//! What an operator can set about the database.

use std::path::{Path, PathBuf};

use berth_store::SqliteConfig;
use serde::{Deserialize, Serialize};

/// Settings of the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct StoreConfig {
    /// The SQLite file; without it `berth.db` in the data directory.
    pub(crate) path: Option<PathBuf>,
    /// Connections that read at the same time.
    pub(crate) readers: u32,
    /// Writes that may wait for the writer; further ones wait for room, up to `waitMs`.
    pub(crate) queue: usize,
    /// Writes that are made durable together at most.
    pub(crate) batch: usize,
    /// Longest wait for room in the queue, for a reader, or for another process's lock, in milliseconds.
    pub(crate) wait_ms: u64,
    /// Largest size of the database in pages of 4 KiB; without it what the disk holds.
    pub(crate) max_pages: Option<u32>,
}

impl Default for StoreConfig {
    fn default() -> Self {
        let SqliteConfig {
            path: _,
            readers,
            queue,
            batch,
            wait_ms,
            max_pages,
        } = SqliteConfig::default();
        Self {
            path: None,
            readers,
            queue,
            batch,
            wait_ms,
            max_pages,
        }
    }
}

impl StoreConfig {
    /// The store's own settings, with the database in the data directory unless another place is named.
    pub(crate) fn sqlite(&self, data_dir: &Path) -> SqliteConfig {
        let path = self.path.clone();
        SqliteConfig {
            path: path.unwrap_or_else(|| data_dir.join("berth.db")),
            readers: self.readers,
            queue: self.queue,
            batch: self.batch,
            wait_ms: self.wait_ms,
            max_pages: self.max_pages,
        }
    }

    /// The first setting that can't work, and what would.
    ///
    /// # Errors
    /// Its key and the values that are taken.
    pub(crate) fn check(&self) -> Result<(), String> {
        let settings = [
            ("readers", u64::from(self.readers), 1, 256),
            ("queue", self.queue as u64, 1, 1 << 20),
            ("batch", self.batch as u64, 1, 1 << 16),
            ("waitMs", self.wait_ms, 100, 600_000),
            // Less does not hold the tables; more than 2^32 - 2 is more than SQLite can.
            (
                "maxPages",
                self.max_pages.map_or(u64::from(u32::MAX - 1), u64::from),
                250,
                u64::from(u32::MAX - 1),
            ),
        ];
        match settings
            .into_iter()
            .find(|(_, value, least, most)| value < least || value > most)
        {
            Some((key, value, least, most)) => Err(format!(
                "`store.{key}` is {value}; {least} to {most} are taken"
            )),
            None => Ok(()),
        }
    }
}
