use berth_domain::linked::Named;
use berth_domain::provider::{Phase, ProviderError};
use berth_domain::resource::{
    Accepted, Adoption, Amendment, Demand, Effect, Outcome, Reason, Step, UpdateRefusal, amend,
};
use berth_domain::spec::Spec;
use serde_json::json;

use crate::kinds::cluster;
use crate::scene::{
    Scene, anothers, lost, not_found, password, phase, refused, reporting, says, two, unlabelled,
};

fn is_label(step: &Step) -> bool {
    matches!(step, Step::Label(claim) if claim.provider_id() == "object-1")
}

#[test]
fn an_object_that_nobody_manages_is_labelled_and_then_proven() {
    let mut scene = Scene::adopting(cluster());
    assert_eq!((scene.state(), scene.row.spec.len()), ("pending", 0));
    assert_eq!(scene.step(), Step::Observe);
    let theirs = reporting(scene.twin(), 1);
    scene.answer(Outcome::Observed(Ok(theirs)));
    assert_eq!(scene.row.adoption, Some(Adoption::Begun));
    assert!(is_label(&scene.step()));
    let ours = reporting(scene.object(), 1);
    scene.answer(Outcome::Observed(Ok(ours.clone())));
    assert_eq!(scene.row.adoption, Some(Adoption::Following));
    // With the spec that was reported the plugin can say all there is, secrets included.
    assert_eq!(scene.step(), Step::Observe);
    scene.answer(Outcome::Observed(Ok(password(ours, "s3cret"))));
    assert_eq!(scene.state(), "ready");
    assert_eq!(json!(scene.row.spec), json!({"size": 1, "colour": "red"}));
    assert_eq!(scene.row.secret_outputs.len(), 1);
    assert_eq!(scene.row.billing_starts(), Some(scene.now));
    assert_eq!(scene.take_events(), ["ready"]);
}

#[test]
fn hours_count_from_the_first_ready_and_not_from_the_takeover() {
    let mut scene = Scene::adopting(cluster());
    let object = phase(reporting(scene.object(), 1), Phase::Converging);
    scene.answer(Outcome::Observed(Ok(object.clone())));
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(
        (scene.state(), scene.row.billing_starts()),
        ("provisioning", None)
    );
    scene.next_run();
    let object = reporting(scene.object(), 1);
    scene.answer(Outcome::Observed(Ok(object)));
    assert_eq!(scene.row.billing_starts(), Some(scene.now));
    assert_eq!(scene.row.accepted_at, Some(scene.now));
}

#[test]
fn what_another_deployment_manages_is_not_written_to() {
    let mut scene = Scene::adopting(cluster());
    let theirs = anothers(scene.twin());
    scene.answer(Outcome::Observed(Ok(theirs)));
    assert_eq!(
        (scene.state(), scene.reason(), scene.step()),
        ("error", Some(Reason::ManagedByAnother), Step::Stop)
    );
    // Released there, it can be taken over at a later look.
    scene.next_run();
    let free = scene.twin();
    scene.answer(Outcome::Observed(Ok(free)));
    assert!(is_label(&scene.step()));
}

#[test]
fn a_plugin_that_sees_another_deployments_label_before_it_writes_stops_the_takeover() {
    let mut scene = Scene::adopting(cluster());
    let free = scene.twin();
    scene.answer(Outcome::Observed(Ok(free)));
    let conflict = says(ProviderError::Conflict("dep-2".to_owned()));
    scene.answer(Outcome::Observed(Err(conflict)));
    assert_eq!(scene.reason(), Some(Reason::ManagedByAnother));
    assert_eq!(scene.take_events(), ["failed"]);
}

#[test]
fn whoever_sees_two_deployments_labels_takes_his_own_off() {
    let mut scene = Scene::adopting(cluster());
    let free = scene.twin();
    scene.answer(Outcome::Observed(Ok(free)));
    let both = anothers(scene.object());
    scene.answer(Outcome::Observed(Ok(both.clone())));
    assert_eq!(scene.step(), Step::Unlabel);
    // Also when the host dies in between.
    scene.crash();
    scene.answer(Outcome::Observed(Ok(both)));
    assert_eq!(scene.step(), Step::Unlabel);
    scene.answer(Outcome::Accepted(Ok(())));
    assert_eq!(
        (scene.state(), scene.reason(), scene.step()),
        ("error", Some(Reason::ManagedByAnother), Step::Stop)
    );
    assert_eq!(scene.row.adoption, Some(Adoption::Begun));
}

