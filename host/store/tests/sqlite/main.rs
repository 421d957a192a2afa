//! The embedded store: the suite that every engine passes, and what is SQLite's own.

#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]
#![expect(
    clippy::cloned_ref_to_slice_refs,
    reason = "a list of one reads best as a list"
)]
#![expect(
    unreachable_pub,
    reason = "the suite is public to the test crate of every engine"
)]

mod damage;
mod disk;
mod durability;
mod files;
mod group_commit;
#[path = "../suite/mod.rs"]
mod suite;

use std::path::PathBuf;
use std::sync::Arc;

use berth_store::{SqliteConfig, SqliteStore, Store};
use tempfile::TempDir;

/// A fresh store, and the directory that goes with it when it is dropped.
async fn open() -> (Arc<dyn Store>, TempDir) {
    let directory = TempDir::new().unwrap();
    let store = reopen(SqliteConfig::at(file(&directory))).await;
    (store, directory)
}

async fn reopen(config: SqliteConfig) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open(config).await.unwrap())
}

fn file(directory: &TempDir) -> PathBuf {
    directory.path().join("berth.db")
}

suite::for_engine!(crate::open);
