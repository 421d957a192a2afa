//! What runs store.

use std::sync::Arc;

use berth_domain::resource::{EventDraft, EventType, Resource, State};
use berth_domain::secret::SecretName;
use berth_domain::time::Millis;
use berth_store::{
    Claim, ClaimRequest, Committed, EventFilter, NewSecret, SecretChange, Store, StoreError,
    StoredResource, UpdateOutcome,
};
use serde_json::json;

use super::fixture::*;

fn at(offset: i64) -> Millis {
    Millis(START.0 + offset)
}

async fn claimed(store: &Arc<dyn Store>, name: &str) -> (Home, Claim) {
    let home = home(store, name).await;
    create(store, creation(row(&home, "a"))).await;
    let claim = claim_one(store, START).await;
    (home, claim)
}

fn output(row: &Resource, name: &str, version: u64) -> NewSecret {
    NewSecret {
        tenant: row.tenant.clone(),
        name: SecretName::of_output(&row.id, name),
        version,
        sealed: vec![1, 2, 3],
        resource: Some(row.id.clone()),
        at: START,
    }
}

pub async fn a_run_stores_its_row_with_everything_that_goes_with_it(store: Arc<dyn Store>) {
    let (home, claim) = claimed(&store, "acme").await;
    let mut change = run_end(&claim, at(500));
    change.row.state = State::Ready;
    change.row.provider_id = Some("17".to_owned());
    change.row.outputs.insert("port".to_owned(), json!(5432));
    change.row.schedule.next_run_at = Some(at(300_000));
    change.events = vec![
        (event_id(), EventDraft::about(EventType::Ready, &change.row)),
        (
            event_id(),
            EventDraft::about(EventType::Updated, &change.row),
        ),
    ];
    change.secrets = vec![
        output(&change.row, "password", 1),
        output(&change.row, "uri", 1),
    ];
    change.audit = vec![audit(&home.tenant, "reconcile")];
    let wanted = change.row.clone();
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(2)
    );

    let now = reread(&store, &wanted.id).await;
    assert_eq!(now.row, wanted);
    assert_eq!(now.revision, 2);
    let events = store
        .events(&home.tenant, &EventFilter::default(), 10)
        .await
        .unwrap();
    let names: Vec<_> = events
        .iter()
        .map(|event| (event.event.as_str(), event.at))
        .collect();
    assert_eq!(
        names,
        [
            ("cloud.resource.created", START),
            ("cloud.resource.ready", at(500)),
            ("cloud.resource.updated", at(500)),
        ]
    );
    let sealed = store
        .secret(&home.tenant, &SecretName::of_output(&wanted.id, "uri"))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(sealed.sealed, [1, 2, 3]);
    assert_eq!(sealed.info.resource_id, Some(wanted.id.clone()));
    assert_eq!(
        store.list_audit(None, 1).await.unwrap()[0].action,
        "reconcile"
    );
    // The lease is gone: at its time the row is claimed, well before a lease would have run out.
    assert_eq!(store.claim(claim_all(at(299_999))).await.unwrap(), []);
    assert_eq!(claim_one(&store, at(300_000)).await.epoch, 2);
}

pub async fn a_run_keeps_its_lease_if_it_goes_on(store: Arc<dyn Store>) {
    let (_, claim) = claimed(&store, "acme").await;
    let mut change = run_end(&claim, at(1));
    change.keep_lease = true;
    change.row.provider_id = Some("17".to_owned());
    assert_eq!(
        store.commit_run(change.clone()).await.unwrap(),
        Committed::Stored(2)
    );
    assert_eq!(store.claim(claim_all(at(2))).await.unwrap(), []);
    assert!(
        store
            .renew(
                "host-1",
                &[(change.row.id.clone(), claim.epoch)],
                at(90_000)
            )
            .await
            .unwrap()
            .is_empty()
    );
    change.revision = 2;
    change.keep_lease = false;
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(3)
    );
}

pub async fn a_tenants_write_in_between_is_shown_to_the_run(store: Arc<dyn Store>) {
    let (home, claim) = claimed(&store, "acme").await;
    let mut wish = update(&claim.stored);
    wish.row.spec.insert("size".to_owned(), json!(99));
    store.update_resources(vec![wish]).await.unwrap();
    let mut change = run_end(&claim, at(1));
    change.row.provider_id = Some("17".to_owned());
    change.secrets = vec![output(&change.row, "password", 1)];
    change.events = vec![(event_id(), EventDraft::about(EventType::Ready, &change.row))];
    let outcome = store.commit_run(change.clone()).await.unwrap();
    let now = reread(&store, &claim.stored.row.id).await;
    assert_eq!(outcome, Committed::Changed(Box::new(now.clone())));
    assert_eq!(now.row.spec["size"], json!(99));
    assert_eq!(
        store
            .events(&home.tenant, &EventFilter::default(), 10)
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        store.secrets(&home.tenant, None, 10).await.unwrap().items,
        []
    );

    // On the row of the moment it is stored, and the provider's id is not lost.
    change.row = now.row;
    change.row.provider_id = Some("17".to_owned());
    change.revision = now.revision;
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(3)
    );
    let now = reread(&store, &claim.stored.row.id).await;
    assert_eq!(now.row.provider_id.as_deref(), Some("17"));
    assert_eq!(now.row.spec["size"], json!(99));
}

