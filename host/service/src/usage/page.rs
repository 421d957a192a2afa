//! Reads spans and counts them, a page at a time.

use berth_domain::calendar::month_of;
use berth_domain::id::{ResourceId, TenantId};
use berth_domain::input::MeterName;
use berth_domain::metering::{HOUR, Window};
use berth_domain::time::Millis;
use berth_store::{SpanFilter, SpanPlace};
use serde::Deserialize;

use super::UsageView;
use super::tally::{rest_of, tally};
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Cursor, Service, ServiceError};

/// The last time that is taken: the end of the year 9999.
const LAST: Millis = Millis(253_402_300_800_000);

/// What usage is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of this tenant. Only operators may leave it out.
    #[serde(default, deserialize_with = "given")]
    pub tenant_id: Option<TenantId>,
    /// Of this resource.
    #[serde(default, deserialize_with = "given")]
    pub resource_id: Option<ResourceId>,
    /// Of this meter.
    #[serde(default, deserialize_with = "given")]
    pub meter: Option<MeterName>,
    /// From this time on, in epoch ms; the start of the month if left out.
    #[serde(default, deserialize_with = "given")]
    pub from: Option<Millis>,
    /// Up to this time and without it, in epoch ms; now if left out or later.
    #[serde(default, deserialize_with = "given")]
    pub to: Option<Millis>,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// A page of usage.
pub(super) struct Page {
    pub(super) rows: Vec<UsageView>,
    pub(super) next: Option<Cursor>,
}

/// Whether the caller may see it: a tenant's, or everyone's.
pub(super) async fn decide(
    service: &Service,
    caller: &Caller,
    tenant: Option<&TenantId>,
    target: &Target,
) -> Result<(), ServiceError> {
    match tenant {
        Some(_) => service.decide(caller, Action::UsageRead, target).await,
        None => {
            service
                .decide_as_operator(caller, Action::UsageRead, target)
                .await
        }
    }
}

/// At most `limit` hours, by resource, meter and hour.
pub(super) async fn page(
    service: &Service,
    input: &Input,
    limit: u32,
) -> Result<Page, ServiceError> {
    let after = input.cursor.as_ref().map(place).transpose()?;
    let filter = SpanFilter {
        tenant: input.tenant_id.clone(),
        resource: input.resource_id.clone(),
        meter: input.meter.clone(),
        window: window(input, service.now())?,
        after,
    };
    // Hours that are changed more often than a page has rows are read in longer and longer parts.
    let mut most = limit.saturating_add(1);
    loop {
        let mut spans = service
            .store()
            .meter_spans(&filter, most.saturating_add(1))
            .await?;
        let is_cut = spans.len() > most as usize;
        spans.truncate(most as usize);
        let tally = tally(
            &spans,
            is_cut,
            |span, of| match &filter.after {
                Some(place)
                    if place.resource == of.resource && place.meter.as_str() == span.meter =>
                {
                    rest_of(filter.window, place.at)
                }
                _ => filter.window,
            },
            limit as usize,
        );
        let Some(tally) = tally else {
            most = most.saturating_mul(2);
            continue;
        };
        let next = tally.rows.last().filter(|_| tally.more).map(cursor);
        return Ok(Page {
            rows: tally.rows,
            next,
        });
    }
}

fn window(input: &Input, now: Millis) -> Result<Window, ServiceError> {
    for (field, at) in [("/from", input.from), ("/to", input.to)] {
        if at.is_some_and(|at| at < Millis(0) || at > LAST) {
            return Err(ServiceError::invalid(
                field,
                "expected milliseconds since 1970, up to the year 9999",
            ));
        }
    }
    let from = input.from.unwrap_or(month_of(now).from);
    if let Some(to) = input.to
        && to <= from
    {
        return Err(ServiceError::invalid(
            "/to",
            "expected a time after `from`; without `from` that is the start of this month",
        ));
    }
    Ok(Window {
        from,
        to: input.to.unwrap_or(now).min(now),
    })
}

fn cursor(row: &UsageView) -> Cursor {
    Cursor(format!("{}/{}/{}", row.resource_id, row.meter, row.hour.0))
}

fn place(cursor: &Cursor) -> Result<SpanPlace, ServiceError> {
    let parsed = || {
        let mut parts = cursor.as_str().split('/');
        let place = SpanPlace {
            resource: parts.next()?.parse().ok()?,
            meter: parts.next()?.parse().ok()?,
            at: Millis(parts.next()?.parse::<i64>().ok()?.checked_add(HOUR)?),
        };
        parts.next().is_none().then_some(place)
    };
    parsed().ok_or_else(|| {
        ServiceError::invalid(
            "/cursor",
            "not a cursor of this list: pass the `nextCursor` of the answer before, unchanged",
        )
    })
}
