//! The audit. Rows are appended in the transaction of what they tell of.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::TenantId;

use super::row::read;
use super::statement::{json, optional_text, word};
use super::{Engine, Row, SqlStore, Statement, Verdict};
use crate::{AuditLog, StoreError};

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

fn audit_row(row: &Row) -> Result<AuditRow, StoreError> {
    Ok(AuditRow {
        at: row.millis("at")?,
        request_id: row.optional_parsed("request_id")?,
        principal_id: row.optional_parsed("principal")?,
        tenant_id: row.parsed("tenant")?,
        action: row.text("action")?,
        resource: row.text("resource")?,
        outcome: row.word("outcome")?,
        detail: row.json("detail")?,
    })
}

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

    async fn list_audit(
        &self,
        tenant: Option<&TenantId>,
        limit: u32,
    ) -> Result<Vec<AuditRow>, StoreError> {
        let rows = self
            .read(match tenant {
                Some(tenant) => Statement::new(
                    "SELECT at, request_id, principal, tenant, action, resource, outcome, detail \
                     FROM audit WHERE tenant = $1 ORDER BY sequence DESC LIMIT $2",
                )
                .bind(tenant.as_str())
                .bind(limit),
                None => Statement::new(
                    "SELECT at, request_id, principal, tenant, action, resource, outcome, detail \
                     FROM audit ORDER BY sequence DESC LIMIT $1",
                )
                .bind(limit),
            })
            .await?;
        rows.iter()
            .map(|row| read("audit", row, audit_row))
            .collect()
    }
}
