//! The files of the database, and databases of other hosts.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use berth_store::{SqliteConfig, SqliteStore, StoreError};
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;

use crate::suite::fixture::*;
use crate::{file, open, reopen};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

async fn refused(config: SqliteConfig) -> StoreError {
    match SqliteStore::open(config).await {
        Ok(_) => panic!("it opened"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn what_is_made_is_for_its_owner_only() {
    let directory = TempDir::new().unwrap();
    let data = directory.path().join("var").join("berth");
    let path = data.join("berth.db");
    let store = reopen(SqliteConfig::at(&path)).await;
    home(&store, "acme").await;
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&path), 0o600);
    assert_eq!(mode(&data.join("berth.db-wal")), 0o600);
    assert_eq!(mode(&data.join("berth.db-shm")), 0o600);
}

#[tokio::test]
async fn a_store_that_is_opened_again_holds_what_it_held() {
    let (store, directory) = open().await;
    let home = home(&store, "acme").await;
    let stored = create(&store, creation(row(&home, "a"))).await;
    store.close().await;
    let store = reopen(SqliteConfig::at(file(&directory))).await;
    assert_eq!(reread(&store, &stored.row.id).await, stored);
}

#[tokio::test]
async fn a_database_that_a_newer_host_migrated_is_taken() {
    let (store, directory) = open().await;
    home(&store, "acme").await;
    store.close().await;
    let mut raw = SqliteConnection::connect(&format!("sqlite:{}", file(&directory).display()))
        .await
        .unwrap();
    sqlx::raw_sql(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (9999, 'of the future', 1, x'00', 1); \
         ALTER TABLE tenants ADD COLUMN mood TEXT; \
         CREATE TABLE wonders (id TEXT) STRICT;",
    )
    .execute(&mut raw)
    .await
    .unwrap();
    raw.close().await.unwrap();
    let store = reopen(SqliteConfig::at(file(&directory))).await;
    assert!(store.tenant(&tenant_id("acme")).await.unwrap().is_some());
    home(&store, "other").await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_told() {
    let directory = TempDir::new().unwrap();
    fs::write(
        file(&directory),
        "this is certainly no database at all".repeat(100),
    )
    .unwrap();
    let error = refused(SqliteConfig::at(file(&directory))).await;
    assert!(
        matches!(&error, StoreError::Unreadable(text) if text.contains("backup")),
        "{error}"
    );
}

#[tokio::test]
async fn a_place_that_takes_no_file_is_told() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("taken"), "").unwrap();
    let error = refused(SqliteConfig::at(
        directory.path().join("taken").join("berth.db"),
    ))
    .await;
    assert!(
        matches!(&error, StoreError::Unavailable(text) if text.contains("berth.db")),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hosts_may_open_a_new_file_at_once() {
    let directory = TempDir::new().unwrap();
    let tasks: Vec<_> = (0..4)
        .map(|n| {
            let config = SqliteConfig::at(file(&directory));
            tokio::spawn(async move {
                let store = reopen(config).await;
                home(&store, &format!("tenant-{n}")).await;
                store
            })
        })
        .collect();
    for task in tasks {
        let store = task.await.unwrap();
        assert!(store.tenants(None, 10).await.is_ok());
    }
    let store = reopen(SqliteConfig::at(file(&directory))).await;
    assert_eq!(store.tenants(None, 10).await.unwrap().items.len(), 4);
}

#[test]
fn settings_have_defaults_and_refuse_what_they_do_not_know() {
    let some: SqliteConfig = serde_json::from_str(r#"{"path": "x.db", "maxPages": 10}"#).unwrap();
    let wanted = SqliteConfig {
        max_pages: Some(10),
        ..SqliteConfig::at("x.db")
    };
    assert_eq!(some, wanted);
    let wrong = serde_json::from_str::<SqliteConfig>(r#"{"reader": 3}"#)
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("readers"), "{wrong}");
}
