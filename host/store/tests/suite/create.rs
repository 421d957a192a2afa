//! Creating resources.

use std::sync::Arc;

use berth_domain::id::{ResourceId, RunId};
use berth_domain::resource::{Desired, Intent, Message, Reason, Resource, State};
use berth_domain::secret::{SecretName, SecretRef};
use berth_domain::time::Millis;
use berth_store::{CreateChange, CreateOutcome, EventFilter, Store, StoredResource};
use serde_json::json;

use super::fixture::*;

pub async fn a_created_row_reads_back_as_it_was_written(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let project = project(&home.tenant, START);
    store.create_project(&project, vec![]).await.unwrap();
    let mut wanted = row(&home, "a");
    // Every column once with a value, once without.
    wanted.project = Some(project.id);
    wanted.message = Some(Message::new(Reason::Waiting, "für etwas"));
    wanted.provider_id = Some("17".to_owned());
    wanted.accepted_at = Some(Millis(1));
    wanted.ready_at = Some(Millis(2));
    wanted.secret_outputs = [(
        "password".to_owned(),
        SecretRef::new(
            home.tenant.clone(),
            SecretName::of_output(&wanted.id, "password"),
        ),
    )]
    .into();
    wanted.given_secrets = [("secret://acme/app/key".parse().unwrap(), 3)].into();
    wanted.drift = [("size".to_owned(), json!([1, {"a": null}]))]
        .into_iter()
        .collect();
    wanted.intent = Some(Intent {
        opened_at: Millis(3),
        absent_looks: 4,
        sends: 5,
    });
    wanted.missing_since = Some(Millis(6));
    wanted.delete_sent_at = Some(Millis(7));
    wanted.last_run = Some(RunId::generate(START, seed()));
    wanted.last_digest = Some("ef".repeat(32));
    wanted.identity = Some("{\"name\":\"a\"}".to_owned());
    let stored = create(&store, creation(wanted.clone())).await;
    assert_eq!(stored.row, wanted);
    assert_eq!(reread(&store, &wanted.id).await, stored);

    let mut bare = row(&home, "b");
    bare.description = None;
    bare.region = None;
    bare.memo = None;
    bare.schedule.next_run_at = None;
    bare.ended_at = Some(Millis(8));
    bare.state = State::Released;
    bare.desired = Desired::Deleted;
    bare.adoption = Some(berth_domain::resource::Adoption::Begun);
    let stored = create(&store, creation(bare.clone())).await;
    assert_eq!(stored.row, bare);
    assert_eq!(reread(&store, &bare.id).await, stored);
    let missing = ResourceId::derive(&home.tenant, &home.owner, "nobody");
    assert_eq!(store.resource(&missing).await.unwrap(), None);
}

pub async fn numbers_of_a_spec_come_back_exactly(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let mut wanted = row(&home, "a");
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    let mut numbers = vec![
        json!(u64::MAX),
        json!(i64::MIN),
        json!(5e-324),
        json!(f64::MAX),
    ];
    while numbers.len() < 500 {
        bits = bits
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let number = f64::from_bits(bits);
        if number.is_finite() {
            numbers.push(json!(number));
        }
    }
    wanted.spec.insert("numbers".to_owned(), json!(numbers));
    create(&store, creation(wanted.clone())).await;
    assert_eq!(reread(&store, &wanted.id).await.row.spec, wanted.spec);
}

pub async fn a_create_publishes_and_audits_in_the_same_write(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let change = creation(row(&home, "a"));
    let (id, draft) = change.events[0].clone();
    let audit = change.audit.clone();
    create(&store, change).await;
    let events = store
        .events(&home.tenant, &EventFilter::default(), 10)
        .await
        .unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].id, id);
    assert_eq!(events[0].event, "cloud.resource.created");
    assert_eq!(events[0].payload, draft.payload);
    assert_eq!(events[0].at, START);
    assert_eq!(
        store.list_audit(Some(&home.tenant), 10).await.unwrap(),
        audit
    );
}

pub async fn the_same_id_answers_the_row_as_it_is(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let stored = create(&store, creation(row(&home, "a"))).await;
    let mut change = update(&stored);
    change.row.version = 2;
    store.update_resources(vec![change]).await.unwrap();
    let again = store
        .create_resource(creation(row(&home, "a")))
        .await
        .unwrap();
    let now = reread(&store, &stored.row.id).await;
    assert_eq!(now.row.version, 2);
    assert_eq!(again, CreateOutcome::Exists(Box::new(now)));
}

