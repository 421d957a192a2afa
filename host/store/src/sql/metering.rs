//! Spans of meters, written with their row.

use async_trait::async_trait;
use berth_domain::id::{ProjectId, ResourceId, TenantId};
use berth_domain::input::MeterName;
use berth_domain::metering::{MeterSpan, Window};
use berth_domain::money::Ran;
use berth_domain::resource::Resource;

use super::row::read;
use super::statement::optional_text;
use super::{Engine, Row, SqlStore, Statement};
use crate::{MeteredSpan, Metering, SpanFilter, StoreError};

/// The statements that record spans of a row's meters. What is recorded already is said again without effect.
pub(super) fn record(row: &Resource, spans: &[MeterSpan]) -> Vec<Statement> {
    spans
        .iter()
        .map(|span| {
            Statement::new(
                "INSERT INTO meter_spans \
                     (resource, meter, from_at, until_at, rate, tenant, project, pool, kind) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
                 ON CONFLICT (resource, meter, from_at) \
                     DO UPDATE SET until_at = excluded.until_at, rate = excluded.rate",
            )
            .bind(row.id.as_str())
            .bind(span.meter.as_str())
            .bind(span.from)
            .bind(span.until)
            .bind(span.rate)
            .bind(row.tenant.as_str())
            .bind(optional_text(row.project.as_ref()))
            .bind(row.pool.as_str())
            .bind(row.kind.as_str())
        })
        .collect()
}

/// The time that a row shares with `$1` to `$2`; what runs, runs until `$2`.
macro_rules! shared {
    () => {
        "(CASE WHEN until_at IS NULL OR until_at > $2 THEN $2 ELSE until_at END \
          - CASE WHEN from_at < $1 THEN $1 ELSE from_at END)"
    };
}

/// Two searches rather than one condition, which would read all that ever ended: what is read is what runs and
/// what ended since the window began.
const RAN: &str = concat!(
    "SELECT pool, kind, meter, rate, CAST(SUM(",
    shared!(),
    ") AS BIGINT) AS millis FROM ( \
         SELECT pool, kind, meter, rate, from_at, until_at, project FROM meter_spans \
             WHERE tenant = $3 AND until_at IS NULL \
         UNION ALL \
         SELECT pool, kind, meter, rate, from_at, until_at, project FROM meter_spans \
             WHERE tenant = $3 AND until_at > $1) AS spans \
     WHERE from_at < $2 AND ($4 IS NULL OR project = $4) \
     GROUP BY pool, kind, meter, rate ORDER BY pool, kind, meter, rate"
);

/// Those that share time with `$1` to `$2`, behind a place.
const SPANS: &str = "SELECT resource AS id, tenant, project, pool, kind, meter, rate, from_at, until_at \
     FROM meter_spans \
     WHERE from_at < $2 AND (until_at IS NULL OR until_at > $1) \
         AND ($4 IS NULL OR meter = $4) AND (resource, meter) >= ($5, $6) \
         AND (resource <> $5 OR meter <> $6 OR until_at IS NULL OR until_at > $7)";

fn metered(row: &Row) -> Result<MeteredSpan, StoreError> {
    Ok(MeteredSpan {
        resource: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        project: row.optional_parsed("project")?,
        pool: row.parsed("pool")?,
        kind: row.parsed("kind")?,
        span: MeterSpan {
            meter: row.text("meter")?,
            rate: row.count("rate")?,
            from: row.millis("from_at")?,
            until: row.optional_millis("until_at")?,
        },
    })
}

fn ran(row: &Row) -> Result<Ran, StoreError> {
    Ok(Ran {
        pool: row.parsed("pool")?,
        kind: row.parsed("kind")?,
        meter: row.text("meter")?,
        rate: row.count("rate")?,
        millis: row.count("millis")?,
    })
}

#[async_trait]
impl<E: Engine> Metering for SqlStore<E> {
    async fn meter_spans(
        &self,
        filter: &SpanFilter,
        limit: u32,
    ) -> Result<Vec<MeteredSpan>, StoreError> {
        let after = filter.after.as_ref();
        // Each list walks the index that is in its order.
        let (of_tenant, order) = match &filter.tenant {
            Some(_) => (" AND tenant = $9", "tenant, resource, meter, from_at"),
            None => ("", "resource, meter, from_at"),
        };
        let of_resource = match &filter.resource {
            Some(_) => " AND resource = $3",
            None => " AND $3 IS NULL",
        };
        let text = format!("{SPANS}{of_resource}{of_tenant} ORDER BY {order} LIMIT $8");
        let mut statement = Statement::new(text)
            .bind(filter.window.from)
            .bind(filter.window.to)
            .bind(filter.resource.as_ref().map(ResourceId::as_str))
            .bind(filter.meter.as_ref().map(MeterName::as_str))
            .bind(after.map_or("", |place| place.resource.as_str()))
            .bind(after.map_or("", |place| place.meter.as_str()))
            .bind(after.map_or(filter.window.from, |place| place.at))
            .bind(limit);
        if let Some(tenant) = &filter.tenant {
            statement = statement.bind(tenant.as_str());
        }
        let rows = self.read(statement).await?;
        rows.iter()
            .map(|row| read("meter_spans", row, metered))
            .collect()
    }

    async fn ran(
        &self,
        tenant: &TenantId,
        project: Option<&ProjectId>,
        window: Window,
    ) -> Result<Vec<Ran>, StoreError> {
        let rows = self
            .read(
                Statement::new(RAN)
                    .bind(window.from)
                    .bind(window.to)
                    .bind(tenant.as_str())
                    .bind(project.map(ProjectId::as_str)),
            )
            .await?;
        rows.iter()
            .map(|row| read("meter_spans", row, ran))
            .collect()
    }
}
