//! Offers.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{OfferId, PoolId, TenantId};
use berth_domain::platform::Offer;

use super::page::{one_more, page};
use super::row::read;
use super::statement::json;
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Offers, Page, StoreError};

fn offer(row: &Row) -> Result<Offer, StoreError> {
    Ok(Offer {
        id: row.parsed("id")?,
        pool_id: row.parsed("pool")?,
        tenant_id: row.parsed("tenant")?,
        suspended: row.flag("suspended")?,
        excluded_regions: row.json("excluded_regions")?,
        created_at: row.millis("created_at")?,
    })
}

#[async_trait]
impl<E: Engine> Offers for SqlStore<E> {
    async fn create_offer(
        &self,
        offer: &Offer,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO offers (id, pool, tenant, created_at, suspended, excluded_regions) \
             VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(offer.id.as_str())
        .bind(offer.pool_id.as_str())
        .bind(offer.tenant_id.as_str())
        .bind(offer.created_at)
        .bind(offer.suspended)
        .bind(json(&offer.excluded_regions)?);
        self.insert(insert, Vec::new(), &audit).await
    }

    async fn update_offer(&self, offer: &Offer, audit: Vec<AuditRow>) -> Result<bool, StoreError> {
        let update = Statement::new(
            "UPDATE offers SET suspended = $2, excluded_regions = $3 WHERE id = $1 RETURNING id",
        )
        .bind(offer.id.as_str())
        .bind(offer.suspended)
        .bind(json(&offer.excluded_regions)?);
        self.change(update, Vec::new(), &audit).await
    }

    async fn offer(&self, id: &OfferId) -> Result<Option<Offer>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT id, pool, tenant, suspended, excluded_regions, created_at \
                 FROM offers WHERE id = $1",
            )
            .bind(id.as_str()),
        )
        .await?
        .map(|row| read("offers", &row, offer))
        .transpose()
    }

    async fn delete_offer(&self, id: &OfferId, audit: Vec<AuditRow>) -> Result<bool, StoreError> {
        let delete =
            Statement::new("DELETE FROM offers WHERE id = $1 RETURNING id").bind(id.as_str());
        self.change(delete, Vec::new(), &audit).await
    }

    async fn offers(
        &self,
        pool: Option<&PoolId>,
        tenant: Option<&TenantId>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Offer>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, pool, tenant, suspended, excluded_regions, created_at FROM offers \
                     WHERE ($1 IS NULL OR pool = $1) AND ($2 IS NULL OR tenant = $2) AND id > $3 \
                     ORDER BY id LIMIT $4",
                )
                .bind(pool.map(PoolId::as_str))
                .bind(tenant.map(TenantId::as_str))
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("offers", &rows, limit, offer, |offer| offer.id.to_string())
    }
}
