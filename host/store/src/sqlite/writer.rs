//! The one connection that writes, with group commit.
//!
//! Jobs wait in a bounded queue. The writer runs each in a savepoint of the transaction that is open, and
//! commits when the queue is empty for a moment or the batch is full: many writes then share one flush to
//! the disk. Nobody is answered before the commit. A job that fails or is refused is undone alone; when
//! the transaction itself is lost (a full disk, an I/O error), every job in it gets the error, and the
//! connection is opened anew.

use std::panic::AssertUnwindSafe;

use async_trait::async_trait;
use futures_util::FutureExt;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use super::config::SqliteConfig;
use super::connect;
use super::fault::closed;
use super::rows::{join, run};
use crate::StoreError;
use crate::sql::{Job, Row, Session, Statement};

/// Statements that go to the connection's thread at once; bounds the texts that it compiles.
const STATEMENTS_A_TRIP: usize = 64;

enum Order {
    Run(Box<dyn Job>),
    Close(oneshot::Sender<()>),
}

/// The way to the writer.
pub(super) struct Writer {
    orders: mpsc::Sender<Order>,
    config: SqliteConfig,
}

impl Writer {
    /// Opens the connection, brings the tables up to date and starts the task.
    pub(super) async fn start(config: &SqliteConfig) -> Result<Self, StoreError> {
        let mut connection = connect::writer(config).await?;
        connect::migrate(&mut connection).await?;
        let (orders, inbox) = mpsc::channel(config.queue.max(1));
        let task = WriterTask {
            inbox,
            config: config.clone(),
            connection: Some(connection),
        };
        tokio::spawn(task.work());
        Ok(Self {
            orders,
            config: config.clone(),
        })
    }

    pub(super) async fn submit(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        match timeout(self.config.wait(), self.orders.send(Order::Run(job))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(closed()),
            Err(_) => Err(StoreError::Busy(format!(
                "{} writes were waiting and none moved for {} ms; the disk is slow, or raise `queue` or `waitMs` of the store",
                self.config.queue, self.config.wait_ms
            ))),
        }
    }

    /// Waits until every write that was taken in is answered.
    pub(super) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.orders.send(Order::Close(done)).await.is_ok() {
            // The task answers, or is gone: either way nothing writes any more.
            let _ = closed.await;
        }
    }
}

struct WriterTask {
    inbox: mpsc::Receiver<Order>,
    config: SqliteConfig,
    connection: Option<SqliteConnection>,
}

impl WriterTask {
    async fn work(mut self) {
        let mut closing = Vec::new();
        while let Some(order) = self.inbox.recv().await {
            match order {
                Order::Run(job) => self.batch(job, &mut closing).await,
                Order::Close(done) => closing.push(done),
            }
            if !closing.is_empty() {
                // What is in the queue already is still done; nothing new comes in.
                self.inbox.close();
            }
        }
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the store's writer did not close cleanly; the log is replayed at the next start");
        }
        for done in closing {
            let _ = done.send(());
        }
    }

    /// Runs jobs until the queue is empty for a moment or the batch is full, and answers them.
    async fn batch(&mut self, first: Box<dyn Job>, closing: &mut Vec<oneshot::Sender<()>>) {
        let mut jobs = vec![first];
        let stored = self.transact(&mut jobs, closing).await;
        if let Err(error) = &stored {
            tracing::error!(%error, jobs = jobs.len(), "a batch of writes was lost; its callers are told");
            // What state it is in is not known; the next batch gets a fresh one.
            if let Some(connection) = self.connection.take() {
                let _ = connection.close_hard().await;
            }
        }
        for job in jobs {
            job.answer(stored.clone());
        }
    }

    async fn transact(
        &mut self,
        jobs: &mut Vec<Box<dyn Job>>,
        closing: &mut Vec<oneshot::Sender<()>>,
    ) -> Result<(), StoreError> {
        // Whoever waits already shares what becomes of the transaction, also if it can't begin: behind a
        // lock that somebody holds, one must not wait after the other.
        take_waiting(&mut self.inbox, self.config.batch, jobs, closing);
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect::writer(&self.config).await?,
        };
        let connection = self.connection.insert(connection);
        command(connection, "BEGIN IMMEDIATE").await?;
        let mut transaction = Transaction {
            connection,
            prelude: Prelude::Open,
        };
        let mut at = 0;
        while let Some(job) = jobs.get_mut(at) {
            transaction.run_job(job.as_mut()).await?;
            at += 1;
            if at == jobs.len() {
                take_waiting(&mut self.inbox, self.config.batch, jobs, closing);
            }
        }
        command(transaction.connection, "COMMIT").await
    }
}