pub async fn a_lease_that_was_taken_over_stores_nothing(store: Arc<dyn Store>) {
    let (_, old) = claimed(&store, "acme").await;
    let new = claim_one(&store, at(60_000)).await;
    let before = reread(&store, &old.stored.row.id).await;
    let mut late = run_end(&old, at(60_001));
    late.row.state = State::Ready;
    late.secrets = vec![output(&late.row, "password", 1)];
    assert_eq!(
        store.commit_run(late.clone()).await.unwrap(),
        Committed::LeaseLost
    );
    // Also if the row was written since: being too late outweighs having to decide again.
    store.update_resources(vec![update(&before)]).await.unwrap();
    assert_eq!(store.commit_run(late).await.unwrap(), Committed::LeaseLost);
    let now = reread(&store, &old.stored.row.id).await;
    assert_eq!(now.row.state, State::Pending);
    assert_eq!(
        store
            .secrets(&now.row.tenant, None, 10)
            .await
            .unwrap()
            .items,
        []
    );
    let mut change = run_end(&new, at(60_002));
    change.revision = now.revision;
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(3)
    );
}

pub async fn a_lease_that_was_given_up_stores_nothing(store: Arc<dyn Store>) {
    let (_, claim) = claimed(&store, "acme").await;
    store
        .give_up(&claim.stored.row.id, claim.epoch)
        .await
        .unwrap();
    assert_eq!(
        store.commit_run(run_end(&claim, at(1))).await.unwrap(),
        Committed::LeaseLost
    );
    let claim = claim_one(&store, at(2)).await;
    assert_eq!(
        store.commit_run(run_end(&claim, at(3))).await.unwrap(),
        Committed::Stored(2)
    );
    assert_eq!(
        store.commit_run(run_end(&claim, at(4))).await.unwrap(),
        Committed::LeaseLost
    );
    let nobody = row(&home(&store, "other").await, "nobody");
    let mut change = run_end(&claim, at(5));
    change.row = nobody;
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::LeaseLost
    );
}

pub async fn a_lease_that_ran_out_but_was_not_taken_over_still_stores(store: Arc<dyn Store>) {
    let (_, claim) = claimed(&store, "acme").await;
    let change = run_end(&claim, at(3_600_000));
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(2)
    );
}

/// A parent whose run is under way, and its children, which are due later.
async fn family(store: &Arc<dyn Store>, children: &[&str]) -> (Home, Claim, Vec<StoredResource>) {
    let (home, claim) = claimed(store, "acme").await;
    let mut stored = Vec::new();
    for name in children {
        let mut row = row(&home, name);
        row.schedule.next_run_at = Some(at(1_000_000));
        stored.push(create(store, child_creation(row, &claim.stored.row)).await);
    }
    (home, claim, stored)
}

pub async fn children_are_marked_with_their_parent_unless_they_changed(store: Arc<dyn Store>) {
    let (home, claim, children) = family(&store, &["one", "two", "three"]).await;
    store
        .update_resources(vec![update(&children[1])])
        .await
        .unwrap();
    let mut change = run_end(&claim, at(5));
    change.row.state = State::Deleting;
    change.children = children
        .iter()
        .map(|child| condemnation(child, at(5)))
        .collect();
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(2)
    );
    let states = |stored: Vec<StoredResource>| -> Vec<_> {
        stored
            .into_iter()
            .map(|child| (child.row.name.to_string(), child.row.state))
            .collect()
    };
    let mut now = states(store.children(&claim.stored.row.id).await.unwrap());
    now.sort();
    let wanted = [
        ("one", State::Deleting),
        ("three", State::Deleting),
        ("two", State::Pending),
    ];
    assert_eq!(now, wanted.map(|(name, state)| (name.to_owned(), state)));
    let events = store
        .events(&home.tenant, &EventFilter::default(), 100)
        .await
        .unwrap();
    let deleting: Vec<_> = events
        .iter()
        .filter(|event| event.event == "cloud.resource.deleting")
        .map(|event| event.resource.clone())
        .collect();
    assert_eq!(
        deleting,
        [children[0].row.id.clone(), children[2].row.id.clone()]
    );
}

