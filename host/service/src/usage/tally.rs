//! Counts spans into hours, a page at a time.

use std::collections::BTreeMap;

use berth_domain::metering::{MeterSpan, UsageKey, Window, add_usage};
use berth_domain::time::Millis;
use berth_store::MeteredSpan;

use super::UsageView;

/// Hours of usage, and whether more follow.
#[derive(Debug, PartialEq)]
pub(super) struct Tally {
    pub(super) rows: Vec<UsageView>,
    pub(super) more: bool,
}

/// The first hours of spans that are in the order of resource, meter and start. `is_cut`: there are more
/// spans behind them, so that the last hour may not be whole. `None`: not even one hour is known to be
/// whole, and more spans are needed.
pub(super) fn tally(
    spans: &[MeteredSpan],
    is_cut: bool,
    window_of: impl Fn(&MeterSpan, &MeteredSpan) -> Window,
    limit: usize,
) -> Option<Tally> {
    let mut usage: BTreeMap<UsageKey, u64> = BTreeMap::new();
    let mut whose: BTreeMap<UsageKey, &MeteredSpan> = BTreeMap::new();
    let mut is_partial = is_cut;
    // Two more than are shown: one tells that more follow, and the very last one may not be whole.
    let most = limit.saturating_add(2);
    for metered in spans {
        let span = &metered.span;
        let mut of_span = BTreeMap::new();
        let window = window_of(span, metered);
        let rest = add_usage(&mut of_span, &metered.resource, span, window, most);
        for (key, quantity) in of_span {
            *usage.entry(key.clone()).or_default() += quantity;
            whose.entry(key).or_insert(metered);
        }
        if rest.is_some() || usage.len() >= most {
            is_partial = true;
            break;
        }
    }
    if is_partial && usage.pop_last().is_some() && usage.is_empty() {
        return None;
    }
    let more = is_partial || usage.len() > limit;
    let rows = usage.into_iter().take(limit).filter_map(|(key, unit_ms)| {
        let metered = whose.get(&key)?;
        Some(UsageView {
            hour: key.hour,
            tenant_id: metered.tenant.clone(),
            project_id: metered.project.clone(),
            pool_id: metered.pool.clone(),
            kind: metered.kind.clone(),
            resource_id: key.resource,
            meter: key.meter,
            unit_ms,
        })
    });
    Some(Tally {
        rows: rows.collect(),
        more,
    })
}

/// The part of a window from a time on.
pub(super) fn rest_of(window: Window, at: Millis) -> Window {
    Window {
        from: window.from.max(at),
        ..window
    }
}

#[cfg(test)]
mod tests {
    use berth_domain::id::{IdSeed, PoolId, ResourceId};
    use berth_domain::metering::HOUR;
    use berth_domain::time::Millis;

    use super::*;

    const ALL: Window = Window {
        from: Millis(0),
        to: Millis(1_000 * HOUR),
    };

    fn span(resource: u8, from: i64, until: i64) -> MeteredSpan {
        MeteredSpan {
            resource: ResourceId::generate(Millis(1), IdSeed([resource; 10])),
            tenant: "acme".parse().unwrap(),
            project: None,
            pool: PoolId::generate(Millis(1), IdSeed([1; 10])),
            kind: "x.disk".parse().unwrap(),
            span: MeterSpan {
                meter: "m".to_owned(),
                rate: 1,
                from: Millis(from),
                until: Some(Millis(until)),
            },
        }
    }

    fn told(spans: &[MeteredSpan], is_cut: bool, limit: usize) -> Option<(Vec<(i64, u64)>, bool)> {
        let tally = tally(spans, is_cut, |_, _| ALL, limit)?;
        let rows = tally
            .rows
            .iter()
            .map(|row| (row.hour.0 / HOUR, row.unit_ms));
        Some((rows.collect(), tally.more))
    }

    #[test]
    fn spans_of_one_hour_are_one_row() {
        let spans = [span(1, 0, 100), span(1, 100, 250), span(1, HOUR, HOUR + 7)];
        assert_eq!(
            told(&spans, false, 10),
            Some((vec![(0, 250), (1, 7)], false))
        );
    }

    #[test]
    fn an_hour_that_may_not_be_whole_is_left_to_the_next_page() {
        let spans = [span(1, 0, 100), span(1, HOUR, HOUR + 7)];
        assert_eq!(told(&spans, true, 10), Some((vec![(0, 100)], true)));
        assert_eq!(told(&spans[..1], true, 10), None);
        assert_eq!(told(&[], false, 10), Some((vec![], false)));
    }

    #[test]
    fn a_page_holds_its_limit_and_says_that_more_follow() {
        let spans = [span(1, 0, 5 * HOUR), span(2, 0, HOUR)];
        let whole = 3_600_000;
        assert_eq!(
            told(&spans, false, 2),
            Some((vec![(0, whole), (1, whole)], true))
        );
        assert_eq!(told(&spans, false, 6).unwrap().0.len(), 6);
        assert!(!told(&spans, false, 6).unwrap().1);
        assert!(told(&spans, false, 5).unwrap().1);
    }
}