pub async fn a_missing_or_foreign_or_unfit_parent_is_no_parent(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let elsewhere = account(&home.tenant, START);
    store.create_account(&elsewhere, vec![]).await.unwrap();
    let elsewhere = guest(&store, &home.tenant, &elsewhere.id).await;

    let missing = row(&home, "missing");
    let foreign = create(&store, creation(row(&other, "foreign"))).await.row;
    let of_other_account = create(&store, creation(row(&elsewhere, "elsewhere")))
        .await
        .row;
    let fit = create(&store, creation(row(&home, "fit"))).await.row;

    for parent in [&missing, &foreign, &of_other_account] {
        let change = child_creation(row(&home, "child"), parent);
        assert_eq!(
            store.create_resource(change).await.unwrap(),
            CreateOutcome::NoParent
        );
    }
    let mut wrong_kind = child_creation(row(&home, "child"), &fit);
    wrong_kind.parent_kinds = vec![kind("x.other")];
    assert_eq!(
        store.create_resource(wrong_kind).await.unwrap(),
        CreateOutcome::NoParent
    );
    let mut parentless = child_creation(row(&home, "child"), &fit);
    parentless.row.parent = None;
    assert_eq!(
        store.create_resource(parentless).await.unwrap(),
        CreateOutcome::NoParent
    );
    let mut of_a_kind_without = child_creation(row(&home, "child"), &fit);
    of_a_kind_without.parent_kinds = vec![];
    assert_eq!(
        store.create_resource(of_a_kind_without).await.unwrap(),
        CreateOutcome::NoParent
    );
    create(&store, child_creation(row(&home, "child"), &fit)).await;
}

pub async fn a_parent_on_its_way_out_takes_no_children(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let parent = create(&store, creation(row(&home, "parent"))).await;
    store
        .update_resources(vec![condemnation(&parent, START)])
        .await
        .unwrap();
    let change = child_creation(row(&home, "child"), &parent.row);
    assert_eq!(
        store.create_resource(change.clone()).await.unwrap(),
        CreateOutcome::ParentGoing(State::Deleting)
    );

    // A delete that fails shows `error`, but it is going all the same.
    let mut failing = update(&reread(&store, &parent.row.id).await);
    failing.row.state = State::Error;
    store.update_resources(vec![failing]).await.unwrap();
    assert_eq!(
        store.create_resource(change.clone()).await.unwrap(),
        CreateOutcome::ParentGoing(State::Deleting)
    );

    let mut gone = update(&reread(&store, &parent.row.id).await);
    gone.row.state = State::Deleted;
    store.update_resources(vec![gone]).await.unwrap();
    assert_eq!(
        store.create_resource(change).await.unwrap(),
        CreateOutcome::ParentGoing(State::Deleted)
    );
}

fn named_within(home: &Home, name: &str, identity: &str) -> Resource {
    let mut row = row(home, name);
    row.identity = Some(identity.to_owned());
    row
}

pub async fn an_identity_is_taken_within_its_parent(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let one = create(&store, creation(row(&home, "one"))).await.row;
    let two = create(&store, creation(row(&home, "two"))).await.row;
    let first = create(&store, child_creation(named_within(&home, "a", "x"), &one)).await;
    let again = child_creation(named_within(&home, "b", "x"), &one);
    assert_eq!(
        store.create_resource(again.clone()).await.unwrap(),
        CreateOutcome::IdentityTaken(first.row.id.clone())
    );
    create(&store, child_creation(named_within(&home, "c", "x"), &two)).await;
    let mut gone = update(&first);
    gone.row.state = State::Deleted;
    store.update_resources(vec![gone]).await.unwrap();
    create(&store, again).await;
}

pub async fn an_identity_without_a_parent_is_taken_within_the_account(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let sharing = guest(&store, &other.tenant, &home.account).await;
    let first = create(&store, creation(named_within(&home, "a", "x"))).await;
    // Names at a provider are the account's, whoever uses it.
    assert_eq!(
        store
            .create_resource(creation(named_within(&sharing, "b", "x")))
            .await
            .unwrap(),
        CreateOutcome::IdentityTaken(first.row.id)
    );
    create(&store, creation(named_within(&other, "c", "x"))).await;
    create(&store, creation(named_within(&home, "d", "y"))).await;
}

