use berth_domain::provider::{FieldError, Observation, ProviderError};
use berth_domain::resource::{
    CallError, CallFault, Desired, Effect, Outcome, Reason, ReleaseRefusal, Step, UpdateRefusal,
    amendable, release,
};
use berth_domain::time::Span;

use crate::kinds::{app, cluster, user};
use crate::scene::{Scene, anothers, busy, lost, not_found, refused, says, two, unlabelled};

fn releasing(kind: berth_domain::manifest::Kind) -> Scene {
    let mut scene = Scene::ready(kind);
    scene.release();
    scene
}

fn refusals() -> [CallError; 5] {
    [
        says(ProviderError::Denied("no scope".to_owned())),
        says(ProviderError::Invalid(vec![FieldError {
            field: String::new(),
            message: "no".to_owned(),
        }])),
        says(ProviderError::Failed("no".to_owned())),
        says(ProviderError::Conflict("no".to_owned())),
        says(ProviderError::Unsupported("no".to_owned())),
    ]
}

#[test]
fn a_release_takes_the_labels_off_and_ends() {
    let mut scene = releasing(cluster());
    assert_eq!(scene.state(), "ready", "its state is kept");
    assert!(scene.row.is_releasing());
    assert_eq!(scene.step(), Step::Unlabel, "no look is needed");
    scene.answer(Outcome::Accepted(Ok(())));
    assert_eq!(scene.state(), "released");
    assert_eq!(scene.row.schedule.next_run_at, None);
    for effect in [Effect::DestroySecrets, Effect::RemoveAuthorization] {
        assert!(scene.effects.contains(&effect));
    }
    assert_eq!(scene.take_events(), ["releasing", "released"]);
}

#[test]
fn an_object_that_is_gone_counts_as_released() {
    let mut scene = releasing(cluster());
    scene.answer(Outcome::Accepted(Err(not_found())));
    assert_eq!(scene.state(), "released");
}

#[test]
fn asking_again_changes_nothing() {
    let mut scene = releasing(cluster());
    scene.row.schedule.next_run_at = Some(scene.now + Span::minutes(3));
    scene.effects.clear();
    let before = scene.row.clone();
    scene.release();
    assert_eq!((&scene.row, scene.effects.len()), (&before, 0));
}

#[test]
fn what_stands_against_a_release_is_told() {
    let of = |scene: &Scene, children| {
        release(
            scene.row.clone(),
            scene.kind.releasable,
            children,
            scene.now,
        )
        .map(drop)
    };
    let pending = Scene::of(cluster());
    assert_eq!(of(&pending, 0), Err(ReleaseRefusal::NotAccepted));
    let adopting = Scene::adopting(cluster());
    assert_eq!(of(&adopting, 0), Err(ReleaseRefusal::NotAccepted));
    let mut ready = Scene::ready(cluster());
    assert_eq!(of(&ready, 2), Err(ReleaseRefusal::Children(2)));
    ready.condemn();
    assert!(matches!(of(&ready, 0), Err(ReleaseRefusal::Going(_))));
    let child = Scene::ready(user());
    assert!(matches!(of(&child, 0), Err(ReleaseRefusal::InParent(_))));
    // Whatever its state.
    let mut named = Scene::of(app());
    assert_eq!(of(&named, 0), Err(ReleaseRefusal::Unsupported));
    named.condemn();
    assert_eq!(of(&named, 0), Err(ReleaseRefusal::Unsupported));
}

#[test]
fn a_resource_that_is_being_released_cannot_be_changed() {
    let scene = releasing(cluster());
    assert_eq!(amendable(&scene.row, false), Err(UpdateRefusal::Releasing));
}

#[test]
fn a_refusal_withdraws_the_release_of_what_was_created_here_and_restores_the_labels() {
    for refusal in refusals() {
        let mut scene = releasing(cluster());
        scene.answer(Outcome::Accepted(Err(refusal)));
        assert_eq!(
            (scene.state(), scene.reason(), scene.row.desired),
            ("error", Some(Reason::ReleaseRefused), Desired::Present)
        );
        assert!(matches!(scene.step(), Step::Label(_)));
        let object = scene.object();
        scene.answer(Outcome::Observed(Ok(object.clone())));
        assert_eq!(
            (scene.state(), scene.reason(), scene.step()),
            ("error", Some(Reason::ReleaseRefused), Step::Stop),
            "the reason stands until the next refresh"
        );
        let waits = scene.row.schedule.next_run_at.unwrap() - scene.now;
        assert!(waits > Span::minutes(4));
        scene.next_run();
        scene.answer(Outcome::Observed(Ok(object)));
        assert_eq!(scene.state(), "ready");
        assert_ne!(scene.reason(), Some(Reason::ReleaseRefused));
        assert_eq!(scene.take_events(), ["releasing", "failed"]);
    }
}

#[test]
fn labels_that_a_crash_left_off_are_restored_at_the_next_look() {
    let mut scene = releasing(cluster());
    scene.answer(Outcome::Accepted(Err(refused())));
    scene.next_run();
    let mut some = scene.object();
    some.labels.truncate(1);
    scene.answer(Outcome::Observed(Ok(some)));
    assert!(matches!(scene.step(), Step::Label(_)));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.state(), "ready");
}

