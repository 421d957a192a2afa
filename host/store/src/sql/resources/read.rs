//! Reading resources and counting them.

use berth_domain::id::{AccountId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::resource::Resource;
use berth_domain::time::Millis;

use super::super::row::read;
use super::super::statement::json;
use super::super::{Engine, Row, Session, SqlStore, Statement};
use super::columns::{resource_columns, stored};
use crate::{RecordedObject, StoreError, StoredResource};

const ONE: &str = concat!(
    "SELECT ",
    resource_columns!(),
    " FROM resources WHERE id = $1"
);

/// A resource as the transaction sees it.
pub(super) async fn read_in(
    session: &mut dyn Session,
    id: &ResourceId,
) -> Result<StoredResource, StoreError> {
    match session.one(Statement::new(ONE).bind(id.as_str())).await? {
        Some(row) => stored(&row),
        None => Err(StoreError::Failed(format!(
            "there is no resource {id} to write"
        ))),
    }
}

fn kind_count(row: &Row) -> Result<(KindId, u32), StoreError> {
    Ok((row.parsed("kind")?, row.count("live")?))
}

impl<E: Engine> SqlStore<E> {
    pub(super) async fn read_resource(
        &self,
        id: &ResourceId,
    ) -> Result<Option<StoredResource>, StoreError> {
        self.read_one(Statement::new(ONE).bind(id.as_str()))
            .await?
            .map(|row| stored(&row))
            .transpose()
    }

    pub(super) async fn read_children(
        &self,
        parent: &ResourceId,
    ) -> Result<Vec<StoredResource>, StoreError> {
        let rows = self
            .read(
                Statement::new(concat!(
                    "SELECT ",
                    resource_columns!(),
                    " FROM resources WHERE parent = $1 AND live = 1 ORDER BY created_at, id"
                ))
                .bind(parent.as_str()),
            )
            .await?;
        rows.iter().map(stored).collect()
    }

    pub(super) async fn count_live_children(&self, parent: &ResourceId) -> Result<u32, StoreError> {
        self.read_one(
            Statement::new("SELECT COUNT(*) AS live FROM resources WHERE parent = $1 AND live = 1")
                .bind(parent.as_str()),
        )
        .await?
        .map_or(Ok(0), |row| row.count("live"))
    }

    pub(super) async fn count_live_by_kind(
        &self,
        tenant: &TenantId,
    ) -> Result<Vec<(KindId, u32)>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT kind, COUNT(*) AS live FROM resources \
                     WHERE tenant = $1 AND live = 1 GROUP BY kind ORDER BY kind",
                )
                .bind(tenant.as_str()),
            )
            .await?;
        rows.iter()
            .map(|row| read("resources", row, kind_count))
            .collect()
    }

    pub(super) async fn count_live_of_provider(
        &self,
        provider: &str,
    ) -> Result<Vec<(KindId, u32)>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT kind, COUNT(*) AS live FROM resources \
                     WHERE provider = $1 AND live = 1 GROUP BY kind ORDER BY kind",
                )
                .bind(provider),
            )
            .await?;
        rows.iter()
            .map(|row| read("resources", row, kind_count))
            .collect()
    }

    /// A row under lease is due when its lease ends: until then somebody is at work on it.
    pub(super) async fn read_next_due(&self) -> Result<Option<Millis>, StoreError> {
        let row = self
            .read_one(Statement::new(
                "SELECT \
                     (SELECT next_run_at FROM resources \
                         WHERE next_run_at IS NOT NULL AND lease_until IS NULL \
                         ORDER BY next_run_at LIMIT 1) AS free, \
                     (SELECT MIN(CASE WHEN next_run_at IS NULL THEN NULL \
                             WHEN lease_until > next_run_at THEN lease_until \
                             ELSE next_run_at END) FROM resources \
                         WHERE lease_until IS NOT NULL) AS leased",
            ))
            .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let due = [row.optional_millis("free")?, row.optional_millis("leased")?];
        Ok(due.into_iter().flatten().min())
    }

    pub(super) async fn read_due_for_refresh(
        &self,
        account: &AccountId,
        kind: &KindId,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<ResourceId>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id FROM resources \
                     WHERE account = $1 AND kind = $2 AND next_run_at <= $3 \
                         AND next_run_at IS NOT NULL AND lease_until IS NULL AND live = 1 \
                     ORDER BY next_run_at, id LIMIT $4",
                )
                .bind(account.as_str())
                .bind(kind.as_str())
                .bind(until)
                .bind(limit),
            )
            .await?;
        rows.iter()
            .map(|row| read("resources", row, |row| row.parsed("id")))
            .collect()
    }

    pub(super) async fn read_provider_id_taken(
        &self,
        row: &Resource,
        provider_id: &str,
    ) -> Result<Option<ResourceId>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT id FROM resources \
                 WHERE account = $1 AND kind = $2 AND COALESCE(parent, '') = $3 \
                     AND provider_id = $4 AND live = 1 AND id <> $5",
            )
            .bind(row.account.as_str())
            .bind(row.kind.as_str())
            .bind(row.parent.as_ref().map_or("", ResourceId::as_str))
            .bind(provider_id)
            .bind(row.id.as_str()),
        )
        .await?
        .map(|row| read("resources", &row, |row| row.parsed("id")))
        .transpose()
    }

    pub(super) async fn read_recorded_objects(
        &self,
        account: &AccountId,
        provider_ids: &[String],
    ) -> Result<Vec<RecordedObject>, StoreError> {
        if provider_ids.is_empty() {
            return Ok(Vec::new());
        }
        let one_of = E::one_of("provider_id", "$2");
        let rows = self
            .read(
                Statement::new(format!(
                    "SELECT id, tenant, kind, provider_id FROM resources \
                     WHERE account = $1 AND live = 1 AND {one_of} ORDER BY created_at, id"
                ))
                .bind(account.as_str())
                .bind(json(&provider_ids)?),
            )
            .await?;
        rows.iter()
            .map(|row| read("resources", row, recorded_object))
            .collect()
    }
}

fn recorded_object(row: &Row) -> Result<RecordedObject, StoreError> {
    Ok(RecordedObject {
        resource: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        kind: row.parsed("kind")?,
        provider_id: row.text("provider_id")?,
    })
}
