//! Pools, and who sees them: their owner, and those whom they are offered to.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{PoolId, TenantId};
use berth_domain::platform::{Offer, Pool};

use super::page::{one_more, page};
use super::row::read;
use super::statement::{optional_text, text, word};
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, Pools, StoreError};

fn pool(row: &Row) -> Result<Pool, StoreError> {
    Ok(Pool {
        id: row.parsed("id")?,
        tenant_id: row.parsed("tenant")?,
        title: row.parsed("title")?,
        pool_type: row.word("pool_type")?,
        account_id: row.optional_parsed("account")?,
        billing_mode: row.word("billing_mode")?,
        created_at: row.millis("created_at")?,
    })
}

fn pool_with_offer(row: &Row) -> Result<(Pool, Option<Offer>), StoreError> {
    let pool = pool(row)?;
    let offer = match row.optional_parsed("offer")? {
        Some(id) => Some(Offer {
            id,
            pool_id: pool.id.clone(),
            tenant_id: row.parsed("offered_to")?,
            suspended: row.flag("offer_suspended")?,
            excluded_regions: row.json("offer_excluded_regions")?,
            created_at: row.millis("offered_at")?,
        }),
        None => None,
    };
    Ok((pool, offer))
}

#[async_trait]
impl<E: Engine> Pools for SqlStore<E> {
    async fn create_pool(&self, pool: &Pool, audit: Vec<AuditRow>) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO pools (id, tenant, title, pool_type, account, billing_mode, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(pool.id.as_str())
        .bind(pool.tenant_id.as_str())
        .bind(text(&pool.title))
        .bind(word(&pool.pool_type)?)
        .bind(optional_text(pool.account_id.as_ref()))
        .bind(word(&pool.billing_mode)?)
        .bind(pool.created_at);
        self.insert(insert, Vec::new(), &audit).await
    }

    async fn update_pool(&self, pool: &Pool, audit: Vec<AuditRow>) -> Result<bool, StoreError> {
        let update = Statement::new(
            "UPDATE pools SET title = $2, billing_mode = $3 WHERE id = $1 AND tenant = $4 RETURNING id",
        )
        .bind(pool.id.as_str())
        .bind(text(&pool.title))
        .bind(word(&pool.billing_mode)?)
        .bind(pool.tenant_id.as_str());
        self.change(update, Vec::new(), &audit).await
    }

    async fn visible_pool(
        &self,
        tenant: &TenantId,
        id: &PoolId,
    ) -> Result<Option<(Pool, Option<Offer>)>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT pools.id AS id, pools.tenant AS tenant, pools.title AS title, \
                     pools.pool_type AS pool_type, pools.account AS account, \
                     pools.billing_mode AS billing_mode, pools.created_at AS created_at, \
                     offers.suspended AS offer_suspended, \
                     offers.excluded_regions AS offer_excluded_regions, \
                     offers.id AS offer, offers.tenant AS offered_to, \
                     offers.created_at AS offered_at \
                 FROM pools \
                 LEFT JOIN offers ON offers.pool = pools.id AND offers.tenant = $1 \
                 WHERE pools.id = $2 AND (pools.tenant = $1 OR offers.id IS NOT NULL)",
            )
            .bind(tenant.as_str())
            .bind(id.as_str()),
        )
        .await?
        .map(|row| read("pools", &row, pool_with_offer))
        .transpose()
    }

    async fn pool(&self, id: &PoolId) -> Result<Option<Pool>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT id, tenant, title, pool_type, account, billing_mode, created_at \
                 FROM pools WHERE id = $1",
            )
            .bind(id.as_str()),
        )
        .await?
        .map(|row| read("pools", &row, pool))
        .transpose()
    }

    async fn visible_pools(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Pool>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, tenant, title, pool_type, account, billing_mode, created_at \
                     FROM pools \
                     WHERE id > $2 AND (tenant = $1 \
                         OR id IN (SELECT pool FROM offers WHERE offers.tenant = $1)) \
                     ORDER BY id LIMIT $3",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("pools", &rows, limit, pool, |pool| pool.id.to_string())
    }
}
