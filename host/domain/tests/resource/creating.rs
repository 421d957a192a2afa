use berth_domain::provider::{Phase, ProviderError};
use berth_domain::resource::{
    CallError, CallFault, Effect, Outcome, ParentFact, Reason, State, Step,
};
use berth_domain::time::Span;

use crate::kinds::{self, app, cluster, user};
use crate::scene::{Scene, lost, not_found, password, pending, phase, refused, two, unlabelled};

/// Up to the create, its intent stored.
fn about_to_create(kind: berth_domain::manifest::Kind) -> Scene {
    let mut scene = Scene::of(kind);
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    assert_eq!(scene.step(), Step::Create);
    scene
}

#[test]
fn a_create_is_sent_only_after_a_look_and_a_stored_intent() {
    let mut scene = Scene::of(cluster());
    assert_eq!(scene.step(), Step::Find);
    scene.answer(Outcome::Found(Ok(None)));
    assert_eq!(scene.step(), Step::OpenIntent);
    assert!(scene.row.intent.is_none());
    scene.answer(Outcome::Stored);
    assert_eq!(scene.row.intent.unwrap().sends, 1);
    assert_eq!(scene.step(), Step::Create);
    let object = password(phase(scene.object(), Phase::Converging), "hunter2");
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "provisioning");
    assert_eq!(scene.row.provider_id.as_deref(), Some("object-1"));
    assert!(scene.row.intent.is_none());
    assert!(
        scene
            .effects
            .iter()
            .any(|effect| matches!(effect, Effect::Seal(values) if values.len() == 1))
    );
}

#[test]
fn a_crash_after_the_intent_looks_before_it_sends_again() {
    let mut scene = about_to_create(cluster());
    scene.crash();
    for _ in 0..2 {
        assert_eq!(scene.step(), Step::Find);
        scene.answer(Outcome::Found(Ok(None)));
        assert!(matches!(scene.step(), Step::Wait(_)));
        scene.answer(Outcome::Stored);
        scene.next_run();
    }
    // The third look in vain, but too early.
    scene.answer(Outcome::Found(Ok(None)));
    assert!(matches!(scene.step(), Step::Wait(_)));
    scene.answer(Outcome::Stored);
    scene.crash();
    scene.now = scene.now + Span::minutes(3);
    scene.answer(Outcome::Found(Ok(None)));
    assert_eq!(scene.step(), Step::OpenIntent);
    scene.answer(Outcome::Stored);
    assert_eq!(scene.row.intent.unwrap().sends, 2);
}

#[test]
fn a_create_whose_answer_was_lost_is_found_and_kept() {
    for kind in [cluster(), app(), user()] {
        let mut scene = about_to_create(kind);
        let opened = scene.row.intent.unwrap().opened_at;
        scene.answer(Outcome::Observed(Err(lost())));
        assert_eq!(
            (scene.state(), scene.reason()),
            ("pending", Some(Reason::Waiting))
        );
        scene.next_run();
        assert_eq!(scene.step(), Step::Find);
        let object = scene.object();
        scene.answer(Outcome::Found(Ok(Some(object.clone()))));
        assert_eq!(scene.row.provider_id.as_deref(), Some("object-1"));
        assert_eq!(scene.row.accepted_at, Some(opened));
        assert_eq!(scene.step(), Step::Observe);
        scene.answer(Outcome::Observed(Ok(object)));
        assert_eq!(scene.take_events(), ["ready"]);
    }
}

#[test]
fn what_a_create_can_not_say_is_applied_even_after_its_answer_was_lost() {
    let mut scene = about_to_create(cluster());
    scene.answer(Outcome::Observed(Err(lost())));
    scene.next_run();
    let object = pending(scene.object(), &["rules"]);
    scene.answer(Outcome::Found(Ok(Some(object.clone()))));
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.step(), Step::Update(vec!["rules".to_owned()]));
    assert_eq!(scene.state(), "provisioning");
}

#[test]
fn any_error_after_a_write_that_was_not_refused_keeps_the_intent_open() {
    for fault in [
        CallFault::Provider(ProviderError::Failed("the answer made no sense".to_owned())),
        CallFault::Provider(ProviderError::Throttled {
            message: "second request".to_owned(),
            retry_after: None,
        }),
        CallFault::Plugin("crashed".to_owned()),
        CallFault::SecretInPlain("outputs".to_owned()),
    ] {
        let mut scene = about_to_create(app());
        scene.answer(Outcome::Observed(Err(CallError { fault, wrote: true })));
        assert!(scene.row.intent.is_some());
        assert_eq!(scene.state(), "pending");
    }
}

#[test]
fn a_refused_create_is_an_error_that_is_tried_again_and_can_be_deleted_without_a_call() {
    let mut scene = about_to_create(cluster());
    scene.take_events();
    scene.answer(Outcome::Observed(Err(refused())));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("error", Some(Reason::Failed))
    );
    assert_eq!(scene.take_events(), ["failed"]);
    scene.next_run();
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    scene.answer(Outcome::Observed(Err(refused())));
    assert_eq!(scene.take_events(), [""; 0], "one entry, one event");
    scene.condemn();
    scene.crash();
    assert_eq!(scene.step(), Step::End);
}

