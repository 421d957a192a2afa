//! A tenant's resources in pages.

use berth_domain::id::{PoolId, ProjectId, TenantId};
use berth_domain::input::KindId;
use berth_domain::manifest::Family;
use berth_domain::resource::Resource;
use berth_domain::time::Millis;

use super::super::page::{cut, one_more};
use super::super::{Engine, SqlStore, Statement};
use super::columns::{resource_columns, stored};
use crate::{ListCursor, ListFilter, Page, StoreError};

const LIST: &str = concat!(
    "SELECT ",
    resource_columns!(),
    " FROM resources WHERE tenant = $1 AND (created_at, id) > ($2, $3) \
     AND ($4 IS NULL OR pool = $4) AND ($5 IS NULL OR project = $5) \
     AND ($6 IS NULL OR kind = $6) AND ($7 IS NULL OR family = $7) \
     AND (live = 1 OR $8 = 1) \
     ORDER BY created_at, id LIMIT $9"
);

impl<E: Engine> SqlStore<E> {
    pub(super) async fn list_resources(
        &self,
        tenant: &TenantId,
        filter: &ListFilter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Resource>, StoreError> {
        let (at, id) = match after {
            Some(text) => {
                let cursor: ListCursor = text
                    .parse()
                    .map_err(|error| StoreError::Failed(format!("{error}: `{text}`")))?;
                (cursor.created_at, cursor.id.to_string())
            }
            None => (Millis(i64::MIN), String::new()),
        };
        let rows = self
            .read(
                Statement::new(LIST)
                    .bind(tenant.as_str())
                    .bind(at)
                    .bind(id.as_str())
                    .bind(filter.pool.as_ref().map(PoolId::as_str))
                    .bind(filter.project.as_ref().map(ProjectId::as_str))
                    .bind(filter.kind.as_ref().map(KindId::as_str))
                    .bind(filter.family.map(Family::as_str))
                    .bind(filter.include_ended)
                    .bind(one_more(limit)),
            )
            .await?;
        let items = rows
            .iter()
            .map(|row| Ok(stored(row)?.row))
            .collect::<Result<Vec<Resource>, StoreError>>()?;
        Ok(cut(items, limit, |row| ListCursor::after(row).to_string()))
    }
}
