//! The embedded engine: SQLite with a write-ahead log.
//!
//! One connection writes, with group commit; a few others read. Everything that is true of SQLite only
//! is in this module.

mod claim;
mod config;
mod connect;
mod fault;
mod proof;
mod readers;
mod rows;
mod writer;

use async_trait::async_trait;

use crate::StoreError;
use crate::sql::{Engine, Job, Row, SqlStore, Statement};

pub use config::SqliteConfig;
use readers::Readers;
use writer::Writer;

/// A store in a file.
pub type SqliteStore = SqlStore<Sqlite>;

/// The engine behind [`SqliteStore`].
pub struct Sqlite {
    readers: Readers,
    writer: Writer,
}

impl SqlStore<Sqlite> {
    /// Opens the database, makes it if it is missing, and brings its tables up to date.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the file can't be opened or written, [`StoreError::Unreadable`] if
    /// it is no database or a damaged one.
    pub async fn open(config: SqliteConfig) -> Result<Self, StoreError> {
        connect::prepare_files(&config.path)?;
        let writer = Writer::start(&config).await?;
        let readers = Readers::open(&config);
        Ok(Self::new(Sqlite { readers, writer }))
    }
}

#[async_trait]
impl Engine for Sqlite {
    const CLAIM: &'static str = claim::CLAIM;
    const PROVE: &'static str = proof::PROVE;

    fn one_of(expression: &str, parameter: &str) -> String {
        format!("{expression} IN (SELECT value FROM json_each({parameter}))")
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        self.readers.read(statement).await
    }

    async fn submit(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        self.writer.submit(job).await
    }

    async fn close(&self) {
        self.writer.close().await;
        self.readers.close().await;
    }
}
