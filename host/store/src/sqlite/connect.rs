//! Opening the file.

use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use super::config::SqliteConfig;
use super::fault::classify;
use crate::StoreError;

/// Statements that a connection keeps compiled.
const STATEMENTS_KEPT: usize = 256;
/// The log beside the database is cut back to this size, in bytes, after a burst made it larger.
const LOG_BYTES_KEPT: u32 = 64 << 20;
/// Rows that a connection's thread may be ahead of who reads them.
const ROWS_AHEAD: usize = 512;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Makes directory and file for the owner's eyes only, if they are missing. SQLite gives the files beside
/// the database the database's own permissions.
pub(super) fn prepare_files(path: &Path) -> Result<(), StoreError> {
    create_private(path).map_err(|error| {
        StoreError::Unavailable(format!(
            "can't create the database `{}`: {error}; give the host a directory that it may write to",
            path.display()
        ))
    })
}

fn create_private(path: &Path) -> io::Result<()> {
    if let Some(directory) = path
        .parent()
        .filter(|directory| !directory.as_os_str().is_empty())
    {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(directory)?;
    }
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// What readers and the writer have in common.
pub(super) fn options(config: &SqliteConfig) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(&config.path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(config.wait())
        .statement_cache_capacity(STATEMENTS_KEPT)
        .row_buffer_size(ROWS_AHEAD)
        .disable_statement_logging()
}

/// For a database that is only read: nothing about it is set, for setting may write.
pub(super) fn options_to_read(config: &SqliteConfig) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(&config.path)
        .read_only(true)
        .busy_timeout(config.wait())
        .statement_cache_capacity(STATEMENTS_KEPT)
        .row_buffer_size(ROWS_AHEAD)
        .disable_statement_logging()
}

/// Opens a connection that writes.
pub(super) async fn writer(config: &SqliteConfig) -> Result<SqliteConnection, StoreError> {
    let mut options = options(config)
        .pragma("secure_delete", "ON")
        .pragma("journal_size_limit", LOG_BYTES_KEPT.to_string());
    if let Some(pages) = config.max_pages {
        options = options.pragma("max_page_count", pages.to_string());
    }
    options.connect().await.map_err(classify)
}

/// Brings the tables up to date. A database that a newer host migrated further is taken as it is:
/// migrations only ever add what older hosts can live with. All of it is one transaction, so that of two
/// hosts that start at once the second finds the work done.
pub(super) async fn migrate(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut migrations = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrations.set_ignore_missing(true);
    let mut transaction = connection
        .begin_with("BEGIN IMMEDIATE")
        .await
        .map_err(classify)?;
    // Not `run`: the compiler does not see that its future may move between threads, and whoever opens a
    // store may well be a spawned task.
    migrations
        .run_direct(None, &mut *transaction, false)
        .await
        .map_err(unmigrated)?;
    transaction.commit().await.map_err(classify)
}

fn unmigrated(error: MigrateError) -> StoreError {
    match error {
        MigrateError::Execute(cause) | MigrateError::ExecuteMigration(cause, _) => classify(cause),
        other => StoreError::Failed(format!(
            "can't bring the database's tables up to date: {other}"
        )),
    }
}
