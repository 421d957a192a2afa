//! Capacity: quotas, and what live rows hold of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use berth_domain::input::CapacityName;
use berth_domain::platform::CapacityQuota;
use berth_domain::resource::{Amounts, Resource, State};
use berth_store::{
    CapacityShortage, CreateChange, CreateOutcome, Store, StoredResource, UpdateChange,
    UpdateOutcome,
};
use futures_util::future::join_all;

use super::fixture::{
    Home, START, audit, claim_one, create, creation, home, reread, row, run_end, update,
};

fn gpus() -> CapacityName {
    "gpus".parse().unwrap()
}

fn amounts(gpus: u64) -> Amounts {
    BTreeMap::from([("gpus".to_owned(), gpus)])
}

fn holding(home: &Home, name: &str, gpus: u64) -> Resource {
    let mut row = row(home, name);
    row.held = amounts(gpus);
    row.demand.bookings = amounts(gpus);
    row
}

/// A row's write that makes it hold another amount.
fn resized(stored: &StoredResource, gpus: u64) -> UpdateChange {
    let mut change = update(stored);
    change.row.held = amounts(gpus);
    change.books = Some(0);
    change
}

async fn allow(store: &Arc<dyn Store>, home: &Home, amount: u64) {
    let quota = CapacityQuota {
        tenant_id: home.tenant.clone(),
        pool_id: home.pool.clone(),
        capacity: gpus(),
        amount,
        updated_at: START,
    };
    assert!(store.put_quota(&quota, vec![]).await.unwrap());
}

async fn booked(store: &Arc<dyn Store>, home: &Home) -> u64 {
    let booked = store.booked(&home.tenant, &home.pool).await.unwrap();
    booked.get("gpus").copied().unwrap_or(0)
}

fn short(limit: u64, booked: u64, wanted: u64) -> CapacityShortage {
    CapacityShortage {
        capacity: "gpus".to_owned(),
        limit,
        booked,
        wanted,
    }
}

pub async fn what_a_row_holds_is_booked_with_it(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let refused = store
        .create_resource(creation(holding(&home, "a", 1)))
        .await
        .unwrap();
    assert_eq!(refused, CreateOutcome::CapacityExceeded(short(0, 0, 1)));
    assert!(
        store
            .resource(&holding(&home, "a", 1).id)
            .await
            .unwrap()
            .is_none()
    );
    allow(&store, &home, 8).await;
    create(&store, creation(holding(&home, "a", 5))).await;
    let refused = store
        .create_resource(creation(holding(&home, "b", 4)))
        .await
        .unwrap();
    assert_eq!(refused, CreateOutcome::CapacityExceeded(short(8, 5, 4)));
    create(&store, creation(holding(&home, "b", 3))).await;
    assert_eq!(booked(&store, &home).await, 8);
    assert_eq!(booked(&store, &other).await, 0);
    // Without a quota of its own a tenant has the default.
    let change = CreateChange {
        default_capacity: 2,
        ..creation(holding(&other, "a", 2))
    };
    create(&store, change).await;
    // What books nothing needs no quota.
    create(&store, creation(row(&home, "plain"))).await;
}

