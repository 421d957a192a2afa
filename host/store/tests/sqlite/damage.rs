//! Damaged rows are told as what they are; they stop nobody from reading others.

use berth_domain::audit::chain::{SealHash, Sealing};
use berth_store::{ListFilter, StoreError};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use tempfile::TempDir;

use crate::suite::fixture::*;
use crate::{file, open};

async fn raw(directory: &TempDir) -> SqliteConnection {
    SqliteConnection::connect(&format!("sqlite:{}", file(directory).display()))
        .await
        .unwrap()
}

async fn run(connection: &mut SqliteConnection, text: String) {
    sqlx::raw_sql(AssertSqlSafe(text))
        .execute(connection)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_damaged_column_is_unreadable_and_named() {
    let (store, directory) = open().await;
    let home = home(&store, "acme").await;
    let mut whole = row(&home, "whole");
    whole.provider_id = Some("17".to_owned());
    let stored = create(&store, creation(whole)).await;
    let other = create(&store, creation(row(&home, "other"))).await;
    let id = stored.row.id.clone();
    let mut raw = raw(&directory).await;
    let text = [
        "message",
        "spec",
        "defaults",
        "unapplied",
        "outputs",
        "secret_outputs",
        "memo",
        "drift",
        "intent",
    ];
    let words = [
        "tenant_",
        "kind",
        "family",
        "name",
        "desired",
        "state",
        "owner",
        "last_run",
        "description",
    ];
    for (column, junk) in text
        .iter()
        .map(|c| (*c, "{\"a\":"))
        .chain(words.iter().map(|c| (*c, "Ä\u{7}")))
    {
        if column == "tenant_" {
            // Held by a foreign key.
            continue;
        }
        run(
            &mut raw,
            "CREATE TEMP TABLE kept AS SELECT * FROM resources".to_owned(),
        )
        .await;
        run(
            &mut raw,
            format!("UPDATE resources SET {column} = '{junk}' WHERE id = '{id}'"),
        )
        .await;
        let error = store.resource(&id).await.unwrap_err();
        let StoreError::Unreadable(told) = &error else {
            panic!("{column}: {error}");
        };
        assert!(
            told.contains(column) && told.contains("resources") && told.contains(id.as_str()),
            "{told}"
        );
        assert_eq!(
            reread(&store, &other.row.id).await,
            other,
            "another row is not harmed"
        );
        let list = store
            .resources(&home.tenant, &ListFilter::default(), None, 10)
            .await;
        assert!(matches!(list, Err(StoreError::Unreadable(_))));
        run(&mut raw, format!("UPDATE resources SET {column} = (SELECT {column} FROM temp.kept WHERE id = '{id}') WHERE id = '{id}'")).await;
        run(&mut raw, "DROP TABLE temp.kept".to_owned()).await;
        assert_eq!(reread(&store, &id).await, stored);
    }
    for (column, junk) in [
        ("attempts", -1),
        ("version", -1),
        ("revision", -1),
        ("attempts", 1_i64 << 40),
    ] {
        let kept = if column == "attempts" { 0 } else { 1 };
        run(
            &mut raw,
            format!("UPDATE resources SET {column} = {junk} WHERE id = '{id}'"),
        )
        .await;
        let error = store.resource(&id).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::Unreadable(told) if told.contains(column)),
            "{error}"
        );
        run(
            &mut raw,
            format!("UPDATE resources SET {column} = {kept} WHERE id = '{id}'"),
        )
        .await;
    }
    assert_eq!(reread(&store, &id).await, stored);
}

#[tokio::test]
async fn a_damaged_row_keeps_no_other_from_being_claimed() {
    let (store, directory) = open().await;
    let home = home(&store, "acme").await;
    let damaged = create(&store, creation(row(&home, "damaged"))).await;
    let whole = create(&store, creation(row(&home, "whole"))).await;
    let id = &damaged.row.id;
    run(
        &mut raw(&directory).await,
        format!("UPDATE resources SET spec = '' WHERE id = '{id}'"),
    )
    .await;
    assert_eq!(claim_one(&store, START).await.stored, whole);
    assert_eq!(store.claim(claim_all(START)).await.unwrap(), []);
}

#[tokio::test]
async fn the_audit_can_be_neither_rewritten_nor_thinned() {
    let (store, directory) = open().await;
    let rows = vec![
        audit(&tenant_id("acme"), "a"),
        audit(&tenant_id("acme"), "b"),
    ];
    store.append_audit(rows).await.unwrap();
    let hash = SealHash::genesis(&deployment_id());
    let mut sealing = Sealing::new(1, hash, START);
    for row in store.raw_audit(0, u64::MAX, 10).await.unwrap() {
        sealing.add(&row);
    }
    assert!(store.put_seal(&sealing.finish().unwrap()).await.unwrap());
    let mut raw = raw(&directory).await;
    for text in [
        "DELETE FROM audit WHERE action = 'a'",
        "UPDATE audit SET action = 'c'",
        "REPLACE INTO audit SELECT sequence, at, request_id, principal, tenant, 'c', resource, outcome, detail, seal FROM audit",
        "UPDATE audit SET seal = 1",
        "DELETE FROM audit_seals",
        "UPDATE audit_seals SET last_row = 1",
        "REPLACE INTO audit_seals SELECT sequence, format, first_row, last_row, row_count, previous, hash, 17 FROM audit_seals",
        "REPLACE INTO audit_seals SELECT 7, format, first_row, last_row, row_count, previous, hash, 17 FROM audit_seals",
    ] {
        let error = sqlx::query(text)
            .execute(&mut raw)
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains("append-only"), "{text}: {error}");
    }
    assert_eq!(store.list_audit(None, 10).await.unwrap().len(), 2);
}