#[test]
fn a_change_that_lands_while_labels_are_restored_is_made() {
    let mut scene = releasing(cluster());
    scene.answer(Outcome::Accepted(Err(refused())));
    let object = scene.object();
    scene.answer_while(
        |scene| scene.amend("size", two()),
        Outcome::Observed(Ok(object)),
    );
    assert_eq!((scene.state(), scene.step()), ("updating", Step::Observe));
}

#[test]
fn labels_are_not_restored_on_what_another_deployment_took() {
    let mut scene = releasing(cluster());
    scene.answer(Outcome::Accepted(Err(refused())));
    scene.next_run();
    let taken = anothers(scene.twin());
    scene.answer(Outcome::Observed(Ok(taken)));
    assert_eq!(scene.step(), Step::Stop);
}

#[test]
fn a_provider_that_refuses_both_leaves_it_managed_with_the_reason() {
    let mut scene = releasing(cluster());
    scene.answer(Outcome::Accepted(Err(refused())));
    scene.answer(Outcome::Observed(Err(refused())));
    assert_eq!(
        (scene.state(), scene.reason(), scene.step()),
        ("error", Some(Reason::ReleaseRefused), Step::Stop)
    );
}

#[test]
fn an_adopted_resource_is_let_go_without_the_provider_where_that_refuses() {
    for refusal in refusals() {
        let mut scene = Scene::adopted(cluster());
        scene.release();
        scene.answer(Outcome::Accepted(Err(refusal)));
        assert_eq!(scene.state(), "released");
        assert_eq!(scene.take_events(), ["releasing", "released"]);
    }
}

#[test]
fn a_provider_that_has_no_time_is_asked_again() {
    let unavailable = says(ProviderError::Unavailable("away".to_owned()));
    let throttled = says(ProviderError::Throttled {
        message: "slow".to_owned(),
        retry_after: Some(Span::seconds(50)),
    });
    for error in [busy(None), throttled, unavailable, lost()] {
        let mut scene = releasing(cluster());
        scene.answer(Outcome::Accepted(Err(error)));
        assert_eq!(
            (scene.state(), scene.reason(), scene.step()),
            ("ready", Some(Reason::Waiting), Step::Stop)
        );
        scene.next_run();
        assert_eq!(scene.step(), Step::Unlabel);
        scene.answer(Outcome::Accepted(Ok(())));
        assert_eq!(scene.take_events(), ["releasing", "released"]);
    }
}

#[test]
fn a_plugin_that_breaks_is_no_refusal() {
    let mut scene = releasing(cluster());
    let broken = CallError {
        fault: CallFault::Plugin("trap".to_owned()),
        wrote: false,
    };
    scene.answer(Outcome::Accepted(Err(broken)));
    assert_eq!(
        (scene.state(), scene.reason(), scene.row.desired),
        ("ready", Some(Reason::Plugin), Desired::Released)
    );
}

#[test]
fn a_delete_overrides_a_release() {
    let mut scene = releasing(cluster());
    scene.condemn();
    assert_eq!((scene.state(), scene.step()), ("deleting", Step::Observe));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Accepted(Ok(())));
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.take_events(), ["releasing", "deleting", "deleted"]);
}

#[test]
fn a_delete_of_what_the_provider_let_go_already_destroys_nothing() {
    let mut scene = releasing(cluster());
    scene.answer_while(Scene::condemn, Outcome::Accepted(Ok(())));
    assert_eq!((scene.state(), scene.step()), ("deleting", Step::Observe));
    let bare = unlabelled(scene.object());
    scene.answer(Outcome::Observed(Ok(bare)));
    assert_eq!(
        (scene.state(), scene.reason(), scene.step()),
        ("error", Some(Reason::NotManaged), Step::Stop)
    );
}

#[test]
fn a_release_that_lands_under_a_call_needs_nothing_of_its_answer() {
    let answers: [Result<(), CallError>; 4] =
        [Ok(()), Err(lost()), Err(not_found()), Err(refused())];
    for answer in answers {
        let mut scene = Scene::ready(cluster());
        let object: Observation = scene.object();
        let outcome = Outcome::Observed(answer.clone().map(|()| object.clone()));
        scene.answer_while(Scene::release, outcome);
        assert_eq!((scene.state(), scene.step()), ("ready", Step::Unlabel));

        let mut scene = Scene::ready(cluster());
        scene.amend("size", two());
        let open = crate::scene::pending(object.clone(), &["size"]);
        scene.answer(Outcome::Observed(Ok(open)));
        let outcome = Outcome::Observed(answer.map(|()| object));
        scene.answer_while(Scene::release, outcome);
        assert_eq!((scene.state(), scene.step()), ("updating", Step::Unlabel));
    }
}

#[test]
fn what_came_to_live_in_it_meanwhile_goes_first() {
    let mut scene = releasing(cluster());
    scene.live_children = 1;
    scene.answer(Outcome::Stored);
    assert!(scene.effects.contains(&Effect::WakeChildren));
    assert_eq!(scene.state(), "ready");
    scene.live_children = 0;
    scene.next_run();
    assert_eq!(scene.step(), Step::Unlabel);
}
