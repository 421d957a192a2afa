use berth_domain::provider::{FieldError, Phase, ProviderError};
use berth_domain::resource::{Outcome, Reason, Step};
use berth_domain::time::Span;
use serde_json::json;

use crate::kinds::{TOKEN, app, cluster, token};
use crate::scene::{Scene, busy, lost, not_found, pending, phase, refused, says, two};

fn size() -> Vec<String> {
    vec!["size".to_owned()]
}

#[test]
fn a_change_is_written_once_and_announced_twice() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    assert_eq!(scene.state(), "updating");
    scene.crash();
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.step(), Step::Update(size()));
    let object = phase(scene.object(), Phase::Converging);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "updating");
    scene.next_run();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
    assert_eq!(scene.take_events(), ["updating", "updated"]);
}

#[test]
fn an_update_sends_what_changed_and_no_more() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    // The provider's own hand changed the colour.
    let object = pending(scene.object(), &["size", "colour"]);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.step(), Step::Update(size()));
}

#[test]
fn a_change_that_lands_while_the_provider_is_asked_is_not_lost() {
    let mut scene = Scene::ready(cluster());
    // The answer is about the row as it was: it can't know that the size is pending.
    let object = scene.object();
    scene.answer_while(
        |scene| scene.amend("size", two()),
        Outcome::Observed(Ok(object)),
    );
    assert_eq!(scene.state(), "updating");
    assert_eq!(scene.step(), Step::Update(size()));
}

#[test]
fn a_second_change_that_lands_while_the_first_is_written_follows_it() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    let applied = scene.object();
    scene.answer_while(
        |scene| scene.amend("size", json!(3)),
        Outcome::Observed(Ok(applied)),
    );
    assert!(scene.row.unapplied.contains("size"));
    scene.next_run();
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.step(), Step::Update(size()));
}

#[test]
fn a_change_taken_back_is_written_nowhere() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    scene.amend("size", json!(0));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!((scene.state(), scene.step()), ("ready", Step::Stop));
    assert_eq!(scene.take_events(), ["updating", "updating", "updated"]);
}

#[test]
fn a_refused_change_stays_wanted_and_fails_once() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    scene.take_events();
    for round in 0..3 {
        let object = pending(scene.object(), &["size"]);
        scene.answer(Outcome::Observed(Ok(object)));
        let invalid = says(ProviderError::Invalid(vec![FieldError {
            field: "/size".to_owned(),
            message: "no such size".to_owned(),
        }]));
        scene.answer(Outcome::Observed(Err(invalid)));
        assert_eq!(
            (scene.state(), scene.reason()),
            ("error", Some(Reason::UpdateRefused))
        );
        let events = scene.take_events();
        assert_eq!(events.len(), usize::from(round == 0), "{events:?}");
        assert!(scene.row.schedule.next_run_at.unwrap() - scene.now > Span::minutes(4));
        scene.next_run();
    }
    assert_eq!(scene.row.spec["size"], two());
    // It works at last.
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
    assert_eq!(scene.take_events(), ["updated"]);
}

#[test]
fn a_failed_change_never_deletes_or_creates() {
    let mut scene = Scene::ready(app());
    scene.amend("size", two());
    for error in [refused(), lost(), not_found()] {
        let object = pending(scene.object(), &["size"]);
        scene.answer(Outcome::Observed(Ok(object)));
        scene.answer(Outcome::Observed(Err(error)));
        scene.next_run();
        assert_eq!(scene.step(), Step::Observe);
    }
}

#[test]
fn a_change_under_maintenance_is_tried_again() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    let object = pending(scene.object(), &["size"]);
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Observed(Err(busy(None))));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("updating", Some(Reason::Waiting))
    );
    assert!(
        scene
            .row
            .message
            .as_ref()
            .unwrap()
            .text
            .contains("draining members")
    );
    assert!(scene.row.unapplied.contains("size"));
}

#[test]
fn a_plugin_that_makes_no_progress_does_not_hold_the_run() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", two());
    let mut updates = 0;
    while scene.step() != Step::Stop {
        updates += u32::from(matches!(scene.step(), Step::Update(_)));
        let object = pending(scene.object(), &["size"]);
        scene.answer(Outcome::Observed(Ok(object)));
    }
    assert_eq!(updates, 1);
    assert!(scene.row.schedule.next_run_at.unwrap() > scene.now);
}

#[test]
fn a_failed_resource_that_never_was_ready_says_ready_and_updated() {
    let mut scene = Scene::of(app());
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    let object = phase(scene.object(), Phase::Failed("build failed".to_owned()));
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("error", Some(Reason::Failed))
    );
    scene.amend("size", two());
    scene.crash();
    let failed = phase(scene.object(), Phase::Failed("build failed".to_owned()));
    scene.answer(Outcome::Observed(Ok(pending(failed, &["size"]))));
    assert_eq!(scene.step(), Step::Update(size()));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        scene.take_events(),
        ["failed", "updating", "ready", "updated"]
    );
}

#[test]
fn a_field_that_is_taken_out_is_written_though_no_plugin_calls_it_pending() {
    let mut scene = Scene::ready(cluster());
    scene.amend("size", json!(null));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    assert_eq!(scene.step(), Step::Update(size()));
    scene.answer(Outcome::Observed(Err(lost())));
    scene.next_run();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    assert_eq!(
        scene.step(),
        Step::Update(size()),
        "nobody knows whether it arrived"
    );
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!((scene.state(), scene.step()), ("ready", Step::Stop));
    assert_eq!(scene.take_events(), ["updating", "updated"]);
}

#[test]
fn a_newer_version_of_a_secret_is_an_update_of_the_fields_that_name_it() {
    let mut scene = Scene::ready(cluster());
    assert_eq!(scene.row.given_secrets[&token()], 1);
    scene.secret_versions.insert(token(), 2);
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    assert_eq!(scene.state(), "updating");
    assert_eq!(scene.step(), Step::Update(vec![TOKEN.to_owned()]));
    scene.answer(Outcome::Observed(Ok(object.clone())));
    assert_eq!(
        (scene.state(), scene.row.given_secrets[&token()]),
        ("ready", 2)
    );
    scene.next_run();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.step(), Step::Stop);
    assert_eq!(scene.take_events(), ["updating", "updated"]);
}

#[test]
fn a_secret_that_can_not_be_given_is_tried_again() {
    let mut scene = Scene::ready(cluster());
    scene.secret_versions.insert(token(), 2);
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    scene.answer(Outcome::Observed(Err(refused())));
    assert_eq!(
        (scene.state(), scene.row.given_secrets[&token()]),
        ("error", 1)
    );
    scene.next_run();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.step(), Step::Update(vec![TOKEN.to_owned()]));
    assert_eq!(scene.take_events(), ["updating", "failed"]);
}
