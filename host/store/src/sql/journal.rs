//! The journal of requests that may change something at a provider.

use async_trait::async_trait;
use berth_domain::id::{EntryId, ResourceId};
use berth_domain::time::Millis;

use super::row::read;
use super::{Engine, Row, SqlStore, Statement, Verdict};
use crate::{Journal, JournalEntry, JournalOutcome, StoreError};

const ANSWERED: &str = "answered";
const NOT_SENT: &str = "notSent";
const LOST: &str = "lost";

fn outcome_columns(outcome: Option<&JournalOutcome>) -> (Option<&'static str>, Option<u16>) {
    match outcome {
        None => (None, None),
        Some(JournalOutcome::Answered(status)) => (Some(ANSWERED), Some(*status)),
        Some(JournalOutcome::NotSent) => (Some(NOT_SENT), None),
        Some(JournalOutcome::Lost) => (Some(LOST), None),
    }
}

fn outcome(row: &Row) -> Result<Option<JournalOutcome>, StoreError> {
    Ok(match row.optional_text("outcome")?.as_deref() {
        None => None,
        Some(ANSWERED) => Some(JournalOutcome::Answered(row.count("status")?)),
        Some(NOT_SENT) => Some(JournalOutcome::NotSent),
        Some(LOST) => Some(JournalOutcome::Lost),
        Some(other) => {
            return Err(StoreError::Unreadable(format!(
                "column `outcome`: unknown outcome `{other}`"
            )));
        }
    })
}

fn entry(row: &Row) -> Result<JournalEntry, StoreError> {
    Ok(JournalEntry {
        id: row.parsed("id")?,
        run: row.parsed("run")?,
        resource: row.parsed("resource")?,
        account: row.parsed("account")?,
        operation: row.text("operation")?,
        method: row.text("method")?,
        target: row.text("target")?,
        body: row.optional_text("body")?,
        at: row.millis("at")?,
        outcome: outcome(row)?,
    })
}

fn status_value(status: Option<u16>) -> super::Datum {
    super::Datum::Integer(status.map(i64::from))
}

#[async_trait]
impl<E: Engine> Journal for SqlStore<E> {
    async fn journal_open(&self, entry: &JournalEntry) -> Result<(), StoreError> {
        let (outcome, status) = outcome_columns(entry.outcome.as_ref());
        let insert = Statement::new(
            "INSERT INTO journal (id, run, resource, account, operation, method, target, body, \
                 at, outcome, status) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        )
        .bind(entry.id.as_str())
        .bind(entry.run.as_str())
        .bind(entry.resource.as_str())
        .bind(entry.account.as_str())
        .bind(entry.operation.as_str())
        .bind(entry.method.as_str())
        .bind(entry.target.as_str())
        .bind(entry.body.as_deref())
        .bind(entry.at)
        .bind(outcome)
        .bind(status_value(status));
        self.write(move |session| {
            Box::pin(async move {
                session.run(vec![insert]).await?;
                Ok(Verdict::Keep(()))
            })
        })
        .await
    }

    async fn journal_close(
        &self,
        id: &EntryId,
        outcome: JournalOutcome,
        at: Millis,
    ) -> Result<(), StoreError> {
        let (outcome, status) = outcome_columns(Some(&outcome));
        let update = Statement::new(
            "UPDATE journal SET outcome = $2, status = $3, closed_at = $4 WHERE id = $1 \
             RETURNING id",
        )
        .bind(id.as_str())
        .bind(outcome)
        .bind(status_value(status))
        .bind(at);
        if self.change(update, Vec::new(), &[]).await? {
            Ok(())
        } else {
            Err(StoreError::Failed(format!(
                "no journal entry {id} to close"
            )))
        }
    }

    async fn journal_of(
        &self,
        resource: &ResourceId,
        limit: u32,
    ) -> Result<Vec<JournalEntry>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, run, resource, account, operation, method, target, body, at, \
                         outcome, status \
                     FROM journal WHERE resource = $1 ORDER BY at DESC, id DESC LIMIT $2",
                )
                .bind(resource.as_str())
                .bind(limit),
            )
            .await?;
        rows.iter().map(|row| read("journal", row, entry)).collect()
    }

    async fn journal_prune(&self, before: Millis, limit: u32) -> Result<u64, StoreError> {
        let delete = Statement::new(
            "DELETE FROM journal WHERE id IN (SELECT id FROM journal \
                 WHERE outcome IS NOT NULL AND at < $1 ORDER BY at LIMIT $2) RETURNING id",
        )
        .bind(before)
        .bind(limit);
        self.write(move |session| {
            Box::pin(async move {
                let dropped = session.all(delete).await?.len();
                Ok(Verdict::Keep(u64::try_from(dropped).unwrap_or(u64::MAX)))
            })
        })
        .await
    }
}