#[test]
fn a_contested_object_of_ours_is_not_deleted() {
    let mut scene = Scene::ready(cluster());
    scene.condemn();
    let both = anothers(scene.object());
    scene.answer(Outcome::Observed(Ok(both)));
    assert_eq!(
        (scene.reason(), scene.step()),
        (Some(Reason::NotManaged), Step::Stop)
    );
}

#[test]
fn labels_of_a_resource_that_has_ended_are_replaced() {
    let mut scene = Scene::adopting(cluster());
    let other = crate::kinds::row(&cluster(), 7, None, scene.now).id;
    let left = reporting(scene.object_of(&other), 1);
    scene.answer(Outcome::Observed(Ok(left.clone())));
    assert!(is_label(&scene.step()));
    // A provider that does not show it yet is asked again, and not written to in circles.
    scene.answer(Outcome::Observed(Ok(left)));
    assert_eq!((scene.state(), scene.step()), ("pending", Step::Stop));
}

#[test]
fn what_a_live_resource_has_is_not_taken_over() {
    let mut scene = Scene::adopting(cluster());
    let other = crate::kinds::row(&cluster(), 7, None, scene.now).id;
    scene.answer(Outcome::Taken(other));
    assert_eq!(
        (scene.state(), scene.reason(), scene.step()),
        ("error", Some(Reason::Exists), Step::Stop)
    );
}

#[test]
fn a_host_that_dies_after_the_labels_finds_them() {
    let mut scene = Scene::adopting(cluster());
    let free = scene.twin();
    scene.answer(Outcome::Observed(Ok(free)));
    assert!(is_label(&scene.step()));
    scene.crash();
    let ours = reporting(scene.object(), 1);
    scene.answer(Outcome::Observed(Ok(ours)));
    assert_eq!(scene.row.adoption, Some(Adoption::Following));
}

#[test]
fn a_host_that_dies_between_two_labels_writes_the_rest() {
    let mut scene = Scene::adopting(cluster());
    let mut some = reporting(scene.object(), 1);
    some.labels.truncate(2);
    scene.answer(Outcome::Observed(Ok(some)));
    assert!(is_label(&scene.step()));
}

#[test]
fn a_lost_answer_to_the_labels_is_followed_by_a_look() {
    let mut scene = Scene::adopting(cluster());
    let free = scene.twin();
    scene.answer(Outcome::Observed(Ok(free)));
    scene.answer(Outcome::Observed(Err(lost())));
    assert_eq!((scene.state(), scene.step()), ("pending", Step::Stop));
    scene.next_run();
    assert_eq!(scene.step(), Step::Observe);
}

#[test]
fn an_object_without_a_spec_that_fits_is_not_taken_over() {
    let mut scene = Scene::adopting(cluster());
    let ours = scene.object();
    scene.answer(Outcome::Observed(Ok(ours)));
    assert_eq!(
        (scene.reason(), scene.row.adoption),
        (Some(Reason::Plugin), Some(Adoption::Begun))
    );
}

#[test]
fn the_spec_follows_the_provider_until_the_tenant_changes_it() {
    let mut scene = Scene::adopted(cluster());
    let resized = crate::scene::pending(reporting(scene.object(), 5), &["colour"]);
    scene.answer(Outcome::Observed(Ok(resized)));
    assert_eq!(scene.row.spec["size"], 5);
    assert!(scene.row.drift.is_empty() && scene.row.unapplied.is_empty());
    assert_eq!(scene.step(), Step::Stop, "nothing of it is ours to write");

    scene.amend("colour", json!("blue"));
    assert_eq!(
        (scene.state(), scene.row.adoption),
        ("updating", Some(Adoption::Managed))
    );
    scene.next_run();
    let written = reporting(scene.object(), 6);
    scene.answer(Outcome::Observed(Ok(written)));
    assert_eq!(scene.row.spec["size"], 5, "it is managed like any other");
    assert_eq!(json!(scene.row.drift), json!({"size": 6, "colour": "red"}));
}