/// Takes what waits in the queue into a batch, as far as it has room.
fn take_waiting(
    inbox: &mut mpsc::Receiver<Order>,
    batch: usize,
    jobs: &mut Vec<Box<dyn Job>>,
    closing: &mut Vec<oneshot::Sender<()>>,
) {
    while jobs.len() < batch {
        match inbox.try_recv() {
            Ok(Order::Run(job)) => jobs.push(job),
            Ok(Order::Close(done)) => closing.push(done),
            Err(_) => return,
        }
    }
}

async fn command(connection: &mut SqliteConnection, text: &'static str) -> Result<(), StoreError> {
    run(connection, text.into(), Vec::new()).await.map(|_| ())
}

/// What must run before a job's first statement. It goes with that statement, in the same trip.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prelude {
    /// No job's savepoint is open: open one.
    Open,
    /// The savepoint of the job before is open, and its writes are kept.
    Next,
    /// This job's savepoint is open.
    Done,
}

impl Prelude {
    fn text(self) -> &'static str {
        match self {
            Self::Open => "SAVEPOINT job; ",
            Self::Next => "RELEASE job; SAVEPOINT job; ",
            Self::Done => "",
        }
    }

    fn statements(self) -> usize {
        match self {
            Self::Open => 1,
            Self::Next => 2,
            Self::Done => 0,
        }
    }
}

struct Transaction<'c> {
    connection: &'c mut SqliteConnection,
    prelude: Prelude,
}

impl Transaction<'_> {
    /// Runs a job; an error means that the whole transaction is lost.
    async fn run_job(&mut self, job: &mut dyn Job) -> Result<(), StoreError> {
        if self.prelude == Prelude::Done {
            self.prelude = Prelude::Next;
        }
        let failure = match AssertUnwindSafe(job.run(self)).catch_unwind().await {
            Ok(Ok(true)) => return Ok(()),
            Ok(Ok(false)) => None,
            Ok(Err(error)) => Some(error),
            Err(_) => {
                tracing::error!("a write panicked; it is undone");
                None
            }
        };
        if self.prelude != Prelude::Done {
            return Ok(());
        }
        self.prelude = Prelude::Open;
        match command(self.connection, "ROLLBACK TO job; RELEASE job").await {
            Ok(()) => Ok(()),
            // On a full disk, for instance, SQLite ends the whole transaction by itself. Then nothing that
            // it held was stored, and the failure that ended it is the one to tell.
            Err(error) => Err(match failure {
                Some(StoreError::Unavailable(cause)) => StoreError::Unavailable(cause),
                _ => StoreError::Unavailable(format!("the transaction was lost: {error}")),
            }),
        }
    }
}

