//! The embedded engine: SQLite with a write-ahead log.
//!
//! One connection writes, with group commit; a few others read. Everything that is true of SQLite only
//! is in this module.

mod audit;
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
    /// `None`: opened to read.
    writer: Option<Writer>,
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
        let readers = Readers::open(&config, connect::options(&config));
        Ok(Self::new(Sqlite {
            readers,
            writer: Some(writer),
        }))
    }

    /// Opens a database that is there to read it, beside a running host or without one. Every write is
    /// refused; tables are taken as they are.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if there is no such file.
    pub fn open_to_read(config: &SqliteConfig) -> Result<Self, StoreError> {
        if !config.path.is_file() {
            return Err(StoreError::Unavailable(format!(
                "there is no database at {}; name the data directory, or the file in `store.path`",
                config.path.display()
            )));
        }
        Ok(Self::new(Sqlite {
            readers: Readers::open(config, connect::options_to_read(config)),
            writer: None,
        }))
    }
}

#[async_trait]
impl Engine for Sqlite {
    const CLAIM: &'static str = claim::CLAIM;
    const AUDIT_MARKS: &'static str = audit::MARKS;
    const PROVE: &'static str = proof::PROVE;

    fn one_of(expression: &str, parameter: &str) -> String {
        format!("{expression} IN (SELECT value FROM json_each({parameter}))")
    }

    async fn read(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        self.readers.read(statement).await
    }

    async fn submit(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        match &self.writer {
            Some(writer) => writer.submit(job).await,
            None => Err(StoreError::Unavailable(
                "the database was opened to read only".to_owned(),
            )),
        }
    }

    async fn close(&self) {
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        self.readers.close().await;
    }
}
