//! The price book.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{PoolId, TenantId};
use berth_domain::input::{Currency, KindId, MeterName};
use berth_domain::money::Price;
use berth_domain::time::Millis;

use super::page::{one_more, page};
use super::row::read;
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, Prices, StoreError};

fn price(row: &Row) -> Result<Price, StoreError> {
    Ok(Price {
        id: row.parsed("id")?,
        meter: row.parsed("meter")?,
        kind: row.optional_parsed("kind")?,
        pool_id: row.optional_parsed("pool")?,
        currency: row.parsed("currency")?,
        micros: row.count("micros")?,
        valid_from: row.millis("valid_from")?,
        created_at: row.millis("created_at")?,
    })
}

#[async_trait]
impl<E: Engine> Prices for SqlStore<E> {
    async fn create_price(
        &self,
        price: &Price,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO prices (id, meter, kind, pool, currency, micros, valid_from, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(price.id.as_str())
        .bind(price.meter.as_str())
        .bind(price.kind.as_ref().map(KindId::as_str))
        .bind(price.pool_id.as_ref().map(PoolId::as_str))
        .bind(price.currency.as_str())
        .bind(price.micros)
        .bind(price.valid_from)
        .bind(price.created_at);
        self.insert(insert, Vec::new(), &audit).await
    }

    async fn prices(
        &self,
        tenant: Option<&TenantId>,
        meter: Option<&MeterName>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Price>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, meter, kind, pool, currency, micros, valid_from, created_at \
                     FROM prices \
                     WHERE id > $3 AND ($2 IS NULL OR meter = $2) \
                         AND ($1 IS NULL OR pool IS NULL \
                             OR pool IN (SELECT pools.id FROM pools WHERE pools.tenant = $1) \
                             OR pool IN (SELECT offers.pool FROM offers WHERE offers.tenant = $1)) \
                     ORDER BY id LIMIT $4",
                )
                .bind(tenant.map(TenantId::as_str))
                .bind(meter.map(MeterName::as_str))
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("prices", &rows, limit, price, |price| price.id.to_string())
    }

    /// Of each meter, kind and pool the prices that begin in the time, and the one that held when it began.
    async fn prices_in_force(
        &self,
        currency: &Currency,
        from: Millis,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<Price>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, meter, kind, pool, currency, micros, valid_from, created_at \
                     FROM prices \
                     WHERE currency = $1 AND valid_from < $3 AND NOT EXISTS ( \
                         SELECT 1 FROM prices later \
                         WHERE later.currency = $1 AND later.meter = prices.meter \
                             AND COALESCE(later.kind, '') = COALESCE(prices.kind, '') \
                             AND COALESCE(later.pool, '') = COALESCE(prices.pool, '') \
                             AND later.valid_from <= $2 \
                             AND (later.valid_from, later.created_at, later.id) \
                                 > (prices.valid_from, prices.created_at, prices.id)) \
                     ORDER BY id LIMIT $4",
                )
                .bind(currency.as_str())
                .bind(from)
                .bind(until)
                .bind(limit),
            )
            .await?;
        rows.iter().map(|row| read("prices", row, price)).collect()
    }
}
