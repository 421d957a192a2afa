//! `events/list`: a tenant's events in the order in which they were published.

use std::collections::HashMap;

use berth_domain::id::{EventId, ResourceId, TenantId};
use berth_domain::time::Millis;
use berth_store::{EventFilter, PublishedEvent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::attempt::Attempt;
use crate::decision::{Action, Judge, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// Most events that one call looks at.
const LOOKED_AT_MAX: usize = 5_000;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// About this resource.
    #[serde(default, deserialize_with = "given")]
    pub resource_id: Option<ResourceId>,
    /// Goes on after an earlier answer, or after the `sequence` of an event: so a reader who has
    /// seen all follows what comes.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// An event as a tenant sees it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    /// Its id.
    pub id: EventId,
    /// Its place: rises without end. As text it is a cursor.
    pub sequence: u64,
    /// `cloud.resource.…`.
    #[serde(rename = "type")]
    pub event: String,
    /// Whose.
    pub tenant_id: TenantId,
    /// About which resource.
    pub resource_id: ResourceId,
    /// What it says: names of outputs, never their values.
    pub payload: Value,
    /// When, in epoch ms.
    pub at: Millis,
}

impl From<PublishedEvent> for EventView {
    fn from(event: PublishedEvent) -> Self {
        Self {
            id: event.id,
            sequence: event.sequence,
            event: event.event,
            tenant_id: event.tenant,
            resource_id: event.resource,
            payload: event.payload,
            at: event.at,
        }
    }
}

/// The events about resources that the caller may read, at most 500.
///
/// # Errors
/// `ACCESS_DENIED`; `INVALID_INPUT` for a cursor of something else.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<EventView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::EventsRead, &target);
    let result = list(service, caller, &input, &target).await;
    attempt.settle(service, result).await
}

async fn list(
    service: &Service,
    caller: &Caller,
    input: &Input,
    target: &Target,
) -> Result<Items<EventView>, ServiceError> {
    let judge = service.judge(caller).await?;
    judge.require(Action::EventsRead, target)?;
    let mut filter = EventFilter {
        resource: input.resource_id.clone(),
        after: place(input.cursor.as_ref())?,
    };
    let mut readable = Readable {
        service,
        judge,
        known: HashMap::new(),
    };
    let mut items = Vec::new();
    let mut looked_at = 0;
    loop {
        let events = service
            .store()
            .events(&input.tenant_id, &filter, ITEMS_MAX)
            .await?;
        let whole = events.len() < ITEMS_MAX as usize;
        for event in events {
            looked_at += 1;
            filter.after = event.sequence;
            if readable.is(&event.resource).await? {
                items.push(EventView::from(event));
            }
            if items.len() >= ITEMS_MAX as usize || looked_at >= LOOKED_AT_MAX {
                let next_cursor = Some(Cursor(filter.after.to_string()));
                return Ok(Items { items, next_cursor });
            }
        }
        if whole {
            return Ok(Items {
                items,
                next_cursor: None,
            });
        }
    }
}

/// Which resources the caller may read: each is decided once a call.
struct Readable<'a> {
    service: &'a Service,
    judge: Judge<'a>,
    known: HashMap<ResourceId, bool>,
}

impl Readable<'_> {
    async fn is(&mut self, id: &ResourceId) -> Result<bool, ServiceError> {
        if let Some(known) = self.known.get(id) {
            return Ok(*known);
        }
        let stored = self.service.store().resource(id).await?;
        let may = stored.is_some_and(|stored| {
            self.judge
                .allows(Action::CloudResourcesRead, &Target::recorded(&stored.row))
        });
        self.known.insert(id.clone(), may);
        Ok(may)
    }
}

fn place(cursor: Option<&Cursor>) -> Result<u64, ServiceError> {
    let Some(cursor) = cursor else { return Ok(0) };
    cursor.as_str().parse().map_err(|_| {
        ServiceError::invalid("/cursor", "not a cursor of this list; expected the `nextCursor` of an earlier answer, or an event's `sequence` as text")
    })
}
