//! The outbox. Sequences are given by the writer, so their order is the order of commits.

use async_trait::async_trait;
use berth_domain::id::{EventId, ResourceId, TenantId};
use berth_domain::resource::{EventDraft, Resource};
use berth_domain::time::Millis;

use super::row::read;
use super::statement::{json, optional_text};
use super::{Engine, Row, SqlStore, Statement};
use crate::{EventFilter, Events, PublishedEvent, StoreError};

/// The statements that publish events about a row.
pub(super) fn publish(
    row: &Resource,
    events: &[(EventId, EventDraft)],
    at: Millis,
) -> Result<Vec<Statement>, StoreError> {
    events
        .iter()
        .map(|(id, draft)| {
            Ok(Statement::new(
                "INSERT INTO events (id, tenant, resource, event, payload, at) \
                 VALUES ($1, $2, $3, $4, $5, $6)",
            )
            .bind(id.as_str())
            .bind(row.tenant.as_str())
            .bind(row.id.as_str())
            .bind(draft.event.as_str())
            .bind(json(&draft.payload)?)
            .bind(at))
        })
        .collect()
}

fn published(row: &Row) -> Result<PublishedEvent, StoreError> {
    Ok(PublishedEvent {
        id: row.parsed("id")?,
        sequence: row.count("sequence")?,
        tenant: row.parsed("tenant")?,
        event: row.text("event")?,
        resource: row.parsed("resource")?,
        payload: row.json("payload")?,
        at: row.millis("at")?,
    })
}

#[async_trait]
impl<E: Engine> Events for SqlStore<E> {
    async fn events(
        &self,
        tenant: &TenantId,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Vec<PublishedEvent>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT sequence, id, tenant, resource, event, payload, at FROM events \
                     WHERE tenant = $1 AND sequence > $2 AND ($3 IS NULL OR resource = $3) \
                     ORDER BY sequence LIMIT $4",
                )
                .bind(tenant.as_str())
                .bind(filter.after)
                .bind(optional_text(
                    filter.resource.as_ref().map(ResourceId::as_str),
                ))
                .bind(limit),
            )
            .await?;
        rows.iter()
            .map(|row| read("events", row, published))
            .collect()
    }
}
