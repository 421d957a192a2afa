//! Budgets.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{BudgetId, TenantId};
use berth_domain::money::Budget;

use super::page::{one_more, page};
use super::row::read;
use super::statement::optional_text;
use super::{Engine, Row, SqlStore, Statement, Verdict, audit};
use crate::{Budgets, Page, StoreError};

fn budget(row: &Row) -> Result<Budget, StoreError> {
    Ok(Budget {
        id: row.parsed("id")?,
        tenant_id: row.parsed("tenant")?,
        project_id: row.optional_parsed("project")?,
        currency: row.parsed("currency")?,
        micros: row.count("micros")?,
        created_at: row.millis("created_at")?,
        updated_at: row.millis("updated_at")?,
    })
}

#[async_trait]
impl<E: Engine> Budgets for SqlStore<E> {
    async fn put_budget(
        &self,
        budget: &Budget,
        audit_rows: Vec<AuditRow>,
    ) -> Result<Budget, StoreError> {
        let put = Statement::new(
            "INSERT INTO budgets (id, tenant, project, currency, micros, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) \
             ON CONFLICT (tenant, COALESCE(project, ''), currency) \
                 DO UPDATE SET micros = excluded.micros, updated_at = excluded.updated_at \
             RETURNING id, tenant, project, currency, micros, created_at, updated_at",
        )
        .bind(budget.id.as_str())
        .bind(budget.tenant_id.as_str())
        .bind(optional_text(budget.project_id.as_ref()))
        .bind(budget.currency.as_str())
        .bind(budget.micros)
        .bind(budget.created_at)
        .bind(budget.updated_at);
        let mut statements = vec![put];
        statements.extend(audit::append(&audit_rows)?);
        self.write(move |session| {
            Box::pin(async move {
                let sets = session.run(statements).await?;
                match sets.first().and_then(|rows| rows.first()) {
                    Some(row) => Ok(Verdict::Keep(read("budgets", row, self::budget)?)),
                    None => Err(StoreError::Failed(
                        "a budget that was put was not returned".to_owned(),
                    )),
                }
            })
        })
        .await
    }

    async fn delete_budget(
        &self,
        tenant: &TenantId,
        id: &BudgetId,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        let delete =
            Statement::new("DELETE FROM budgets WHERE id = $1 AND tenant = $2 RETURNING id")
                .bind(id.as_str())
                .bind(tenant.as_str());
        self.change(delete, Vec::new(), &audit).await
    }

    async fn budgets(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Budget>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, tenant, project, currency, micros, created_at, updated_at \
                     FROM budgets WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("budgets", &rows, limit, budget, |budget| {
            budget.id.to_string()
        })
    }
}