pub async fn a_wake_makes_rows_due_without_failing_anyones_write(store: Arc<dyn Store>) {
    let (_, claim, children) = family(&store, &["one", "two"]).await;
    let mut change = run_end(&claim, at(7));
    change.row.schedule.next_run_at = Some(at(900_000));
    change.wake_children = true;
    store.commit_run(change).await.unwrap();
    let woken = reread(&store, &children[0].row.id).await;
    assert_eq!(woken.row.schedule.next_run_at, Some(at(7)));
    assert_eq!(woken.revision, children[0].revision);

    // A tenant that read the child before writes it without being told to read again; the wake stands.
    let mut wish = update(&children[0]);
    wish.row.description = None;
    assert_eq!(
        store.update_resources(vec![wish]).await.unwrap(),
        UpdateOutcome::Stored(2)
    );
    let due = reread(&store, &children[0].row.id).await;
    assert_eq!(due.row.schedule.next_run_at, Some(at(7)));
    assert_eq!(due.row.description, None);

    // The other way round: a child's run wakes its parent.
    let claims = store.claim(claim_all(at(8))).await.unwrap();
    assert_eq!(claims.len(), 2);
    let mut end = run_end(&claims[0], at(9));
    end.row.schedule.next_run_at = Some(at(900_000));
    end.wake_parent = true;
    store.commit_run(end).await.unwrap();
    let parent = reread(&store, &claim.stored.row.id).await;
    assert_eq!(parent.row.schedule.next_run_at, Some(at(9)));
    assert_eq!(parent.revision, 2);
    // What is due already is not put off by a wake.
    let mut end = run_end(&claims[1], at(10));
    end.wake_parent = true;
    store.commit_run(end).await.unwrap();
    assert_eq!(
        reread(&store, &claim.stored.row.id)
            .await
            .row
            .schedule
            .next_run_at,
        Some(at(9))
    );
}

pub async fn a_wake_during_a_run_outlives_the_runs_own_schedule(store: Arc<dyn Store>) {
    let (home, _, children) = family(&store, &["one"]).await;
    let one = ClaimRequest {
        host: "host-2".to_owned(),
        ..claim_all(at(1_000_000))
    };
    // The parent's lease ran out meanwhile; both are claimed.
    let claims = store.claim(one).await.unwrap();
    let (child, parent): (Vec<Claim>, Vec<Claim>) = claims
        .into_iter()
        .partition(|claim| claim.stored.row.id == children[0].row.id);
    let (child, parent) = (&child[0], &parent[0]);

    let mut wakes = run_end(parent, at(1_000_010));
    wakes.wake_children = true;
    wakes.row.schedule.next_run_at = None;
    store.commit_run(wakes).await.unwrap();

    // The child's run knows nothing of it, stores a step, and ends with a wait of five minutes.
    let mut step = run_end(child, at(1_000_020));
    step.keep_lease = true;
    step.row.schedule.next_run_at = Some(at(1_300_000));
    assert_eq!(
        store.commit_run(step.clone()).await.unwrap(),
        Committed::Stored(2)
    );
    step.revision = 2;
    step.keep_lease = false;
    assert_eq!(store.commit_run(step).await.unwrap(), Committed::Stored(3));

    let again = claim_one(&store, at(1_000_030)).await;
    assert_eq!(again.stored.row.id, children[0].row.id);
    // Once it was looked at, its own schedule holds.
    let mut end = run_end(&again, at(1_000_040));
    end.row.schedule.next_run_at = Some(at(1_300_000));
    store.commit_run(end).await.unwrap();
    assert_eq!(
        reread(&store, &children[0].row.id)
            .await
            .row
            .schedule
            .next_run_at,
        Some(at(1_300_000))
    );
    assert_eq!(
        store.count_children(&parent.stored.row.id).await.unwrap(),
        1
    );
    drop(home);
}

pub async fn a_tenants_write_during_a_run_is_looked_at_after_it(store: Arc<dyn Store>) {
    let (_, claim) = claimed(&store, "acme").await;
    store
        .update_resources(vec![update(&claim.stored)])
        .await
        .unwrap();
    let mut end = run_end(&claim, at(10));
    end.revision = 2;
    end.row.schedule.next_run_at = Some(at(300_000));
    assert_eq!(store.commit_run(end).await.unwrap(), Committed::Stored(3));
    let again = claim_one(&store, at(11)).await;
    assert_eq!(again.epoch, 2);
}

