//! The audit. Rows are appended in the transaction of what they tell of.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::audit::chain::{RawRow, Seal};

use super::row::read;
use super::statement::{json, optional_text, text, word};
use super::{Datum, Engine, Row, SqlStore, Statement, Verdict};
use crate::{AuditEntry, AuditFilter, AuditLog, AuditMarks, StoreError};

const APPEND: &str = "INSERT INTO audit \
    (at, request_id, principal, tenant, action, resource, outcome, detail) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// The statements that append rows.
pub(super) fn append(rows: &[AuditRow]) -> Result<Vec<Statement>, StoreError> {
    rows.iter()
        .map(|row| {
            Ok(Statement::new(APPEND)
                .bind(row.at)
                .bind(optional_text(row.request_id.as_ref()))
                .bind(optional_text(row.principal_id.as_ref()))
                .bind(row.tenant_id.as_str())
                .bind(row.action.as_str())
                .bind(row.resource.as_str())
                .bind(word(&row.outcome)?)
                .bind(json(&row.detail)?))
        })
        .collect()
}

fn entry(row: &Row) -> Result<AuditEntry, StoreError> {
    Ok(AuditEntry {
        sequence: row.count("sequence")?,
        row: AuditRow {
            at: row.millis("at")?,
            request_id: row.optional_parsed("request_id")?,
            principal_id: row.optional_parsed("principal")?,
            tenant_id: row.parsed("tenant")?,
            action: row.text("action")?,
            resource: row.text("resource")?,
            outcome: row.word("outcome")?,
            detail: row.json("detail")?,
        },
    })
}

fn raw(row: &Row) -> Result<RawRow, StoreError> {
    Ok(RawRow {
        sequence: row.count("sequence")?,
        at: row.millis("at")?,
        request_id: row.optional_text("request_id")?,
        principal: row.optional_text("principal")?,
        tenant: row.text("tenant")?,
        action: row.text("action")?,
        resource: row.text("resource")?,
        outcome: row.text("outcome")?,
        detail: row.text("detail")?,
    })
}

fn seal(row: &Row) -> Result<Seal, StoreError> {
    Ok(Seal {
        sequence: row.count("sequence")?,
        format: row.count("format")?,
        first: row.count("first_row")?,
        last: row.count("last_row")?,
        rows: row.count("row_count")?,
        previous: row.parsed("previous")?,
        hash: row.parsed("hash")?,
        sealed_at: row.millis("sealed_at")?,
    })
}

/// Where a walk begins: before any sequence there may be, those included that nobody gives.
fn beginning(after: u64) -> Datum {
    match after {
        0 => i64::MIN.into(),
        after => after.into(),
    }
}

const SEALS: &str = "SELECT sequence, CAST(sequence AS TEXT) AS id, format, first_row, last_row, row_count, \
         previous, hash, sealed_at \
     FROM audit_seals WHERE sequence > $1 ";

#[async_trait]
impl<E: Engine> AuditLog for SqlStore<E> {
    async fn append_audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError> {
        let statements = append(&rows)?;
        self.write(move |session| {
            Box::pin(async move {
                session.run(statements).await?;
                Ok(Verdict::Keep(()))
            })
        })
        .await
    }

    async fn find_audit(
        &self,
        filter: &AuditFilter,
        limit: u32,
    ) -> Result<Vec<AuditEntry>, StoreError> {
        // Conditions that do not count are left out: an index serves only what it is asked for.
        let mut find = Statement::new("");
        let mut conditions = Vec::new();
        let mut narrow = |condition: &str, value| {
            find.values.push(value);
            conditions.push(condition.replace('?', &format!("${}", find.values.len())));
        };
        if let Some(tenant) = &filter.tenant {
            narrow("tenant = ?", text(tenant));
        }
        if let Some(resource) = &filter.resource {
            narrow("resource = ?", text(resource));
        }
        if let Some(action) = &filter.action {
            narrow("action = ?", text(action));
        }
        if let Some(principal) = &filter.principal {
            narrow("principal = ?", text(principal));
        }
        if let Some(request) = &filter.request {
            narrow("request_id = ?", text(request));
        }
        if let Some(outcome) = &filter.outcome {
            narrow("outcome = ?", word(outcome)?);
        }
        if let Some(before) = filter.before {
            narrow("sequence < ?", before.into());
        }
        if let Some(from) = filter.from {
            narrow("sequence >= ?", from.into());
        }
        let conditions = if conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {} ", conditions.join(" AND "))
        };
        find.values.push(limit.into());
        find.text = format!(
            "SELECT sequence, CAST(sequence AS TEXT) AS id, at, request_id, principal, tenant, \
                 action, resource, outcome, detail \
             FROM audit {conditions}ORDER BY sequence DESC LIMIT ${}",
            find.values.len()
        )
        .into();
        let rows = self.read(find).await?;
        rows.iter().map(|row| read("audit", row, entry)).collect()
    }

    async fn raw_audit(
        &self,
        after: u64,
        up_to: u64,
        limit: u32,
    ) -> Result<Vec<RawRow>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT sequence, CAST(sequence AS TEXT) AS id, at, request_id, principal, \
                         tenant, action, resource, outcome, detail \
                     FROM audit WHERE sequence > $1 AND sequence <= $2 ORDER BY sequence LIMIT $3",
                )
                .bind(beginning(after))
                .bind(up_to)
                .bind(limit),
            )
            .await?;
        rows.iter().map(|row| read("audit", row, raw)).collect()
    }

    async fn last_seal(&self) -> Result<Option<Seal>, StoreError> {
        self.read_one(Statement::new(format!("{SEALS} ORDER BY sequence DESC LIMIT 1")).bind(0_u64))
            .await?
            .map(|row| read("audit_seals", &row, seal))
            .transpose()
    }

    async fn seals(&self, after: u64, limit: u32) -> Result<Vec<Seal>, StoreError> {
        let rows = self
            .read(
                Statement::new(format!("{SEALS} ORDER BY sequence LIMIT $2"))
                    .bind(beginning(after))
                    .bind(limit),
            )
            .await?;
        rows.iter()
            .map(|row| read("audit_seals", row, seal))
            .collect()
    }

    async fn put_seal(&self, seal: &Seal) -> Result<bool, StoreError> {
        let insert = Statement::new(
            "INSERT INTO audit_seals \
                 (sequence, format, first_row, last_row, row_count, previous, hash, sealed_at) \
             SELECT $1, $2, $3, $4, $5, $6, $7, $8 \
             WHERE COALESCE((SELECT MAX(sequence) FROM audit_seals), 0) = $1 - 1 \
             RETURNING sequence",
        )
        .bind(seal.sequence)
        .bind(seal.format)
        .bind(seal.first)
        .bind(seal.last)
        .bind(seal.rows)
        .bind(text(seal.previous))
        .bind(text(seal.hash))
        .bind(seal.sealed_at);
        self.change(insert, Vec::new(), &[]).await
    }

    async fn audit_marks(&self) -> Result<AuditMarks, StoreError> {
        let row = self.read_one(Statement::new(E::AUDIT_MARKS)).await?;
        let row = row.ok_or_else(|| StoreError::Failed("no marks of the audit".to_owned()))?;
        let given = |column| {
            row.optional_integer(column)
                .map(|given| given.and_then(|given| u64::try_from(given).ok()))
        };
        Ok(AuditMarks {
            row: row.count("row_there")?,
            row_given: given("row_given")?,
            seal: row.count("seal_there")?,
            seal_given: given("seal_given")?,
        })
    }
}