pub async fn an_object_that_a_live_row_has_is_not_recorded_again(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let of = |home: &Home, name: &str, object: &str| {
        let mut row = row(home, name);
        row.provider_id = Some(object.to_owned());
        creation(row)
    };
    let first = create(&store, of(&home, "a", "17")).await;
    let again = of(&home, "b", "17");
    assert_eq!(
        store.create_resource(again.clone()).await.unwrap(),
        CreateOutcome::ObjectTaken(first.row.id.clone())
    );
    // Another object, another kind and another account are no hindrance.
    create(&store, of(&home, "c", "18")).await;
    let mut of_another_kind = of(&home, "d", "17");
    of_another_kind.row.kind = kind("x.cache");
    create(&store, of_another_kind).await;
    create(&store, of(&other, "a", "17")).await;

    let mut released = update(&reread(&store, &first.row.id).await);
    released.row.state = State::Released;
    store.update_resources(vec![released]).await.unwrap();
    create(&store, again).await;
}

pub async fn a_name_is_taken_among_live_rows_of_the_kind(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let first = create(&store, creation(row(&home, "a"))).await;
    let mut again = row(&home, "b");
    again.name = first.row.name.clone();
    assert_eq!(
        store
            .create_resource(creation(again.clone()))
            .await
            .unwrap(),
        CreateOutcome::NameTaken(first.row.id.clone())
    );
    let mut of_another_kind = row(&home, "c");
    of_another_kind.name = first.row.name.clone();
    of_another_kind.kind = kind("x.cache");
    create(&store, creation(of_another_kind)).await;
    create(&store, creation(row(&other, "a"))).await;

    for state in [State::Error, State::Deleting] {
        let mut change = update(&reread(&store, &first.row.id).await);
        change.row.state = state;
        store.update_resources(vec![change]).await.unwrap();
        assert_eq!(
            store
                .create_resource(creation(again.clone()))
                .await
                .unwrap(),
            CreateOutcome::NameTaken(first.row.id.clone()),
            "{state} rows count"
        );
    }
    let mut released = update(&reread(&store, &first.row.id).await);
    released.row.state = State::Released;
    store.update_resources(vec![released]).await.unwrap();
    create(&store, creation(again)).await;
}

pub async fn a_quota_counts_live_rows_of_the_kind(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let within = |row: Resource, quota: u32| CreateChange {
        quota,
        ..creation(row)
    };
    let first = create(&store, within(row(&home, "a"), 2)).await;
    create(&store, within(row(&home, "b"), 2)).await;
    create(&store, within(row(&other, "a"), 1)).await;
    let mut of_another_kind = row(&home, "c");
    of_another_kind.kind = kind("x.cache");
    create(&store, within(of_another_kind, 1)).await;
    assert_eq!(
        store
            .create_resource(within(row(&home, "d"), 2))
            .await
            .unwrap(),
        CreateOutcome::QuotaExceeded { limit: 2 }
    );
    assert_eq!(
        store
            .create_resource(within(row(&home, "e"), 0))
            .await
            .unwrap(),
        CreateOutcome::QuotaExceeded { limit: 0 }
    );
    let mut gone = update(&first);
    gone.row.state = State::Deleted;
    store.update_resources(vec![gone]).await.unwrap();
    create(&store, within(row(&home, "d"), 2)).await;
}

pub async fn refusals_come_in_the_promised_order(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let parent = create(&store, creation(row(&home, "parent"))).await;
    let standing = create(
        &store,
        child_creation(named_within(&home, "a", "x"), &parent.row),
    )
    .await;
    let other = create(
        &store,
        child_creation(named_within(&home, "b", "y"), &parent.row),
    )
    .await;

    // Everything stands against it; then one thing after another is mended.
    let mut change = child_creation(named_within(&home, "a", "x"), &parent.row);
    change.quota = 1;
    change.parent_kinds = vec![kind("x.none")];
    let expect = async |change: &CreateChange, outcome: CreateOutcome| {
        assert_eq!(
            store.create_resource(change.clone()).await.unwrap(),
            outcome
        );
    };
    expect(&change, CreateOutcome::Exists(Box::new(standing.clone()))).await;
    change.row.id = ResourceId::derive(&home.tenant, &home.owner, "fresh");
    change.row.name = other.row.name.clone();
    expect(&change, CreateOutcome::NoParent).await;
    change.parent_kinds = vec![parent.row.kind.clone()];
    expect(
        &change,
        CreateOutcome::IdentityTaken(standing.row.id.clone()),
    )
    .await;
    change.row.identity = Some("z".to_owned());
    expect(&change, CreateOutcome::NameTaken(other.row.id.clone())).await;
    change.row.name = "fresh".parse().unwrap();
    expect(&change, CreateOutcome::QuotaExceeded { limit: 1 }).await;

    store
        .update_resources(vec![condemnation(&parent, START)])
        .await
        .unwrap();
    change.row.identity = standing.row.identity.clone();
    assert_eq!(
        store.create_resource(change).await.unwrap(),
        CreateOutcome::ParentGoing(State::Deleting)
    );
}

