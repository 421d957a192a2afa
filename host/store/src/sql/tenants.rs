//! Tenants.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::TenantId;
use berth_domain::platform::Tenant;

use super::page::{one_more, page};
use super::row::read;
use super::statement::{json, text};
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, StoreError, Tenants};

/// What compiled policies are cached under moves on.
pub(super) fn bump_policy_version(tenant: &TenantId) -> Statement {
    Statement::new("UPDATE tenants SET policy_version = policy_version + 1 WHERE id = $1")
        .bind(tenant.as_str())
}

fn tenant(row: &Row) -> Result<Tenant, StoreError> {
    Ok(Tenant {
        id: row.parsed("id")?,
        title: row.parsed("title")?,
        quotas: row.json("quotas")?,
        created_at: row.millis("created_at")?,
    })
}

#[async_trait]
impl<E: Engine> Tenants for SqlStore<E> {
    async fn create_tenant(
        &self,
        tenant: &Tenant,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO tenants (id, title, quotas, policy_version, created_at) \
             VALUES ($1, $2, $3, 0, $4) ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(tenant.id.as_str())
        .bind(text(&tenant.title))
        .bind(json(&tenant.quotas)?)
        .bind(tenant.created_at);
        self.insert(insert, Vec::new(), &audit).await
    }

    async fn update_tenant(
        &self,
        tenant: &Tenant,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        let update =
            Statement::new("UPDATE tenants SET title = $2, quotas = $3 WHERE id = $1 RETURNING id")
                .bind(tenant.id.as_str())
                .bind(text(&tenant.title))
                .bind(json(&tenant.quotas)?);
        self.change(update, Vec::new(), &audit).await
    }

    async fn tenant(&self, id: &TenantId) -> Result<Option<Tenant>, StoreError> {
        self.read_one(
            Statement::new("SELECT id, title, quotas, created_at FROM tenants WHERE id = $1")
                .bind(id.as_str()),
        )
        .await?
        .map(|row| read("tenants", &row, tenant))
        .transpose()
    }

    async fn tenants(&self, after: Option<&str>, limit: u32) -> Result<Page<Tenant>, StoreError> {
        // A tenant's id does not tell its age, but no tenant is ever deleted: the cursor's row is there.
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, title, quotas, created_at FROM tenants \
                     WHERE (created_at, id) > \
                         (COALESCE((SELECT created_at FROM tenants WHERE id = $1), -1), $1) \
                     ORDER BY created_at, id LIMIT $2",
                )
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("tenants", &rows, limit, tenant, |tenant| {
            tenant.id.to_string()
        })
    }
}