pub async fn growth_is_booked_and_a_shrink_is_free(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    allow(&store, &home, 8).await;
    let first = create(&store, creation(holding(&home, "a", 5))).await;
    create(&store, creation(holding(&home, "b", 2))).await;
    let outcome = store
        .update_resources(vec![resized(&first, 7)])
        .await
        .unwrap();
    assert_eq!(outcome, UpdateOutcome::CapacityExceeded(short(8, 2, 7)));
    assert_eq!(reread(&store, &first.row.id).await, first);
    let outcome = store
        .update_resources(vec![resized(&first, 6)])
        .await
        .unwrap();
    assert_eq!(outcome, UpdateOutcome::Stored(2));
    assert_eq!(booked(&store, &home).await, 8);
    // A quota that was lowered below what is booked takes nothing back, and stands against growth alone.
    allow(&store, &home, 3).await;
    let grown = reread(&store, &first.row.id).await;
    let outcome = store
        .update_resources(vec![resized(&grown, 4)])
        .await
        .unwrap();
    assert_eq!(outcome, UpdateOutcome::Stored(3));
    let shrunk = reread(&store, &first.row.id).await;
    let outcome = store
        .update_resources(vec![resized(&shrunk, 5)])
        .await
        .unwrap();
    assert_eq!(outcome, UpdateOutcome::CapacityExceeded(short(3, 2, 5)));
    // Growth from a revision that is no more is no refusal: it is decided anew.
    let outcome = store
        .update_resources(vec![resized(&first, 9)])
        .await
        .unwrap();
    assert!(matches!(outcome, UpdateOutcome::Changed(_)));
}

pub async fn what_an_ended_row_held_is_free_once(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    allow(&store, &home, 4).await;
    let first = create(&store, creation(holding(&home, "a", 4))).await;
    let claim = claim_one(&store, START).await;
    let mut end = run_end(&claim, START);
    end.row.state = State::Deleted;
    end.row.held.clear();
    end.row.schedule.next_run_at = None;
    store.commit_run(end).await.unwrap();
    assert_eq!(booked(&store, &home).await, 0);
    // Even a row that ended with something in it holds nothing.
    let mut ended = update(&reread(&store, &first.row.id).await);
    ended.row.held = amounts(4);
    store.update_resources(vec![ended]).await.unwrap();
    assert_eq!(booked(&store, &home).await, 0);
    create(&store, creation(holding(&home, "b", 4))).await;
}

pub async fn of_many_creates_for_the_last_capacity_as_many_win(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    allow(&store, &home, 10).await;
    let rows: Vec<_> = (0..16)
        .map(|n| holding(&home, &format!("a{n}"), 3))
        .collect();
    let all = join_all(
        rows.into_iter()
            .map(|row| store.create_resource(creation(row))),
    )
    .await;
    let made = all
        .into_iter()
        .filter(|outcome| matches!(outcome, Ok(CreateOutcome::Created(_))))
        .count();
    assert_eq!((made, booked(&store, &home).await), (3, 9));
}

pub async fn quotas_are_put_listed_and_deleted(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    for (home, amount) in [(&home, 4), (&other, 5), (&home, 6)] {
        allow(&store, home, amount).await;
    }
    let nowhere = CapacityQuota {
        tenant_id: "nobody".parse().unwrap(),
        pool_id: home.pool.clone(),
        capacity: gpus(),
        amount: 1,
        updated_at: START,
    };
    assert!(
        !store
            .put_quota(&nowhere, vec![audit(&home.tenant, "x")])
            .await
            .unwrap()
    );
    assert!(store.list_audit(None, 10).await.unwrap().is_empty());
    let one = store
        .quota(&home.tenant, &home.pool, &gpus())
        .await
        .unwrap();
    assert_eq!(one.unwrap().amount, 6);
    let first = store.quotas(None, None, None, 1).await.unwrap();
    let second = store
        .quotas(None, None, first.next.as_deref(), 1)
        .await
        .unwrap();
    assert_eq!((first.items[0].amount, second.items[0].amount), (6, 5));
    assert_eq!(second.next, None);
    let of_one = store
        .quotas(Some(&other.tenant), Some(&other.pool), None, 10)
        .await
        .unwrap();
    assert_eq!(of_one.items.len(), 1);
    assert!(
        store
            .delete_quota(&home.tenant, &home.pool, &gpus(), vec![])
            .await
            .unwrap()
    );
    assert!(
        !store
            .delete_quota(&home.tenant, &home.pool, &gpus(), vec![])
            .await
            .unwrap()
    );
    assert_eq!(
        store
            .quota(&home.tenant, &home.pool, &gpus())
            .await
            .unwrap(),
        None
    );
}
