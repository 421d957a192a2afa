use proptest::prelude::*;

use super::*;
use crate::id::{IdSeed, ResourceId};

fn resource() -> ResourceId {
    ResourceId::generate(Millis(1), IdSeed([7; 10]))
}

fn rates(pairs: &[(&str, u64)]) -> BTreeMap<String, u64> {
    pairs
        .iter()
        .map(|(meter, rate)| ((*meter).to_owned(), *rate))
        .collect()
}

fn sum(usage: &BTreeMap<UsageKey, u64>) -> u64 {
    usage.values().sum()
}

/// rule: CR-027
#[test]
fn only_pools_that_bill_let_meters_run() {
    let named = BTreeSet::from(["x.tokens".parse().unwrap()]);
    let metered = Billing::of(BillingMode::Metered, &named);
    assert!(metered.hours && metered.kind_meters == &named);
    let fee = Billing::of(BillingMode::PlatformFee, &named);
    assert!(fee.hours && fee.kind_meters.is_empty());
    let none = Billing::of(BillingMode::None, &named);
    assert!(!none.hours && none.kind_meters.is_empty());
}

#[test]
fn a_meter_that_goes_on_is_one_span() {
    let mut running = Meters::new();
    let began = turn(&mut running, &rates(&[(HOURS, 1), ("x.gb", 5)]), Millis(10));
    assert_eq!(began.len(), 2);
    let changed = turn(&mut running, &rates(&[(HOURS, 1), ("x.gb", 8)]), Millis(25));
    let told: Vec<_> = changed
        .iter()
        .map(|span| {
            (
                span.meter.as_str(),
                span.rate,
                span.from.0,
                span.until.map(|at| at.0),
            )
        })
        .collect();
    assert_eq!(told, [("x.gb", 5, 10, Some(25)), ("x.gb", 8, 25, None)]);
    assert!(turn(&mut running, &rates(&[(HOURS, 1), ("x.gb", 8)]), Millis(30)).is_empty());
    let ended = turn(&mut running, &BTreeMap::new(), Millis(40));
    assert_eq!(ended.len(), 2);
    assert!(running.is_empty());
}

#[test]
fn a_clock_that_was_set_back_ends_a_span_where_it_began() {
    let mut running = Meters::new();
    let _ = turn(&mut running, &rates(&[(HOURS, 1)]), Millis(1_000));
    let ended = turn(&mut running, &BTreeMap::new(), Millis(400));
    assert_eq!(ended[0].until, Some(Millis(1_000)));
}

#[test]
fn a_rate_of_none_does_not_run() {
    let mut running = Meters::new();
    assert!(turn(&mut running, &rates(&[("x.gb", 0)]), Millis(1)).is_empty());
    assert!(running.is_empty());
}

#[test]
fn a_whole_hour_is_its_rate_and_hours_are_half_open() {
    let span = MeterSpan {
        meter: HOURS.to_owned(),
        rate: 3,
        from: Millis(HOUR),
        until: Some(Millis(2 * HOUR)),
    };
    let all = Window {
        from: Millis(0),
        to: Millis(100 * HOUR),
    };
    let mut usage = BTreeMap::new();
    assert_eq!(add_usage(&mut usage, &resource(), &span, all, 10), None);
    let told: Vec<_> = usage.iter().map(|(key, sum)| (key.hour.0, *sum)).collect();
    assert_eq!(told, [(HOUR, 3 * 3_600_000)]);
}

#[test]
fn hours_before_the_epoch_are_hours_too() {
    assert_eq!(hour_of(Millis(-1)), Millis(-HOUR));
    assert_eq!(hour_of(Millis(0)), Millis(0));
    assert_eq!(hour_of(Millis(HOUR - 1)), Millis(0));
}

#[test]
fn a_long_span_is_counted_in_parts() {
    let span = MeterSpan {
        meter: HOURS.to_owned(),
        rate: 1,
        from: Millis(0),
        until: None,
    };
    let window = Window {
        from: Millis(0),
        to: Millis(5 * HOUR),
    };
    let mut usage = BTreeMap::new();
    let rest = add_usage(&mut usage, &resource(), &span, window, 2);
    assert_eq!((rest, usage.len()), (Some(Millis(2 * HOUR)), 2));
}

/// What a meter does over time: at these moments it is set to these rates.
fn changes() -> impl Strategy<Value = Vec<(i64, u64)>> {
    prop::collection::vec((0..40 * HOUR, 0_u64..4), 1..12).prop_map(|mut changes| {
        changes.sort_unstable();
        changes
    })
}

fn spans_of(changes: &[(i64, u64)]) -> Vec<MeterSpan> {
    let mut running = Meters::new();
    let mut spans: BTreeMap<Millis, MeterSpan> = BTreeMap::new();
    for (at, rate) in changes {
        for span in turn(&mut running, &rates(&[(HOURS, *rate)]), Millis(*at)) {
            spans.insert(span.from, span);
        }
    }
    spans.into_values().collect()
}

/// The same counted millisecond-exactly without any span: each rate holds until the next change.
fn lived(changes: &[(i64, u64)], window: Window) -> u64 {
    let mut sum = 0;
    for (index, (at, rate)) in changes.iter().enumerate() {
        let until = changes.get(index + 1).map_or(window.to.0, |next| next.0);
        let run = Window {
            from: Millis(*at),
            to: Millis(until),
        };
        sum += run.overlap(window) * rate;
    }
    sum
}

proptest! {
    /// rule: CR-023
    #[test]
    fn usage_equals_what_was_lived_to_the_millisecond(
        changes in changes(), from in 0..40 * HOUR, length in 0..50 * HOUR,
    ) {
        let window = Window { from: Millis(from), to: Millis(from + length) };
        let mut usage = BTreeMap::new();
        for span in spans_of(&changes) {
            prop_assert_eq!(add_usage(&mut usage, &resource(), &span, window, 1_000), None);
        }
        prop_assert_eq!(sum(&usage), lived(&changes, window));
        for key in usage.keys() {
            prop_assert_eq!(key.hour, hour_of(key.hour));
        }
    }

    #[test]
    fn parts_of_a_window_add_up_to_the_whole(
        changes in changes(), from in 0..20 * HOUR, first in 0..20 * HOUR, second in 0..20 * HOUR,
    ) {
        let count = |from: i64, to: i64| {
            let window = Window { from: Millis(from), to: Millis(to) };
            let mut usage = BTreeMap::new();
            for span in spans_of(&changes) {
                let _ = add_usage(&mut usage, &resource(), &span, window, 1_000);
            }
            sum(&usage)
        };
        let (middle, end) = (from + first, from + first + second);
        prop_assert_eq!(count(from, middle) + count(middle, end), count(from, end));
    }

    #[test]
    fn spans_of_a_meter_never_overlap_whatever_the_clock_does(
        changes in prop::collection::vec((0..40 * HOUR, 0_u64..4), 1..12),
    ) {
        let mut running = Meters::new();
        let mut spans: BTreeMap<Millis, MeterSpan> = BTreeMap::new();
        for (at, rate) in changes {
            for span in turn(&mut running, &rates(&[(HOURS, rate)]), Millis(at)) {
                spans.insert(span.from, span);
            }
        }
        for span in spans.values() {
            prop_assert!(span.until.is_none_or(|until| until >= span.from));
        }
        prop_assert!(spans.values().filter(|span| span.until.is_none()).count() <= 1);
    }
}
