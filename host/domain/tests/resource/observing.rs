use berth_domain::provider::{Observation, Phase, ProviderError};
use berth_domain::resource::{CallError, CallFault, Effect, Outcome, Reason, Step};
use berth_domain::time::Span;
use serde_json::json;

use crate::kinds::cluster;
use crate::scene::{Scene, lost, not_found, password, pending, phase, says};

#[test]
fn one_absence_between_two_presences_is_no_loss() {
    let mut scene = Scene::ready(cluster());
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.state(), "ready");
    scene.next_run();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.missing_since, None);
    assert_eq!(scene.take_events(), [""; 0]);
}

#[test]
fn what_vanished_is_an_error_and_is_not_replaced() {
    let mut scene = Scene::ready(cluster());
    let first = scene.now;
    for _ in 0..9 {
        assert_eq!(scene.step(), Step::Observe);
        let gone = phase(scene.object(), Phase::Gone);
        scene.answer(Outcome::Observed(Ok(gone)));
        assert!(scene.state() == "ready" || scene.now - first >= Span::seconds(30));
        scene.next_run();
    }
    assert_eq!(
        (scene.state(), scene.reason()),
        ("error", Some(Reason::GoneAtProvider))
    );
    assert_eq!(scene.take_events(), ["failed"]);
    // It turns up again.
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
}

#[test]
fn an_absence_that_nobody_watched_is_looked_at_again() {
    let mut scene = Scene::ready(cluster());
    scene.answer(Outcome::Observed(Err(not_found())));
    // The host was down for an hour, or the provider was.
    scene.crash();
    scene.now = scene.now + Span::minutes(60);
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.state(), "ready");
    scene.next_run();
    scene.answer(Outcome::Observed(Err(lost())));
    scene.crash();
    scene.now = scene.now + Span::seconds(40);
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.state(), "ready");
}

#[test]
fn drift_is_shown_and_not_written() {
    let mut scene = Scene::ready(cluster());
    let object = Observation {
        spec: json!({"size": 9, "colour": 0}).as_object().cloned(),
        ..pending(scene.object(), &["size"])
    };
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.drift, *json!({"size": 9}).as_object().unwrap());
    assert_eq!((scene.state(), scene.step()), ("ready", Step::Stop));
}

#[test]
fn an_answer_about_another_object_is_not_stored() {
    let mut scene = Scene::ready(cluster());
    let other = Observation {
        provider_id: "object-2".to_owned(),
        outputs: json!({"host": "evil"}).as_object().cloned().unwrap(),
        ..password(scene.object(), "neighbour's")
    };
    scene.answer(Outcome::Observed(Ok(other)));
    assert!(scene.row.outputs.is_empty());
    assert!(
        !scene
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Seal(_)))
    );
    assert_eq!(
        (scene.state(), scene.reason()),
        ("ready", Some(Reason::Plugin))
    );
}

#[test]
fn an_empty_secret_never_replaces_a_good_one() {
    let mut scene = Scene::ready(cluster());
    let object = password(scene.object(), "hunter2");
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.secret_outputs.len(), 1);
    scene.next_run();
    scene.effects.clear();
    let object = password(scene.object(), "");
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.secret_outputs.len(), 1);
    assert!(scene.effects.is_empty());
}

#[test]
fn secrets_that_never_came_are_said_to_be_lost() {
    let scene = Scene::ready(cluster());
    assert_eq!(
        (scene.state(), scene.reason()),
        ("ready", Some(Reason::SecretLost))
    );
}

#[test]
fn a_plugin_that_breaks_says_nothing_against_a_resource_that_serves() {
    let mut scene = Scene::ready(cluster());
    let broken = CallError {
        fault: CallFault::Plugin("cpuLimit".to_owned()),
        wrote: false,
    };
    scene.answer(Outcome::Observed(Err(broken)));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("ready", Some(Reason::Plugin))
    );
    assert_eq!(scene.take_events(), [""; 0]);
}

#[test]
fn a_providers_own_wish_is_obeyed_up_to_a_limit() {
    let throttled = |millis| {
        Outcome::Observed(Err(says(ProviderError::Throttled {
            message: "slow down".to_owned(),
            retry_after: Some(Span(millis)),
        })))
    };
    let mut scene = Scene::ready(cluster());
    scene.answer(throttled(90_000));
    assert_eq!(
        scene.row.schedule.next_run_at,
        Some(scene.now + Span(90_000))
    );
    scene.crash();
    scene.answer(throttled(u64::MAX));
    assert_eq!(
        scene.row.schedule.next_run_at,
        Some(scene.now + Span::minutes(60))
    );
}

#[test]
fn a_plugin_can_not_make_the_host_look_without_rest() {
    let mut scene = Scene::ready(cluster());
    let object = Observation {
        poll_after: Some(Span(0)),
        ..phase(scene.object(), Phase::Converging)
    };
    scene.answer(Outcome::Observed(Ok(object)));
    assert!(scene.row.schedule.next_run_at.unwrap() - scene.now >= Span(900));
}

#[test]
fn waits_grow_and_never_pass_half_a_minute() {
    let mut scene = Scene::ready(cluster());
    let mut last = Span(0);
    for _ in 0..12 {
        scene.answer(Outcome::Observed(Err(lost())));
        let wait = scene.row.schedule.next_run_at.unwrap() - scene.now;
        assert!(wait >= last && wait <= Span::seconds(30), "{wait:?}");
        last = wait;
        scene.next_run();
    }
}
