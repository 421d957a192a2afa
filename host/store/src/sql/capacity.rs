//! Capacity: what tenants may book, and what their live rows hold.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{PoolId, ResourceId, TenantId};
use berth_domain::input::CapacityName;
use berth_domain::platform::CapacityQuota;
use berth_domain::resource::{Amounts, Resource};

use super::page::{one_more, page};
use super::row::read;
use super::{Engine, Row, Session, SqlStore, Statement};
use crate::{Capacities, CapacityShortage, Page, StoreError};

/// What stands between the parts of a page's cursor: no id has it.
const BETWEEN: char = '/';

fn quota(row: &Row) -> Result<CapacityQuota, StoreError> {
    Ok(CapacityQuota {
        tenant_id: row.parsed("tenant")?,
        pool_id: row.parsed("pool")?,
        capacity: row.parsed("capacity")?,
        amount: row.count("amount")?,
        updated_at: row.millis("updated_at")?,
    })
}

/// The rows that hold something, save one. The condition is the index's own, word for word.
fn holding(tenant: &TenantId, pool: &PoolId, except: Option<&ResourceId>) -> Statement {
    Statement::new(
        "SELECT id, held FROM resources \
         WHERE tenant = $1 AND pool = $2 AND live = 1 AND held <> '{}' AND id <> $3",
    )
    .bind(tenant.as_str())
    .bind(pool.as_str())
    .bind(except.map_or("", ResourceId::as_str))
}

fn sum(rows: &[Row]) -> Result<Amounts, StoreError> {
    let mut sum = Amounts::new();
    for row in rows {
        let held: Amounts = read("resources", row, |row| row.json("held"))?;
        for (capacity, amount) in held {
            let total: &mut u64 = sum.entry(capacity).or_default();
            *total = total.saturating_add(amount);
        }
    }
    Ok(sum)
}

/// What a row's write would book beyond the tenant's quota. Only growth is looked at: a quota that was
/// lowered takes nothing back.
pub(super) async fn shortage(
    session: &mut dyn Session,
    row: &Resource,
    held_before: &Amounts,
    default: u64,
) -> Result<Option<CapacityShortage>, StoreError> {
    let grows = |(capacity, amount): &(&String, &u64)| {
        **amount > held_before.get(*capacity).copied().unwrap_or(0)
    };
    let mut growing = row.held.iter().filter(grows).peekable();
    if growing.peek().is_none() {
        return Ok(None);
    }
    let mut sets = session
        .run(vec![
            holding(&row.tenant, &row.pool, Some(&row.id)),
            Statement::new(
                "SELECT tenant, pool, capacity, amount, updated_at FROM capacity_quotas \
                 WHERE tenant = $1 AND pool = $2",
            )
            .bind(row.tenant.as_str())
            .bind(row.pool.as_str()),
        ])
        .await?
        .into_iter();
    let booked = sum(&sets.next().unwrap_or_default())?;
    let quotas = sets
        .next()
        .unwrap_or_default()
        .iter()
        .map(|row| read("capacity_quotas", row, quota))
        .collect::<Result<Vec<_>, _>>()?;
    for (capacity, wanted) in growing {
        let limit = quotas
            .iter()
            .find(|quota| quota.capacity.as_str() == capacity)
            .map_or(default, |quota| quota.amount);
        let booked = booked.get(capacity).copied().unwrap_or(0);
        if booked.saturating_add(*wanted) > limit {
            return Ok(Some(CapacityShortage {
                capacity: capacity.clone(),
                limit,
                booked,
                wanted: *wanted,
            }));
        }
    }
    Ok(None)
}

#[async_trait]
impl<E: Engine> Capacities for SqlStore<E> {
    async fn put_quota(
        &self,
        quota: &CapacityQuota,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        let put = Statement::new(
            "INSERT INTO capacity_quotas (tenant, pool, capacity, amount, updated_at) \
             SELECT $1, $2, $3, $4, $5 \
             WHERE EXISTS (SELECT 1 FROM tenants WHERE tenants.id = $1) \
                 AND EXISTS (SELECT 1 FROM pools WHERE pools.id = $2) \
             ON CONFLICT (tenant, pool, capacity) \
                 DO UPDATE SET amount = excluded.amount, updated_at = excluded.updated_at \
             RETURNING tenant",
        )
        .bind(quota.tenant_id.as_str())
        .bind(quota.pool_id.as_str())
        .bind(quota.capacity.as_str())
        .bind(quota.amount)
        .bind(quota.updated_at);
        self.change(put, Vec::new(), &audit).await
    }

    async fn delete_quota(
        &self,
        tenant: &TenantId,
        pool: &PoolId,
        capacity: &CapacityName,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        let delete = Statement::new(
            "DELETE FROM capacity_quotas WHERE tenant = $1 AND pool = $2 AND capacity = $3 \
             RETURNING tenant",
        )
        .bind(tenant.as_str())
        .bind(pool.as_str())
        .bind(capacity.as_str());
        self.change(delete, Vec::new(), &audit).await
    }

    async fn quota(
        &self,
        tenant: &TenantId,
        pool: &PoolId,
        capacity: &CapacityName,
    ) -> Result<Option<CapacityQuota>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT tenant, pool, capacity, amount, updated_at FROM capacity_quotas \
                 WHERE tenant = $1 AND pool = $2 AND capacity = $3",
            )
            .bind(tenant.as_str())
            .bind(pool.as_str())
            .bind(capacity.as_str()),
        )
        .await?
        .map(|row| read("capacity_quotas", &row, quota))
        .transpose()
    }

    async fn quotas(
        &self,
        tenant: Option<&TenantId>,
        pool: Option<&PoolId>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<CapacityQuota>, StoreError> {
        let mut parts = after.unwrap_or_default().splitn(3, BETWEEN);
        let mut part = || parts.next().unwrap_or_default();
        let rows = self
            .read(
                Statement::new(
                    "SELECT tenant, pool, capacity, amount, updated_at FROM capacity_quotas \
                     WHERE ($1 IS NULL OR tenant = $1) AND ($2 IS NULL OR pool = $2) \
                         AND (tenant, pool, capacity) > ($3, $4, $5) \
                     ORDER BY tenant, pool, capacity LIMIT $6",
                )
                .bind(tenant.map(TenantId::as_str))
                .bind(pool.map(PoolId::as_str))
                .bind(part())
                .bind(part())
                .bind(part())
                .bind(one_more(limit)),
            )
            .await?;
        page("capacity_quotas", &rows, limit, quota, |quota| {
            format!(
                "{}{BETWEEN}{}{BETWEEN}{}",
                quota.tenant_id, quota.pool_id, quota.capacity
            )
        })
    }

    async fn booked(&self, tenant: &TenantId, pool: &PoolId) -> Result<Amounts, StoreError> {
        sum(&self.read(holding(tenant, pool, None)).await?)
    }
}
