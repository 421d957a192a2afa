//! Connections that read.

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};

use super::config::SqliteConfig;
use super::rows::run;
use crate::StoreError;
use crate::sql::{Row, Statement};

pub(super) struct Readers {
    pool: SqlitePool,
}

impl Readers {
    pub(super) fn open(config: &SqliteConfig, options: SqliteConnectOptions) -> Self {
        let pool = SqlitePoolOptions::new()
            .max_connections(config.readers.max(1))
            .acquire_timeout(config.wait())
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(options.pragma("query_only", "ON"));
        Self { pool }
    }

    pub(super) async fn read(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        let sets = run(&self.pool, statement.text, statement.values).await?;
        Ok(sets.into_iter().next().unwrap_or_default())
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}
