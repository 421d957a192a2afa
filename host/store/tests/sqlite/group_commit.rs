//! Many writers at once: each write stands or falls by itself, whoever it shares a commit with.

use std::sync::Arc;

use berth_domain::id::ResourceId;
use berth_store::{CreateOutcome, EventFilter, SqliteConfig, Store, StoreError};
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

use crate::suite::fixture::*;
use crate::{file, open, reopen};

const WRITERS: usize = 64;
const EACH: usize = 10;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_of_64_submitters_all_stand_once() {
    let (store, directory) = open().await;
    let home = home(&store, "acme").await;
    let tasks: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let (store, home) = (store.clone(), home.clone());
            tokio::spawn(async move {
                for n in 0..EACH {
                    let stored =
                        create(&store, creation(row(&home, &format!("a{writer}-{n}")))).await;
                    // What was acknowledged is there for the next read.
                    assert_eq!(reread(&store, &stored.row.id).await, stored);
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let events = store
        .events(&home.tenant, &EventFilter::default(), 10_000)
        .await
        .unwrap();
    assert_eq!(events.len(), WRITERS * EACH);
    store.close().await;
    let store = reopen(SqliteConfig::at(file(&directory))).await;
    assert_eq!(
        store.count_by_kind(&home.tenant).await.unwrap()[0].1 as usize,
        WRITERS * EACH
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failing_write_takes_no_other_with_it() {
    let (store, _directory) = open().await;
    let home = home(&store, "acme").await;
    let tasks: Vec<_> = (0..200)
        .map(|n| {
            let store = store.clone();
            let mut change = creation(row(&home, &format!("a{n}")));
            match n % 4 {
                // Fails in the database: its tenant is nobody.
                1 => change.row.tenant = tenant_id("nobody"),
                // Is refused.
                2 => change.quota = 0,
                // Appends two audit rows: not every write sends the same text.
                3 => change.audit.push(audit(&home.tenant, "second")),
                _ => {}
            }
            tokio::spawn(async move { (n % 4, store.create_resource(change).await) })
        })
        .collect();
    let mut created = 0;
    for task in tasks {
        match task.await.unwrap() {
            (1, Err(StoreError::Failed(_))) => {}
            (2, Ok(CreateOutcome::QuotaExceeded { .. })) => {}
            (0 | 3, Ok(CreateOutcome::Created(_))) => created += 1,
            (of, outcome) => panic!("{of}: {outcome:?}"),
        }
    }
    assert_eq!(created, 100);
    assert_eq!(
        store.count_by_kind(&home.tenant).await.unwrap(),
        [(kind("x.disk"), 100)]
    );
    assert_eq!(store.list_audit(None, 1_000).await.unwrap().len(), 150);
    let events = store
        .events(&home.tenant, &EventFilter::default(), 1_000)
        .await
        .unwrap();
    assert_eq!(events.len(), 100);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_goes_away_leaves_all_or_nothing() {
    let (store, _directory) = open().await;
    let home = home(&store, "acme").await;
    let tasks: Vec<_> = (0..200)
        .map(|n| {
            let (store, change) = (store.clone(), creation(row(&home, &format!("a{n}"))));
            let task = tokio::spawn(async move { store.create_resource(change).await.map(|_| ()) });
            if n % 3 == 0 {
                task.abort();
            }
            task
        })
        .collect();
    let mut acknowledged = 0;
    for task in tasks {
        match task.await {
            Ok(outcome) => {
                outcome.unwrap();
                acknowledged += 1;
            }
            Err(gone) => assert!(gone.is_cancelled()),
        }
    }
    // A last write is stored behind everything that was taken in.
    create(&store, creation(row(&home, "last"))).await;
    let events = store
        .events(&home.tenant, &EventFilter::default(), 1_000)
        .await
        .unwrap();
    assert!(events.len() > acknowledged);
    let counted = store.count_by_kind(&home.tenant).await.unwrap()[0].1 as usize;
    assert_eq!(counted, events.len());
    assert_eq!(
        store.list_audit(None, 1_000).await.unwrap().len(),
        events.len()
    );
    for event in events {
        reread(&store, &event.resource).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_queue_of_one_and_batches_of_one_serve_everybody() {
    let directory = TempDir::new().unwrap();
    let store = reopen(SqliteConfig {
        queue: 1,
        batch: 1,
        readers: 1,
        ..SqliteConfig::at(file(&directory))
    })
    .await;
    let home = home(&store, "acme").await;
    let ids: Vec<ResourceId> = create_all(&store, &home, 50).await;
    for id in ids {
        reread(&store, &id).await;
    }
}

async fn create_all(store: &Arc<dyn Store>, home: &Home, count: usize) -> Vec<ResourceId> {
    let tasks: Vec<_> = (0..count)
        .map(|n| {
            let (store, change) = (store.clone(), creation(row(home, &format!("a{n}"))));
            tokio::spawn(async move { create(&store, change).await.row.id })
        })
        .collect();
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await.unwrap());
    }
    ids
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_a_lock_that_another_process_holds_it_is_busy_and_then_goes_on() {
    let directory = TempDir::new().unwrap();
    let store = reopen(SqliteConfig {
        wait_ms: 100,
        ..SqliteConfig::at(file(&directory))
    })
    .await;
    let home = home(&store, "acme").await;
    let url = format!("sqlite:{}", file(&directory).display());
    let mut other = SqliteConnection::connect(&url).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    let tasks: Vec<_> = (0..20)
        .map(|n| {
            let (store, change) = (store.clone(), creation(row(&home, &format!("a{n}"))));
            tokio::spawn(async move { store.create_resource(change).await })
        })
        .collect();
    for task in tasks {
        let told = task.await.unwrap().unwrap_err();
        assert!(
            matches!(&told, StoreError::Busy(text) if text.contains("waitMs")),
            "{told}"
        );
    }
    assert!(
        store.tenant(&home.tenant).await.unwrap().is_some(),
        "readers are not held up"
    );
    sqlx::raw_sql("ROLLBACK").execute(&mut other).await.unwrap();
    create(&store, creation(row(&home, "a0"))).await;
    assert_eq!(
        store.count_by_kind(&home.tenant).await.unwrap(),
        [(kind("x.disk"), 1)]
    );
}

/// Prints how many creates (a row, an event, an audit row, and the checks before) and how many journal
/// entries a second the store takes here, by how many submit at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures; run by hand"]
async fn how_fast_it_is() {
    for writers in [1, 8, 64] {
        let (store, _directory) = open().await;
        let home = home(&store, "acme").await;
        let begun = tokio::time::Instant::now();
        let tasks: Vec<_> = (0..writers)
            .map(|writer| {
                let (store, home) = (store.clone(), home.clone());
                tokio::spawn(async move {
                    for n in 0..(6_400 / writers).min(2_000) {
                        let mut change = creation(row(&home, &format!("a{writer}-{n}")));
                        // As many of a kind as tenants usually have.
                        change.row.kind = kind(&format!("x.k{writer}-{}", n / 20));
                        change.quota = 20;
                        create(&store, change).await;
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let creates = store
            .events(&home.tenant, &EventFilter::default(), 100_000)
            .await
            .unwrap()
            .len();
        println!(
            "{writers} submitters: {:.0} creates/s",
            creates as f64 / begun.elapsed().as_secs_f64()
        );
        let begun = tokio::time::Instant::now();
        let tasks: Vec<_> = (0..writers)
            .map(|_| {
                let (store, home) = (store.clone(), home.clone());
                tokio::spawn(async move {
                    for _ in 0..(6_400 / writers).min(2_000) {
                        store
                            .append_audit(vec![audit(&home.tenant, "measure")])
                            .await
                            .unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        let rows = (6_400 / writers).min(2_000) * writers;
        println!(
            "{writers} submitters: {:.0} one-row writes/s",
            rows as f64 / begun.elapsed().as_secs_f64()
        );
    }
}
