//! Projects.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{ProjectId, TenantId};
use berth_domain::platform::Project;

use super::page::{one_more, page};
use super::row::read;
use super::statement::text;
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, Projects, StoreError};

fn project(row: &Row) -> Result<Project, StoreError> {
    Ok(Project {
        id: row.parsed("id")?,
        tenant_id: row.parsed("tenant")?,
        title: row.parsed("title")?,
        created_at: row.millis("created_at")?,
    })
}

#[async_trait]
impl<E: Engine> Projects for SqlStore<E> {
    async fn create_project(
        &self,
        project: &Project,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO projects (id, tenant, title, created_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(project.id.as_str())
        .bind(project.tenant_id.as_str())
        .bind(text(&project.title))
        .bind(project.created_at);
        self.insert(insert, Vec::new(), &audit).await
    }

    async fn project(
        &self,
        tenant: &TenantId,
        id: &ProjectId,
    ) -> Result<Option<Project>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT id, tenant, title, created_at FROM projects WHERE tenant = $1 AND id = $2",
            )
            .bind(tenant.as_str())
            .bind(id.as_str()),
        )
        .await?
        .map(|row| read("projects", &row, project))
        .transpose()
    }

    async fn projects(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Project>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, tenant, title, created_at FROM projects \
                     WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("projects", &rows, limit, project, |project| {
            project.id.to_string()
        })
    }
}