#[test]
fn an_answer_that_was_under_way_does_not_undo_the_first_change() {
    let mut scene = Scene::adopted(cluster());
    let object = reporting(scene.object(), 5);
    scene.answer_while(
        |scene| scene.amend("size", two()),
        Outcome::Observed(Ok(object)),
    );
    assert_eq!(scene.row.spec["size"], 2);
    assert!(scene.row.unapplied.contains("size"));
}

#[test]
fn a_change_of_nothing_leaves_it_following() {
    let mut scene = Scene::adopted(cluster());
    scene.amend("size", json!(1));
    assert_eq!(scene.row.adoption, Some(Adoption::Following));
}

#[test]
fn the_defaults_of_new_resources_are_none_of_an_adopted_one() {
    let scene = Scene::adopted(cluster());
    let mut spec = scene.row.spec.clone();
    spec.insert("size".to_owned(), two());
    let amendment = Amendment {
        spec: Some(Accepted {
            spec,
            defaults: Spec::from_iter([("flavour".to_owned(), json!("new"))]),
            named: Named::default(),
            demand: Demand::default(),
        }),
        generation: "digest".to_owned(),
        description: None,
    };
    let amended = amend(scene.row.clone(), amendment, Some(&scene.kind), scene.now).unwrap();
    assert_eq!(amended.row.effective_spec().get("flavour"), None);
}

#[test]
fn a_spec_that_is_not_known_yet_cannot_be_changed_but_its_description_can() {
    let scene = Scene::adopting(cluster());
    let amendment = |spec| Amendment {
        spec,
        generation: "digest".to_owned(),
        description: Some(Some("found it".parse().unwrap())),
    };
    let accepted = Accepted {
        spec: Spec::from_iter([("size".to_owned(), two())]),
        defaults: Spec::new(),
        named: Named::default(),
        demand: Demand::default(),
    };
    let amend = |spec| {
        amend(
            scene.row.clone(),
            amendment(spec),
            Some(&scene.kind),
            scene.now,
        )
    };
    assert_eq!(amend(Some(accepted)), Err(UpdateRefusal::Adopting));
    assert!(amend(None).unwrap().row.description.is_some());
}

#[test]
fn deleting_an_unfinished_takeover_lets_go_without_a_call() {
    let mut scene = Scene::adopting(cluster());
    scene.condemn();
    assert_eq!((scene.state(), scene.step()), ("deleting", Step::End));
    scene.answer(Outcome::Stored);
    assert_eq!(scene.state(), "released");
    assert!(scene.effects.contains(&Effect::RemoveAuthorization));
    assert_eq!(scene.take_events(), ["deleting", "released"]);
}

#[test]
fn a_delete_that_lands_while_the_labels_are_written_lets_go_as_well() {
    for outcome in [Ok(()), Err(refused()), Err(lost()), Err(not_found())] {
        let mut scene = Scene::adopting(cluster());
        let free = scene.twin();
        scene.answer(Outcome::Observed(Ok(free)));
        let ours = reporting(scene.object(), 1);
        scene.answer_while(Scene::condemn, Outcome::Observed(outcome.map(|()| ours)));
        assert_eq!((scene.state(), scene.step()), ("deleting", Step::End));
    }
}

#[test]
fn an_object_that_vanished_before_it_was_ours_is_an_error_that_a_delete_ends() {
    let mut scene = Scene::adopting(cluster());
    while scene.state() == "pending" {
        scene.answer(Outcome::Observed(Err(not_found())));
        scene.next_run();
    }
    assert_eq!(scene.reason(), Some(Reason::GoneAtProvider));
    scene.condemn();
    scene.answer(Outcome::Stored);
    assert_eq!(scene.state(), "released");
}

#[test]
fn an_adopted_resource_is_deleted_like_any_other() {
    let mut scene = Scene::adopted(cluster());
    scene.condemn();
    let bare = unlabelled(scene.object());
    scene.answer(Outcome::Observed(Ok(bare)));
    assert_eq!(scene.reason(), Some(Reason::NotManaged));
    scene.next_run();
    let object = scene.object();
    scene.answer(Outcome::Observed(Ok(object)));
    scene.answer(Outcome::Accepted(Ok(())));
    scene.answer(Outcome::Observed(Err(not_found())));
    assert_eq!(scene.state(), "deleted");
}
