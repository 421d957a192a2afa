//! The store over SQL: texts and change sets, written once for every engine.
//!
//! An [`Engine`] runs them. What differs between engines (claiming work, lists as parameters, types of
//! columns) is named there and nowhere else; the texts in this module hold to what all of them take:
//! `$1` parameters without gaps, TEXT, 64-bit integers and bytes, `ON CONFLICT`, `RETURNING`.

mod accounts;
mod audit;
mod budgets;
mod capacity;
mod change;
mod deployment;
mod engine;
mod events;
mod generations;
mod journal;
mod keys;
mod linked;
mod metering;
mod offers;
mod page;
mod policies;
mod pools;
mod prices;
mod principals;
mod projects;
mod resources;
mod row;
mod secrets;
mod statement;
mod tenants;
mod tokens;

use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

pub(crate) use engine::{Engine, Job, Session, Verdict};
pub(crate) use resources::resource_columns;
pub(crate) use row::Row;
pub(crate) use statement::{Datum, Statement};

use crate::StoreError;
use engine::Write;

/// A store on an engine.
pub struct SqlStore<E> {
    engine: E,
}

impl<E: Engine> SqlStore<E> {
    pub(crate) fn new(engine: E) -> Self {
        Self { engine }
    }

    /// Reads rows as they were last committed.
    async fn read(&self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        self.engine.read(statement).await
    }

    /// Reads at most one row.
    async fn read_one(&self, statement: Statement) -> Result<Option<Row>, StoreError> {
        Ok(self.engine.read(statement).await?.into_iter().next())
    }

    /// Runs `work` in a transaction of its own and answers once what it did is durable.
    pub(crate) async fn write<T, W>(&self, work: W) -> Result<T, StoreError>
    where
        T: Send + 'static,
        W: for<'s> FnOnce(&'s mut dyn Session) -> BoxFuture<'s, Result<Verdict<T>, StoreError>>
            + Send
            + 'static,
    {
        let (reply, answer) = oneshot::channel();
        self.engine
            .submit(Box::new(Write::new(Box::new(work), reply)))
            .await?;
        answer.await.map_err(|_| {
            StoreError::Unavailable(
                "the store stopped before it answered; whether the write was kept is not known"
                    .to_owned(),
            )
        })?
    }
}
