//! Policy documents.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{PolicyId, TenantId};
use berth_domain::platform::Policy;

use super::page::{one_more, page};
use super::row::read;
use super::statement::{json, text};
use super::tenants::bump_policy_version;
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, Policies, StoreError};

fn policy(row: &Row) -> Result<Policy, StoreError> {
    Ok(Policy {
        id: row.parsed("id")?,
        tenant_id: row.parsed("tenant")?,
        title: row.parsed("title")?,
        document: row.json("document")?,
        created_at: row.millis("created_at")?,
        updated_at: row.millis("updated_at")?,
    })
}

#[async_trait]
impl<E: Engine> Policies for SqlStore<E> {
    async fn put_policy(
        &self,
        policy: &Policy,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let upsert = Statement::new(
            "INSERT INTO policies (id, tenant, title, document, created_at, updated_at) \
             VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (id) DO UPDATE SET title = excluded.title, \
                 document = excluded.document, updated_at = excluded.updated_at \
             WHERE policies.tenant = excluded.tenant RETURNING id",
        )
        .bind(policy.id.as_str())
        .bind(policy.tenant_id.as_str())
        .bind(text(&policy.title))
        .bind(json(&policy.document)?)
        .bind(policy.created_at)
        .bind(policy.updated_at);
        self.insert(upsert, vec![bump_policy_version(&policy.tenant_id)], &audit)
            .await
    }

    async fn delete_policy(
        &self,
        tenant: &TenantId,
        id: &PolicyId,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        // Its attachments go with it: ON DELETE CASCADE.
        let delete =
            Statement::new("DELETE FROM policies WHERE tenant = $1 AND id = $2 RETURNING id")
                .bind(tenant.as_str())
                .bind(id.as_str());
        self.change(delete, vec![bump_policy_version(tenant)], &audit)
            .await
    }

    async fn policy(&self, tenant: &TenantId, id: &PolicyId) -> Result<Option<Policy>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT id, tenant, title, document, created_at, updated_at FROM policies \
                 WHERE tenant = $1 AND id = $2",
            )
            .bind(tenant.as_str())
            .bind(id.as_str()),
        )
        .await?
        .map(|row| read("policies", &row, policy))
        .transpose()
    }

    async fn policies(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Policy>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, tenant, title, document, created_at, updated_at FROM policies \
                     WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("policies", &rows, limit, policy, |policy| {
            policy.id.to_string()
        })
    }

    async fn policy_version(&self, tenant: &TenantId) -> Result<u64, StoreError> {
        self.read_one(
            Statement::new("SELECT id, policy_version FROM tenants WHERE id = $1")
                .bind(tenant.as_str()),
        )
        .await?
        .map_or(Ok(0), |row| {
            read("tenants", &row, |row| row.count("policy_version"))
        })
    }
}