pub async fn a_refusal_stores_nothing(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    create(&store, creation(row(&home, "a"))).await;
    let mut refused = creation(row(&home, "b"));
    refused.quota = 1;
    let id = refused.row.id.clone();
    store.create_resource(refused).await.unwrap();
    store
        .create_resource(creation(row(&home, "a")))
        .await
        .unwrap();
    assert_eq!(store.resource(&id).await.unwrap(), None);
    assert_eq!(
        store
            .events(&home.tenant, &EventFilter::default(), 10)
            .await
            .unwrap()
            .len(),
        1
    );
    assert_eq!(store.list_audit(None, 10).await.unwrap().len(), 1);
}

/// Creates all at once; returns those that won and what the others were told.
async fn race(
    store: &Arc<dyn Store>,
    changes: Vec<CreateChange>,
) -> (Vec<StoredResource>, Vec<CreateOutcome>) {
    let tasks: Vec<_> = changes
        .into_iter()
        .map(|change| {
            let store = store.clone();
            tokio::spawn(async move { store.create_resource(change).await.unwrap() })
        })
        .collect();
    let mut winners = Vec::new();
    let mut losers = Vec::new();
    for task in tasks {
        match task.await.unwrap() {
            CreateOutcome::Created(stored) => winners.push(*stored),
            other => losers.push(other),
        }
    }
    (winners, losers)
}

const RACERS: usize = 48;

pub async fn of_many_creates_of_one_name_one_wins(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let changes = (0..RACERS)
        .map(|n| {
            let mut row = row(&home, &format!("a{n}"));
            row.name = "same".parse().unwrap();
            creation(row)
        })
        .collect();
    let (winners, losers) = race(&store, changes).await;
    assert_eq!(winners.len(), 1);
    let winner = &winners[0].row.id;
    assert!(
        losers
            .iter()
            .all(|outcome| *outcome == CreateOutcome::NameTaken(winner.clone()))
    );
    assert_eq!(losers.len(), RACERS - 1);
}

pub async fn of_many_creates_of_one_identity_one_wins(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let changes = (0..RACERS)
        .map(|n| creation(named_within(&home, &format!("a{n}"), "same")))
        .collect();
    let (winners, losers) = race(&store, changes).await;
    assert_eq!(winners.len(), 1);
    let winner = &winners[0].row.id;
    assert!(
        losers
            .iter()
            .all(|outcome| *outcome == CreateOutcome::IdentityTaken(winner.clone()))
    );
}

pub async fn of_many_creates_for_the_last_slots_as_many_win(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let changes = (0..RACERS)
        .map(|n| CreateChange {
            quota: 5,
            ..creation(row(&home, &format!("a{n}")))
        })
        .collect();
    let (winners, losers) = race(&store, changes).await;
    assert_eq!(winners.len(), 5);
    assert!(
        losers
            .iter()
            .all(|outcome| *outcome == CreateOutcome::QuotaExceeded { limit: 5 })
    );
    let counts = store.count_by_kind(&home.tenant).await.unwrap();
    assert_eq!(counts, [(kind("x.disk"), 5)]);
    let events = store
        .events(&home.tenant, &EventFilter::default(), 100)
        .await
        .unwrap();
    assert_eq!(events.len(), 5, "only what was created is published");
}

pub async fn of_many_retries_of_one_create_one_creates(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let changes = (0..RACERS).map(|_| creation(row(&home, "a"))).collect();
    let (winners, losers) = race(&store, changes).await;
    assert_eq!(winners.len(), 1);
    assert!(
        losers
            .iter()
            .all(|outcome| *outcome == CreateOutcome::Exists(Box::new(winners[0].clone())))
    );
    assert_eq!(store.list_audit(None, 100).await.unwrap().len(), 1);
}
