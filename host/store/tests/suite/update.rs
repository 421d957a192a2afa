//! Writing existing resources by a tenant's wish.

use std::sync::Arc;

use berth_domain::id::ResourceId;
use berth_domain::resource::{EventDraft, EventType, State};
use berth_domain::time::Millis;
use berth_store::{EventFilter, Store, UpdateOutcome};
use serde_json::json;

use super::fixture::*;

pub async fn an_update_moves_the_revision(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let first = create(&store, creation(row(&home, "a"))).await;
    assert_eq!(first.revision, 1);
    let mut change = update(&first);
    change.row.spec.insert("size".to_owned(), json!(20));
    change.row.description = None;
    change.row.version = 2;
    change.row.updated_at = Millis(START.0 + 5);
    change.events = vec![(
        event_id(),
        EventDraft::about(EventType::Updating, &change.row),
    )];
    change.audit = vec![audit(&home.tenant, "compute:cloud-resources:update")];
    let wanted = change.row.clone();
    assert_eq!(
        store.update_resources(vec![change]).await.unwrap(),
        UpdateOutcome::Stored(2)
    );
    let now = reread(&store, &first.row.id).await;
    assert_eq!(now.row, wanted);
    assert_eq!(now.revision, 2);
    let events = store
        .events(&home.tenant, &EventFilter::default(), 10)
        .await
        .unwrap();
    assert_eq!(events[1].event, "cloud.resource.updating");
    assert_eq!(events[1].at, Millis(START.0 + 5));
    assert_eq!(
        store.list_audit(None, 1).await.unwrap()[0].action,
        "compute:cloud-resources:update"
    );
}

pub async fn an_update_of_an_old_revision_changes_nothing(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let first = create(&store, creation(row(&home, "a"))).await;
    store.update_resources(vec![update(&first)]).await.unwrap();
    let now = reread(&store, &first.row.id).await;
    let mut late = condemnation(&first, START);
    late.row.version = 9;
    assert_eq!(
        store.update_resources(vec![late]).await.unwrap(),
        UpdateOutcome::Changed(Box::new(now.clone()))
    );
    assert_eq!(reread(&store, &first.row.id).await, now);
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

pub async fn several_rows_are_written_together_or_not_at_all(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let parent = create(&store, creation(row(&home, "parent"))).await;
    let one = create(&store, child_creation(row(&home, "one"), &parent.row)).await;
    let two = create(&store, child_creation(row(&home, "two"), &parent.row)).await;
    store.update_resources(vec![update(&two)]).await.unwrap();
    let two_now = reread(&store, &two.row.id).await;

    let stale = [&parent, &one, &two]
        .map(|stored| condemnation(stored, START))
        .to_vec();
    assert_eq!(
        store.update_resources(stale).await.unwrap(),
        UpdateOutcome::Changed(Box::new(two_now.clone()))
    );
    assert_eq!(reread(&store, &parent.row.id).await, parent);
    assert_eq!(reread(&store, &one.row.id).await, one);
    assert_eq!(
        store
            .events(&home.tenant, &EventFilter::default(), 10)
            .await
            .unwrap()
            .len(),
        3
    );

    let fresh = [&parent, &one, &two_now]
        .map(|stored| condemnation(stored, START))
        .to_vec();
    assert_eq!(
        store.update_resources(fresh).await.unwrap(),
        UpdateOutcome::Stored(2)
    );
    for id in [&parent.row.id, &one.row.id, &two.row.id] {
        assert_eq!(reread(&store, id).await.row.state, State::Deleting);
    }
    assert_eq!(
        store
            .events(&home.tenant, &EventFilter::default(), 10)
            .await
            .unwrap()
            .len(),
        6
    );
}

pub async fn what_never_changes_is_not_changed(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let first = create(&store, creation(row(&home, "a"))).await;
    let mut change = update(&first);
    change.row.tenant = other.tenant.clone();
    change.row.owner = other.owner.clone();
    change.row.account = other.account.clone();
    change.row.name = "b".parse().unwrap();
    change.row.input_digest = "00".repeat(32);
    change.row.created_at = Millis(1);
    store.update_resources(vec![change]).await.unwrap();
    assert_eq!(reread(&store, &first.row.id).await.row, first.row);
}

pub async fn concurrent_updates_of_one_row_are_each_seen(store: Arc<dyn Store>) {
    const WRITERS: u32 = 32;
    let home = home(&store, "acme").await;
    let first = create(&store, creation(row(&home, "a"))).await;
    let tasks: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (store, mut stored) = (store.clone(), first.clone());
            tokio::spawn(async move {
                loop {
                    let mut change = update(&stored);
                    change.row.version += 1;
                    match store.update_resources(vec![change]).await.unwrap() {
                        UpdateOutcome::Stored(revision) => return revision,
                        UpdateOutcome::Changed(now) => stored = *now,
                        UpdateOutcome::CapacityExceeded(short) => panic!("{short:?}"),
                    }
                }
            })
        })
        .collect();
    let mut revisions = Vec::new();
    for task in tasks {
        revisions.push(task.await.unwrap());
    }
    revisions.sort_unstable();
    assert_eq!(revisions, (2..=u64::from(WRITERS) + 1).collect::<Vec<_>>());
    assert_eq!(
        reread(&store, &first.row.id).await.row.version,
        u64::from(WRITERS) + 1
    );
}

pub async fn more_rows_than_fit_one_trip_are_still_one_change(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let parent = create(&store, creation(row(&home, "parent"))).await;
    let mut all = vec![parent.clone()];
    for n in 0..150 {
        all.push(
            create(
                &store,
                child_creation(row(&home, &format!("c{n}")), &parent.row),
            )
            .await,
        );
    }
    let last: ResourceId = all[150].row.id.clone();
    store
        .update_resources(vec![update(&all[150])])
        .await
        .unwrap();
    let changes: Vec<_> = all
        .iter()
        .map(|stored| condemnation(stored, START))
        .collect();
    let outcome = store.update_resources(changes).await.unwrap();
    let UpdateOutcome::Changed(now) = outcome else {
        panic!("the last row had changed: {outcome:?}");
    };
    assert_eq!(now.row.id, last);
    assert_eq!(reread(&store, &parent.row.id).await, parent);

    all[150] = *now;
    let changes: Vec<_> = all
        .iter()
        .map(|stored| condemnation(stored, START))
        .collect();
    assert_eq!(
        store.update_resources(changes).await.unwrap(),
        UpdateOutcome::Stored(2)
    );
    for stored in store.children(&parent.row.id).await.unwrap() {
        assert_eq!(stored.row.state, State::Deleting);
    }
    let events = store
        .events(&home.tenant, &EventFilter::default(), 1_000)
        .await
        .unwrap();
    assert_eq!(events.len(), 2 * 151);
}
