use berth_domain::resource::{
    Accepted, Amendment, Demand, Desired, State, UpdateRefusal, amend, condemn,
};
use berth_domain::spec::Spec;
use serde_json::json;

use crate::kinds::{cluster, user};
use crate::scene::{Scene, two};

#[test]
fn a_change_of_a_fixed_field_needs_a_new_resource() {
    let scene = Scene::ready(user());
    let mut spec = scene.row.spec.clone();
    spec.insert("login".to_owned(), json!("other"));
    let amendment = Amendment {
        spec: Some(Accepted {
            spec,
            defaults: Spec::new(),
            named: Default::default(),
            demand: Demand::default(),
        }),
        generation: "digest".to_owned(),
        description: None,
    };
    assert_eq!(
        amend(scene.row.clone(), amendment, Some(&scene.kind), scene.now),
        Err(UpdateRefusal::ReplaceRequired(vec!["login".to_owned()]))
    );
}

#[test]
fn a_change_of_nothing_moves_the_version_and_says_nothing() {
    let mut scene = Scene::ready(cluster());
    let before = scene.row.version;
    scene.amend("size", json!(0));
    assert_eq!((scene.state(), scene.row.version), ("ready", before + 1));
    assert_eq!(scene.take_events(), [""; 0]);
}

#[test]
fn a_change_before_it_was_accepted_folds_in() {
    let mut scene = Scene::of(cluster());
    scene.amend("size", two());
    assert_eq!(scene.state(), "pending");
    assert!(scene.row.unapplied.is_empty(), "its create says it");
    assert_eq!(scene.take_events(), [""; 0]);
}

#[test]
fn what_goes_can_not_be_changed_and_stays_as_it_is_when_it_is_deleted_again() {
    let mut scene = Scene::ready(cluster());
    scene.condemn();
    assert_eq!(scene.row.state, State::Deleting);
    assert_eq!(scene.row.desired, Desired::Deleted);
    let amendment = Amendment {
        spec: None,
        generation: "digest".to_owned(),
        description: Some(None),
    };
    assert_eq!(
        amend(scene.row.clone(), amendment, Some(&scene.kind), scene.now),
        Err(UpdateRefusal::Going(State::Deleting))
    );
    let again = condemn(scene.row.clone(), scene.now + berth_domain::time::Span(5));
    assert_eq!(again.row, scene.row);
    assert!(again.effects.is_empty());
}