#[async_trait]
impl Session for Transaction<'_> {
    async fn run(&mut self, statements: Vec<Statement>) -> Result<Vec<Vec<Row>>, StoreError> {
        let mut sets = Vec::with_capacity(statements.len());
        let mut statements = statements.into_iter().peekable();
        while statements.peek().is_some() {
            let trip: Vec<Statement> = statements.by_ref().take(STATEMENTS_A_TRIP).collect();
            let prelude = std::mem::replace(&mut self.prelude, Prelude::Done);
            let (text, values) = join(prelude.text(), trip);
            let answers = run(&mut *self.connection, text.into(), values).await?;
            sets.extend(answers.into_iter().skip(prelude.statements()));
        }
        Ok(sets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::{SqlStore, Verdict};
    use crate::{AuditLog, SqliteStore, in_transaction};

    fn append(action: &'static str) -> Statement {
        Statement::new(
            "INSERT INTO audit (at, tenant, action, resource, outcome, detail) \
             VALUES (1, 'acme', $1, 'r', 'done', '{}')",
        )
        .bind(action)
    }

    async fn store() -> (SqliteStore, tempfile::TempDir) {
        let directory = tempfile::TempDir::new().unwrap();
        let config = SqliteConfig::at(directory.path().join("berth.db"));
        (SqlStore::open(config).await.unwrap(), directory)
    }

    async fn actions(store: &SqliteStore) -> Vec<String> {
        let rows = store.list_audit(None, 100).await.unwrap();
        rows.into_iter().map(|row| row.action).collect()
    }

    #[tokio::test]
    async fn a_write_that_panics_is_undone_and_stops_nobody() {
        let (store, _directory) = store().await;
        let broken = store.write::<(), _>(|session| {
            Box::pin(async move {
                session.run(vec![append("broken")]).await?;
                panic!("of purpose")
            })
        });
        let whole = store.write(|session| {
            Box::pin(async move {
                session.run(vec![append("whole")]).await?;
                Ok(Verdict::Keep(17))
            })
        });
        let (broken, whole) = tokio::join!(broken, whole);
        assert!(matches!(broken, Err(StoreError::Failed(_))));
        assert_eq!(whole, Ok(17));
        assert_eq!(actions(&store).await, ["whole"]);
    }

    #[tokio::test]
    async fn a_write_knows_that_it_is_in_a_transaction_and_nobody_else_is() {
        let (store, _directory) = store().await;
        let inside = store.write(|session| {
            Box::pin(async move {
                session.run(vec![append("inside")]).await?;
                Ok(Verdict::Keep(in_transaction()))
            })
        });
        let outside = async {
            tokio::task::yield_now().await;
            in_transaction()
        };
        assert_eq!(tokio::join!(inside, outside), (Ok(true), false));
        assert!(!in_transaction());
    }

    #[tokio::test]
    async fn a_failed_statement_undoes_the_job_alone() {
        let (store, _directory) = store().await;
        let write = |action, fails| {
            store.write(move |session| {
                Box::pin(async move {
                    session.run(vec![append(action)]).await?;
                    if fails {
                        session
                            .run(vec![Statement::new("SELECT nothing FROM nowhere")])
                            .await?;
                    }
                    Ok(Verdict::Keep(()))
                })
            })
        };
        let (one, two, three) = tokio::join!(
            write("one", false),
            write("two", true),
            write("three", false)
        );
        assert_eq!((one, three), (Ok(()), Ok(())));
        assert!(matches!(two, Err(StoreError::Failed(_))));
        assert_eq!(actions(&store).await, ["three", "one"]);
    }

    #[tokio::test]
    async fn a_lost_transaction_is_told_to_every_job_in_it() {
        let (store, _directory) = store().await;
        let before = store.write(|session| {
            Box::pin(async move {
                session.run(vec![append("before")]).await?;
                Ok(Verdict::Keep(()))
            })
        });
        // What SQLite does by itself on a full disk.
        let ends_it = store.write(|session| {
            Box::pin(async move {
                session
                    .run(vec![append("ends it"), Statement::new("ROLLBACK")])
                    .await?;
                Ok(Verdict::Discard(()))
            })
        });
        let (before, ends_it) = tokio::join!(before, ends_it);
        assert!(
            matches!(before, Err(StoreError::Unavailable(_))),
            "{before:?}"
        );
        assert!(
            matches!(ends_it, Err(StoreError::Unavailable(_))),
            "{ends_it:?}"
        );
        assert_eq!(actions(&store).await, Vec::<String>::new());
        let after = store.write(|session| {
            Box::pin(async move {
                session.run(vec![append("after")]).await?;
                Ok(Verdict::Keep(()))
            })
        });
        assert_eq!(after.await, Ok(()));
        assert_eq!(actions(&store).await, ["after"]);
    }
}
