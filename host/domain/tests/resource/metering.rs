use std::collections::BTreeMap;

use berth_domain::metering::{HOURS, Running};
use berth_domain::platform::BillingMode;
use berth_domain::provider::Phase;
use berth_domain::resource::{Adoption, Demand, Effect, Outcome, State};
use berth_domain::time::{Millis, Span};

use crate::kinds::{cluster, user};
use crate::scene::{Scene, not_found, pending, phase, refused, two};

/// The spans that were recorded, as meter, rate, start and end.
fn spans(scene: &Scene) -> Vec<(String, u64, i64, Option<i64>)> {
    let spans = scene.effects.iter().filter_map(|effect| match effect {
        Effect::Meter(span) => Some(span),
        _ => None,
    });
    spans
        .map(|span| {
            let until = span.until.map(|at| at.0);
            (span.meter.clone(), span.rate, span.from.0, until)
        })
        .collect()
}

fn hours(from: i64, until: Option<i64>) -> (String, u64, i64, Option<i64>) {
    (HOURS.to_owned(), 1, from, until)
}

fn takes(meter: &str, rate: u64) -> Demand {
    Demand {
        meters: BTreeMap::from([(meter.to_owned(), rate)]),
        ..Demand::default()
    }
}

/// rule: CR-024
#[test]
fn billing_begins_when_the_accepted_create_was_sent() {
    let mut scene = Scene::of(cluster());
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    scene.now = scene.now + Span(5_000);
    let sent = scene.now + Span(10);
    scene.create_accepted_at = Some(sent);
    scene.now = scene.now + Span(60_000);
    let object = phase(scene.object(), Phase::Converging);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.accepted_at, Some(sent));
    assert_eq!(spans(&scene), [hours(sent.0, None)]);
}

/// rule: CR-024
#[test]
fn a_create_whose_answer_was_lost_is_billed_from_when_it_was_sent() {
    let mut scene = Scene::of(cluster());
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    let sent = scene.now;
    scene.answer(Outcome::Observed(Err(crate::scene::lost())));
    scene.next_run();
    scene.create_accepted_at = Some(sent);
    let object = scene.object();
    scene.answer(Outcome::Found(Ok(Some(object))));
    assert_eq!(spans(&scene), [hours(sent.0, None)]);
}

/// rule: CR-025
#[test]
fn what_was_taken_over_is_billed_from_its_first_ready() {
    let mut scene = Scene::of(cluster());
    scene.secret_versions.clear();
    scene.row.adoption = Some(Adoption::Following);
    scene.row.provider_id = Some("object-1".to_owned());
    scene.row.accepted_at = Some(scene.now);
    scene.now = scene.now + Span(500);
    let object = phase(scene.object(), Phase::Converging);
    scene.answer(Outcome::Observed(Ok(object)));
    assert!(spans(&scene).is_empty());
    scene.next_run();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
    assert_eq!(spans(&scene), [hours(scene.now.0, None)]);
}

/// rule: CR-026
#[test]
fn a_resource_that_failed_or_vanished_or_is_being_deleted_bills_until_it_is_gone() {
    let mut scene = Scene::ready(cluster());
    let since = scene.row.metering[HOURS].since;
    scene.amend("size", two());
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Observed(Err(refused())));
    assert_eq!(scene.state(), "error");
    for _ in 0..3 {
        scene.next_run();
        scene.answer(Outcome::Observed(Err(not_found())));
    }
    assert_eq!(scene.state(), "error");
    scene.condemn();
    assert!(spans(&scene).is_empty(), "it still runs");
    scene.crash();
    scene.now = scene.now + Span(10);
    while scene.row.state != State::Deleted {
        scene.answer(Outcome::Observed(Err(not_found())));
        if scene.row.is_live() {
            scene.next_run();
        }
    }
    let ended = scene.row.ended_at.unwrap();
    assert_eq!(spans(&scene), [hours(since.0, Some(ended.0))]);
    assert!(scene.row.metering.is_empty());
}

/// rule: CR-027
#[test]
fn a_pool_that_bills_nothing_lets_no_meter_run() {
    let mut scene = Scene::of(cluster());
    scene.billing_mode = BillingMode::None;
    scene.kind_meters.insert("sim.tokens".parse().unwrap());
    scene.row.demand = takes("sim.tokens", 5);
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert!(spans(&scene).is_empty() && scene.row.metering.is_empty());
    // From the next look on it is as the pool is then.
    scene.next_run();
    scene.billing_mode = BillingMode::PlatformFee;
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(spans(&scene), [hours(scene.now.0, None)]);
}

/// rule: CR-028
#[test]
fn what_lives_in_another_bills_no_hours() {
    let scene = Scene::ready(user());
    assert!(scene.row.accepted_at.is_some() && scene.row.metering.is_empty());
}

/// rule: CR-029
#[test]
fn a_kinds_own_meter_bills_where_it_is_named_and_at_the_applied_rate() {
    let mut scene = Scene::of(cluster());
    scene.kind_meters.insert("sim.tokens".parse().unwrap());
    scene.row.demand = takes("sim.tokens", 5);
    scene.row.demand.meters.insert("sim.other".to_owned(), 9);
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    let began = scene.now;
    let running = |rate, since: Millis| Running { since, rate };
    assert_eq!(scene.row.metering["sim.tokens"], running(5, began));
    assert!(!scene.row.metering.contains_key("sim.other"));

    scene.next_run();
    scene.amend("size", two());
    scene.row.demand = takes("sim.tokens", 8);
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        scene.row.metering["sim.tokens"],
        running(5, began),
        "not applied"
    );
    scene.effects.clear();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
    let at = scene.now;
    assert_eq!(
        spans(&scene),
        [
            ("sim.tokens".to_owned(), 5, began.0, Some(at.0)),
            ("sim.tokens".to_owned(), 8, at.0, None),
        ]
    );
    assert_eq!(scene.row.metering[HOURS].since, began, "the hours go on");

    // Named no more, it ends at the next look.
    scene.next_run();
    scene.kind_meters.clear();
    scene.effects.clear();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        spans(&scene),
        [("sim.tokens".to_owned(), 8, at.0, Some(scene.now.0))]
    );
}
