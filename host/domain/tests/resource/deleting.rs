use berth_domain::provider::Phase;
use berth_domain::resource::{Effect, Outcome, Reason, Step};
use berth_domain::time::Span;

use crate::kinds::{app, cluster, user};
use crate::scene::{Scene, busy, lost, not_found, phase, refused, two, unlabelled};

fn condemned(kind: berth_domain::manifest::Kind) -> Scene {
    let mut scene = Scene::ready(kind);
    scene.condemn();
    scene
}

#[test]
fn a_delete_needs_a_proof_of_the_same_run_and_ends_when_the_object_is_gone() {
    let mut scene = condemned(cluster());
    assert_eq!(scene.step(), Step::Observe);
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    let Step::Delete(proof) = scene.step() else {
        panic!("{:?}", scene.step())
    };
    assert_eq!(proof.provider_id(), "object-1");
    scene.answer(Outcome::Accepted(Ok(())));
    assert_eq!(scene.step(), Step::Observe);
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.state(), "deleted");
    assert_eq!(scene.row.schedule.next_run_at, None);
    for effect in [Effect::DestroySecrets, Effect::RemoveAuthorization] {
        assert!(scene.effects.contains(&effect));
    }
    assert_eq!(scene.take_events(), ["deleting", "deleted"]);
}

#[test]
fn a_proof_dies_with_its_run() {
    let mut scene = condemned(cluster());
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    scene.crash();
    assert_eq!(scene.step(), Step::Observe);
}

#[test]
fn what_is_not_proven_ours_is_not_deleted() {
    let named_otherwise = |scene: &Scene| berth_domain::provider::Observation {
        name: Some("renamed".to_owned()),
        ..scene.object()
    };
    let mut scene = condemned(cluster());
    let object = unlabelled(scene.object());
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("error", Some(Reason::NotManaged))
    );
    assert_eq!(scene.step(), Step::Stop);
    assert_eq!(scene.take_events(), ["deleting", "failed"]);

    let mut scene = condemned(app());
    let object = named_otherwise(&scene);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.reason(), Some(Reason::NotManaged));
    assert!(scene.row.message.as_ref().unwrap().text.contains("renamed"));
}

#[test]
fn a_child_is_deleted_only_when_its_parent_is_proven_ours() {
    let mut scene = condemned(user());
    assert_eq!(scene.step(), Step::ProveParent);
    scene.answer(Outcome::ParentProven(Ok(Some(false))));
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    assert_eq!(scene.reason(), Some(Reason::NotManaged));
    scene.next_run();
    scene.answer(Outcome::ParentProven(Ok(Some(true))));
    scene.answer(Outcome::Observed(Ok(object)));
    assert!(matches!(scene.step(), Step::Delete(_)));
}

#[test]
fn a_child_that_is_condemned_while_it_is_looked_at_proves_its_parent_first() {
    let mut scene = Scene::ready(user());
    let object = scene.object();
    scene.answer_while(Scene::condemn, Outcome::Observed(Ok(object)));
    assert_eq!(
        (scene.state(), scene.step()),
        ("deleting", Step::ProveParent)
    );
}

#[test]
fn a_delete_that_lands_while_a_change_is_written_wins() {
    for outcome in [Ok(()), Err(refused()), Err(lost())] {
        let mut scene = Scene::ready(cluster());
        scene.amend("size", two());
        let object = crate::scene::pending(scene.object(), &["size"]);
        scene.answer(Outcome::Observed(Ok(object)));
        let object = scene.object();
        scene.answer_while(Scene::condemn, Outcome::Observed(outcome.map(|()| object)));
        assert_eq!((scene.state(), scene.step()), ("deleting", Step::Observe));
        assert_eq!(scene.take_events(), ["updating", "deleting"]);
    }
}

#[test]
fn children_go_first() {
    let mut scene = condemned(cluster());
    scene.live_children = 2;
    assert!(matches!(scene.step(), Step::Wait(_)));
    scene.answer(Outcome::Stored);
    assert!(
        scene.effects.contains(&Effect::CondemnChildren),
        "one made meanwhile goes too"
    );
    assert!(
        scene
            .row
            .message
            .as_ref()
            .unwrap()
            .text
            .contains("2 resources")
    );
    scene.live_children = 0;
    scene.next_run();
    assert_eq!(scene.step(), Step::Observe);
}

#[test]
fn one_absence_without_an_accepted_delete_does_not_end_it() {
    let mut scene = condemned(cluster());
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.state(), "deleting");
    let first = scene.now;
    while scene.state() == "deleting" {
        scene.next_run();
        scene.answer(Outcome::Observed(Err(not_found())));
    }
    assert_eq!(scene.state(), "deleted", "vanished counts as deleted");
    assert!(scene.now - first >= Span::seconds(30));
}

#[test]
fn a_provider_that_is_still_deleting_is_waited_for() {
    let mut scene = condemned(cluster());
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Accepted(Ok(())));
    let object = phase(scene.object(), Phase::Converging);
    scene.answer(Outcome::Observed(Ok(object.clone())));
    assert_eq!((scene.state(), scene.step()), ("deleting", Step::Stop));
    scene.next_run();
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        scene.step(),
        Step::Stop,
        "not sent again while it is under way"
    );
}

#[test]
fn a_busy_delete_is_tried_again_and_says_what_is_waited_for() {
    let mut scene = condemned(cluster());
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Accepted(Err(busy(Some(Span::seconds(5))))));
    assert_eq!(scene.state(), "deleting");
    assert!(
        scene
            .row
            .message
            .as_ref()
            .unwrap()
            .text
            .contains("draining members")
    );
    assert_eq!(
        scene.row.schedule.next_run_at,
        Some(scene.now + Span::seconds(5))
    );
}

#[test]
fn a_refused_delete_is_an_error_until_it_works() {
    let mut scene = condemned(cluster());
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object.clone())));
    scene.answer(Outcome::Accepted(Err(refused())));
    assert_eq!(
        (scene.state(), scene.reason()),
        ("error", Some(Reason::DeleteRefused))
    );
    scene.next_run();
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Accepted(Ok(())));
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.take_events(), ["deleting", "failed", "deleted"]);
}

#[test]
fn a_row_with_an_open_intent_is_looked_for_before_it_ends() {
    let mut scene = Scene::of(app());
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    scene.answer(Outcome::Observed(Err(lost())));
    scene.condemn();
    scene.crash();
    assert_eq!(scene.step(), Step::Find);
    scene.answer(Outcome::Found(Ok(None)));
    assert!(matches!(scene.step(), Step::Wait(_)));
    scene.answer(Outcome::Stored);
    scene.next_run();
    let object = scene.object();
    scene.answer(Outcome::Found(Ok(Some(object.clone()))));
    scene.answer(Outcome::Observed(Ok(object)));
    assert!(matches!(scene.step(), Step::Delete(_)));
}

#[test]
fn a_create_that_never_arrived_ends_after_its_grace() {
    let mut scene = Scene::of(app());
    scene.answer(Outcome::Found(Ok(None)));
    scene.answer(Outcome::Stored);
    scene.answer(Outcome::Observed(Err(lost())));
    scene.condemn();
    let mut looks = 0;
    while scene.state() != "deleted" {
        scene.next_run();
        scene.answer(Outcome::Found(Ok(None)));
        scene.answer(Outcome::Stored);
        looks += 1;
        assert!(looks < 30);
    }
    assert!(looks >= 3);
}