pub async fn an_ended_row_is_not_woken(store: Arc<dyn Store>) {
    let (_, claim, children) = family(&store, &["one"]).await;
    // The wake comes first, then the row ends: it is never due again.
    let mut wakes = run_end(&claim, at(1));
    wakes.wake_children = true;
    wakes.row.schedule.next_run_at = None;
    store.commit_run(wakes).await.unwrap();
    let child = claim_one(&store, at(2)).await;
    assert_eq!(child.stored.row.id, children[0].row.id);
    store
        .update_resources(vec![update(&child.stored)])
        .await
        .unwrap();
    let mut end = run_end(&child, at(3));
    end.revision = 2;
    end.row.state = State::Deleted;
    end.row.schedule.next_run_at = None;
    end.row.ended_at = Some(at(3));
    end.wake_parent = true;
    assert_eq!(store.commit_run(end).await.unwrap(), Committed::Stored(3));
    assert_eq!(
        reread(&store, &child.stored.row.id)
            .await
            .row
            .schedule
            .next_run_at,
        None
    );

    let parent = claim_one(&store, at(4)).await;
    let mut wakes = run_end(&parent, at(5));
    wakes.wake_children = true;
    wakes.row.schedule.next_run_at = None;
    store.commit_run(wakes).await.unwrap();
    assert_eq!(store.next_due().await.unwrap(), None);
}

pub async fn a_provider_id_belongs_to_one_live_row(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    create(&store, creation(row(&home, "a"))).await;
    create(&store, creation(row(&home, "b"))).await;
    let claims = store.claim(claim_all(START)).await.unwrap();
    let [one, two] = claims.as_slice() else {
        panic!("two rows were due");
    };
    let with_id = |claim: &Claim| {
        let mut change = run_end(claim, at(1));
        change.row.provider_id = Some("17".to_owned());
        change
    };
    assert_eq!(
        store
            .provider_id_taken(&two.stored.row, "17")
            .await
            .unwrap(),
        None
    );
    store.commit_run(with_id(one)).await.unwrap();
    assert_eq!(
        store
            .provider_id_taken(&two.stored.row, "17")
            .await
            .unwrap(),
        Some(one.stored.row.id.clone())
    );
    assert_eq!(
        store
            .provider_id_taken(&one.stored.row, "17")
            .await
            .unwrap(),
        None
    );
    let mut of_another_kind = two.stored.row.clone();
    of_another_kind.kind = kind("x.cache");
    assert_eq!(
        store
            .provider_id_taken(&of_another_kind, "17")
            .await
            .unwrap(),
        None
    );

    // Whoever does not ask is stopped all the same.
    let refused = store.commit_run(with_id(two)).await.unwrap_err();
    assert!(matches!(refused, StoreError::Failed(_)), "{refused}");
    assert_eq!(reread(&store, &two.stored.row.id).await, two.stored);
    let mut gone = update(&reread(&store, &one.stored.row.id).await);
    gone.row.state = State::Released;
    store.update_resources(vec![gone]).await.unwrap();
    assert_eq!(
        store
            .provider_id_taken(&two.stored.row, "17")
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        store.commit_run(with_id(two)).await.unwrap(),
        Committed::Stored(2)
    );
}

pub async fn secrets_are_destroyed_with_their_row(store: Arc<dyn Store>) {
    let (home, claim) = claimed(&store, "acme").await;
    let mut change = run_end(&claim, at(1));
    change.keep_lease = true;
    change.secrets = vec![
        output(&change.row, "password", 1),
        output(&change.row, "uri", 1),
    ];
    store.commit_run(change.clone()).await.unwrap();
    let mut own = output(&change.row, "x", 1);
    own.name = "mine".parse().unwrap();
    own.resource = None;
    assert_eq!(
        store.put_secret(own, vec![]).await.unwrap(),
        SecretChange::Stored
    );
    change.revision = 2;
    change.secrets = Vec::new();
    change.destroy_secrets = true;
    store.commit_run(change).await.unwrap();
    let left = store.secrets(&home.tenant, None, 10).await.unwrap().items;
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].reference.name().as_str(), "mine");
}

pub async fn a_secret_that_another_wrote_stores_nothing_of_the_run(store: Arc<dyn Store>) {
    let (_, claim) = claimed(&store, "acme").await;
    let other = output(&claim.stored.row, "password", 1);
    store.put_secret(other, vec![]).await.unwrap();
    let mut change = run_end(&claim, at(1));
    change.row.state = State::Ready;
    change.secrets = vec![output(&change.row, "password", 1)];
    assert_eq!(
        store.commit_run(change.clone()).await.unwrap(),
        Committed::Unsealed(SecretChange::Stale(1))
    );
    assert_eq!(reread(&store, &claim.stored.row.id).await, claim.stored);
    change.secrets = vec![output(&change.row, "password", 2)];
    assert_eq!(
        store.commit_run(change).await.unwrap(),
        Committed::Stored(2)
    );
}