#[test]
fn a_foreign_twin_is_an_error_and_is_left_alone_by_the_delete() {
    for kind in [cluster(), app(), user()] {
        let mut scene = Scene::of(kind);
        let twin = scene.twin();
        scene.answer(Outcome::Found(Ok(Some(twin))));
        assert_eq!(
            (scene.state(), scene.reason()),
            ("error", Some(Reason::Exists))
        );
        assert_eq!(scene.row.provider_id, None);
        scene.condemn();
        scene.crash();
        assert_eq!(scene.step(), Step::End);
    }
}

#[test]
fn an_object_that_is_labelled_for_another_row_is_not_taken_over() {
    let mut scene = about_to_create(cluster());
    scene.answer(Outcome::Observed(Err(lost())));
    scene.next_run();
    let other = kinds::row(&cluster(), 7, None, scene.now);
    let object = scene.object_of(&other.id);
    scene.answer(Outcome::Found(Ok(Some(object))));
    assert_eq!(scene.reason(), Some(Reason::Exists));
    let unlabelled = unlabelled(scene.object());
    scene.next_run();
    scene.answer(Outcome::Found(Ok(Some(unlabelled))));
    assert_eq!(scene.row.provider_id, None);
}

#[test]
fn a_twin_is_not_ours_when_the_journal_shows_that_no_create_arrived() {
    for kind in [app(), user()] {
        let mut scene = about_to_create(kind);
        // The provider answered 409 and the host died before it stored that.
        scene.crash();
        scene.no_create_arrived = true;
        let twin = scene.twin();
        scene.answer(Outcome::Found(Ok(Some(twin))));
        assert_eq!(scene.reason(), Some(Reason::Exists));
        assert_eq!(scene.row.provider_id, None);
    }
}

#[test]
fn an_object_that_another_row_has_is_not_taken() {
    let mut scene = Scene::of(cluster());
    let other = kinds::row(&cluster(), 7, None, scene.now).id;
    scene.answer(Outcome::Taken(other.clone()));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("error", Some(Reason::Exists))
    );
    assert!(
        scene
            .row
            .message
            .as_ref()
            .unwrap()
            .text
            .contains(other.as_str())
    );

    let mut scene = about_to_create(cluster());
    scene.answer(Outcome::Taken(other));
    assert!(
        scene.row.intent.is_some(),
        "its own object may still turn up"
    );
    assert_eq!(scene.row.provider_id, None);
}

#[test]
fn absence_right_after_a_create_proves_nothing() {
    let mut scene = about_to_create(cluster());
    let object = phase(scene.object(), Phase::Converging);
    scene.answer(Outcome::Observed(Ok(object)));
    for _ in 0..3 {
        scene.next_run();
        assert_eq!(scene.step(), Step::Observe);
        scene.answer(Outcome::Observed(Err(not_found())));
        assert_eq!(scene.state(), "provisioning");
    }
    scene.next_run();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
}

#[test]
fn a_create_that_answers_gone_is_looked_at_again() {
    let mut scene = about_to_create(cluster());
    let object = phase(scene.object(), Phase::Gone);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.state, State::Provisioning);
    assert!(scene.row.provider_id.is_some());
}

#[test]
fn a_change_that_lands_while_the_create_is_sent_is_applied_afterwards() {
    let mut scene = about_to_create(cluster());
    let object = scene.object();
    scene.answer_while(
        |scene| scene.amend("size", two()),
        Outcome::Observed(Ok(object)),
    );
    assert_eq!(
        scene.row.provider_id.as_deref(),
        Some("object-1"),
        "the id is kept"
    );
    assert_eq!(scene.step(), Step::Update(vec!["size".to_owned()]));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        scene.take_events(),
        ["ready"],
        "folded in without an event of its own"
    );
}

#[test]
fn a_delete_that_lands_before_the_create_is_sent_sends_none() {
    let mut scene = Scene::of(cluster());
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer_while(Scene::condemn, Outcome::Stored);
    assert_eq!(scene.row.intent, None);
    assert_eq!(scene.step(), Step::End);
}

#[test]
fn a_delete_that_lands_while_the_create_is_sent_deletes_what_came_of_it() {
    let mut scene = about_to_create(cluster());
    let object = scene.object();
    scene.answer_while(Scene::condemn, Outcome::Observed(Ok(object.clone())));
    assert_eq!(scene.step(), Step::Observe);
    scene.answer(Outcome::Observed(Ok(object)));
    assert!(matches!(scene.step(), Step::Delete(_)));

    let mut scene = about_to_create(cluster());
    scene.take_events();
    scene.answer_while(Scene::condemn, Outcome::Observed(Err(refused())));
    assert_eq!(scene.step(), Step::End);
    assert_eq!(scene.take_events(), ["deleting"]);
}

#[test]
fn a_child_waits_for_its_parent_and_goes_with_it() {
    let mut scene = Scene::of(user());
    scene.parent = Some(ParentFact::NotReady(State::Provisioning));
    assert!(matches!(scene.step(), Step::Wait(_)));
    scene.answer(Outcome::Stored);
    assert_eq!(
        (scene.state(), scene.reason()),
        ("pending", Some(Reason::Waiting))
    );
    scene.next_run();
    scene.parent = Some(ParentFact::Going);
    assert_eq!(scene.step(), Step::Condemn);
    scene.answer(Outcome::Stored);
    assert_eq!(scene.step(), Step::End);
    scene.answer(Outcome::Stored);
    assert_eq!(scene.state(), "deleted");
}
