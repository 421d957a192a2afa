//! What a database engine does for the store.

use async_trait::async_trait;
use futures_util::future::BoxFuture;
use tokio::sync::oneshot;

use super::{Row, Statement};
use crate::StoreError;
use crate::transaction::inside_transaction;

/// A database engine.
#[async_trait]
pub trait Engine: Send + Sync + 'static {
    /// Claims due resources and returns their rows: `$1` now, `$2` rows at most, `$3` leases an account at
    /// most, `$4` the host, `$5` the lease's end, `$6` how much later a refresh counts as due.
    const CLAIM: &'static str;

    /// Reads the highest sequences of the audit and of its seals: `row_there` and `seal_there`, and of all that
    /// were ever given, `row_given` and `seal_given`, NULL where an engine can't tell.
    const AUDIT_MARKS: &'static str;

    /// Writes the row that proves that writing works, at the time `$1`, and returns it; returns nothing
    /// where the engine has no room left by a limit of its own.
    const PROVE: &'static str;

    /// A condition on an expression: that it is one of the texts of the JSON array in a parameter.
    fn one_of(expression: &str, parameter: &str) -> String;

    /// Reads what was last committed.
    async fn read(&self, statement: Statement) -> Result<Vec<Row>, StoreError>;

    /// Takes a job in; it is answered once its writes are durable or undone.
    ///
    /// Jobs take effect as if one ran after another: what a job has read (a quota, a name, a parent) still
    /// holds when its writes are kept. One writer gives that for nothing; an engine with several must
    /// serialise or retry.
    ///
    /// # Errors
    /// When the engine is closed, or its queue stayed full.
    async fn submit(&self, job: Box<dyn Job>) -> Result<(), StoreError>;

    /// Finishes what was taken in, and closes.
    async fn close(&self);
}

/// The transaction that a job runs in.
#[async_trait]
pub trait Session: Send {
    /// Runs statements in order and returns the rows of each. One trip to the engine where it can be
    /// one, so a change set sends as much as it can at once.
    async fn run(&mut self, statements: Vec<Statement>) -> Result<Vec<Vec<Row>>, StoreError>;
}

impl dyn Session + '_ {
    /// Runs one statement and returns its first row.
    pub(crate) async fn one(&mut self, statement: Statement) -> Result<Option<Row>, StoreError> {
        let sets = self.run(vec![statement]).await?;
        Ok(sets
            .into_iter()
            .next()
            .and_then(|rows| rows.into_iter().next()))
    }

    /// Runs one statement and returns its rows.
    pub(crate) async fn all(&mut self, statement: Statement) -> Result<Vec<Row>, StoreError> {
        Ok(self
            .run(vec![statement])
            .await?
            .into_iter()
            .next()
            .unwrap_or_default())
    }
}

/// What becomes of what a job wrote.
#[derive(Debug)]
pub(crate) enum Verdict<T> {
    /// It is kept, all of it.
    Keep(T),
    /// None of it is kept: the answer is a refusal.
    Discard(T),
}

/// A unit of work for a writer: runs in a transaction (or a savepoint of one), then waits to hear whether
/// that became durable.
pub trait Job: Send {
    /// Runs it. `true`: keep what it wrote; `false` or an error: undo it.
    fn run<'s>(
        &'s mut self,
        session: &'s mut dyn Session,
    ) -> BoxFuture<'s, Result<bool, StoreError>>;
    /// Answers whoever waits: with the job's own result if its transaction was stored.
    fn answer(self: Box<Self>, stored: Result<(), StoreError>);
}

type Work<T> = Box<
    dyn for<'s> FnOnce(&'s mut dyn Session) -> BoxFuture<'s, Result<Verdict<T>, StoreError>> + Send,
>;

/// A job with its caller.
pub(super) struct Write<T> {
    work: Option<Work<T>>,
    result: Option<Result<T, StoreError>>,
    reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<T> Write<T> {
    pub(super) fn new(work: Work<T>, reply: oneshot::Sender<Result<T, StoreError>>) -> Self {
        Self {
            work: Some(work),
            result: None,
            reply,
        }
    }
}

impl<T: Send + 'static> Job for Write<T> {
    fn run<'s>(
        &'s mut self,
        session: &'s mut dyn Session,
    ) -> BoxFuture<'s, Result<bool, StoreError>> {
        Box::pin(async move {
            let Some(work) = self.work.take() else {
                return Err(StoreError::Failed("a write ran twice".to_owned()));
            };
            match inside_transaction(work(session)).await {
                Ok(Verdict::Keep(answer)) => {
                    self.result = Some(Ok(answer));
                    Ok(true)
                }
                Ok(Verdict::Discard(answer)) => {
                    self.result = Some(Ok(answer));
                    Ok(false)
                }
                Err(error) => {
                    self.result = Some(Err(error.clone()));
                    Err(error)
                }
            }
        })
    }

    fn answer(self: Box<Self>, stored: Result<(), StoreError>) {
        let result = match (self.result, stored) {
            // Its own error says more than what came of the batch that it was in.
            (Some(Err(error)), _) | (_, Err(error)) => Err(error),
            (Some(Ok(answer)), Ok(())) => Ok(answer),
            (None, Ok(())) => Err(StoreError::Failed(
                "a write broke off before it had an answer".to_owned(),
            )),
        };
        // A caller that has gone away needs no answer; its write stands.
        let _ = self.reply.send(result);
    }
}
