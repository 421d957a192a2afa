//! A full disk.

use std::sync::Arc;

use berth_domain::id::{EntryId, ResourceId, RunId};
use berth_domain::time::Millis;
use berth_store::{JournalEntry, JournalOutcome, SqliteConfig, Store, StoreError};
use tempfile::TempDir;

use crate::suite::fixture::*;
use crate::{file, reopen};

const PAGES: u32 = 250;

fn entry(home: &Home, resource: &ResourceId) -> JournalEntry {
    JournalEntry {
        id: EntryId::generate(START, seed()),
        run: RunId::generate(START, seed()),
        resource: resource.clone(),
        account: home.account.clone(),
        operation: "create".to_owned(),
        method: "POST".to_owned(),
        target: "api.example.com/".to_owned(),
        body: Some("x".repeat(20_000)),
        at: START,
        outcome: Some(JournalOutcome::Lost),
    }
}

async fn small(directory: &TempDir) -> Arc<dyn Store> {
    reopen(SqliteConfig {
        max_pages: Some(PAGES),
        ..SqliteConfig::at(file(directory))
    })
    .await
}

/// Writes from many tasks until the disk is full; returns the ids that were acknowledged.
async fn fill(store: &Arc<dyn Store>, home: &Home, resource: &ResourceId) -> Vec<EntryId> {
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let (store, home, resource) = (store.clone(), home.clone(), resource.clone());
            tokio::spawn(async move {
                let mut acknowledged = Vec::new();
                loop {
                    let entry = entry(&home, &resource);
                    match store.journal_open(&entry).await {
                        Ok(()) => acknowledged.push(entry.id),
                        Err(StoreError::Unavailable(told)) => {
                            assert!(told.contains("maxPages"), "{told}");
                            return acknowledged;
                        }
                        Err(other) => panic!("not told as a full disk: {other}"),
                    }
                }
            })
        })
        .collect();
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await.unwrap());
    }
    acknowledged.sort();
    acknowledged
}

async fn held(store: &Arc<dyn Store>, resource: &ResourceId) -> Vec<EntryId> {
    let entries = store.journal_of(resource, 10_000).await.unwrap();
    let mut ids: Vec<_> = entries.into_iter().map(|entry| entry.id).collect();
    ids.sort();
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let directory = TempDir::new().unwrap();
    let store = small(&directory).await;
    let home = home(&store, "acme").await;
    let resource = row(&home, "a").id;
    let acknowledged = fill(&store, &home, &resource).await;
    assert!(!acknowledged.is_empty());
    assert_eq!(held(&store, &resource).await, acknowledged);
    drop(store);
    let store = reopen(SqliteConfig::at(file(&directory))).await;
    assert_eq!(held(&store, &resource).await, acknowledged);
    create(&store, creation(row(&home, "a"))).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_goes_on_once_there_is_room_again() {
    let directory = TempDir::new().unwrap();
    let store = small(&directory).await;
    let home = home(&store, "acme").await;
    let resource = row(&home, "a").id;
    let acknowledged = fill(&store, &home, &resource).await;
    let dropped = store
        .journal_prune(Millis(START.0 + 1), 10_000)
        .await
        .unwrap();
    assert_eq!(dropped, acknowledged.len() as u64);
    let again = fill(&store, &home, &resource).await;
    assert!(!again.is_empty());
    assert_eq!(held(&store, &resource).await, again);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_needs_no_room_still_works_on_a_full_disk() {
    let directory = TempDir::new().unwrap();
    let store = small(&directory).await;
    let home = home(&store, "acme").await;
    let stored = create(&store, creation(row(&home, "a"))).await;
    fill(&store, &home, &stored.row.id).await;
    let claim = claim_one(&store, START).await;
    store
        .give_up(&claim.stored.row.id, claim.epoch)
        .await
        .unwrap();
    assert_eq!(reread(&store, &stored.row.id).await, stored);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_is_not_writable_until_there_is_room_again() {
    let directory = TempDir::new().unwrap();
    let store = small(&directory).await;
    let home = home(&store, "acme").await;
    let stored = create(&store, creation(row(&home, "a"))).await;
    assert_eq!(store.prove_writable(START).await.unwrap(), 1);
    // One by one: of many at once the first that finds no room takes the others with it.
    while store
        .journal_open(&entry(&home, &stored.row.id))
        .await
        .is_ok()
    {}
    match store.prove_writable(START).await {
        Err(StoreError::Unavailable(told)) => assert!(told.contains("maxPages"), "{told}"),
        other => panic!("a full disk passes for writable: {other:?}"),
    }
    // Looking for room costs nobody his write.
    store.ping().await.unwrap();
    let claim = claim_one(&store, START).await;
    let (given_up, proven) = tokio::join!(
        store.give_up(&claim.stored.row.id, claim.epoch),
        store.prove_writable(START)
    );
    given_up.unwrap();
    assert!(proven.is_err());
    store
        .journal_prune(Millis(START.0 + 1), 10_000)
        .await
        .unwrap();
    assert_eq!(store.prove_writable(START).await.unwrap(), 2);
}
