use berth_domain::metering::HOURS;
use berth_domain::resource::{Effect, ForgetRefusal, Message, Reason, State, forget};

use crate::kinds::{cluster, user};
use crate::scene::Scene;

/// A condemned row whose delete failed for this reason.
fn failed(reason: Reason) -> Scene {
    let mut scene = Scene::ready(cluster());
    scene.condemn();
    scene.row.state = State::Error;
    scene.row.message = Some(Message::new(reason, "stuck"));
    scene
}

/// rule: CR-214
#[test]
fn a_failed_deletion_is_forgotten_like_one_that_went_well_without_its_provider() {
    for reason in [Reason::NotManaged, Reason::DeleteRefused, Reason::Denied] {
        let scene = failed(reason);
        let ended = forget(scene.row.clone(), 0, scene.now).unwrap();
        assert_eq!(ended.row.state, State::Deleted);
        assert_eq!(ended.row.ended_at, Some(scene.now));
        assert_eq!(ended.row.schedule.next_run_at, None);
        assert!(ended.row.secret_outputs.is_empty() && ended.row.held.is_empty());
        assert_eq!(
            ended.row.provider_id, scene.row.provider_id,
            "it says what may be left at the provider"
        );
        for effect in [Effect::DestroySecrets, Effect::RemoveAuthorization] {
            assert!(ended.effects.contains(&effect));
        }
        let published = ended.effects.iter().filter_map(|effect| match effect {
            Effect::Publish(draft) => Some(draft.event.as_str()),
            _ => None,
        });
        assert!(published.eq(["cloud.resource.deleted"]));
    }
}

#[test]
fn meters_of_a_forgotten_row_end_with_it() {
    let scene = failed(Reason::NotManaged);
    let since = scene.row.metering[HOURS].since;
    let ended = forget(scene.row.clone(), 0, scene.now).unwrap();
    assert!(ended.row.metering.is_empty());
    let spans = ended.effects.iter().filter_map(|effect| match effect {
        Effect::Meter(span) => Some((span.from, span.until)),
        _ => None,
    });
    assert!(spans.eq([(since, Some(scene.now))]));
}

#[test]
fn a_child_that_is_forgotten_has_its_parent_looked_at() {
    let mut scene = Scene::ready(user());
    scene.condemn();
    scene.row.state = State::Error;
    let ended = forget(scene.row, 0, scene.now).unwrap();
    assert!(ended.effects.contains(&Effect::WakeParent));
}

/// rule: CR-214
#[test]
fn only_what_is_stuck_at_being_deleted_and_holds_nothing_is_forgotten() {
    let ready = Scene::ready(cluster());
    let refused = |scene: &Scene, children| forget(scene.row.clone(), children, scene.now);
    assert_eq!(refused(&ready, 0), Err(ForgetRefusal::NotCondemned));
    let mut broken = Scene::ready(cluster());
    broken.row.state = State::Error;
    assert_eq!(refused(&broken, 0), Err(ForgetRefusal::NotCondemned));

    assert_eq!(
        refused(&failed(Reason::NotManaged), 2),
        Err(ForgetRefusal::Children(2))
    );
    let mut going = Scene::ready(cluster());
    going.condemn();
    assert_eq!(refused(&going, 0), Err(ForgetRefusal::UnderWay));
    going.row.message = Some(Message::new(Reason::Waiting, "the provider is deleting it"));
    going.row.schedule.attempts = 2;
    assert_eq!(refused(&going, 0), Err(ForgetRefusal::UnderWay));
    // Tried in vain again and again, or waiting for an operator.
    let mut tried = going.row.clone();
    tried.schedule.attempts = 3;
    assert!(forget(tried, 0, going.now).is_ok());
    let mut held = going.row.clone();
    held.schedule.attempts = 0;
    held.message = Some(Message::new(Reason::Host, "its plugin is not loaded"));
    assert!(forget(held, 0, going.now).is_ok());

    let ended = forget(failed(Reason::NotManaged).row, 0, going.now).unwrap();
    assert_eq!(
        forget(ended.row, 0, going.now),
        Err(ForgetRefusal::Ended(State::Deleted))
    );
}
