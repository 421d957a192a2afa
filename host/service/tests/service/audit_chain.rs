//! The audit's chain: what was sealed can't be changed unnoticed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use berth_domain::audit::chain::SealHash;
use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::{PrincipalId, RequestId, TenantId};
use berth_service::audit::verify::{VerifyError, Whole, verify};
use berth_service::{AuditSettings, Service, Settings};
use berth_store::{SqliteConfig, SqliteStore, Store};
use serde_json::json;
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use tempfile::TempDir;

use crate::harness::{Choices, World};

/// What no attacker is stopped by.
const NO_TRIGGERS: &str = "DROP TRIGGER audit_is_never_deleted; DROP TRIGGER audit_is_never_rewritten; \
     DROP TRIGGER audit_is_never_replaced; DROP TRIGGER audit_seals_are_never_deleted; \
     DROP TRIGGER audit_seals_are_never_rewritten; DROP TRIGGER audit_seals_are_never_replaced;";

fn rows(service: &Service, count: usize) -> Vec<AuditRow> {
    let row = |n: usize| AuditRow {
        at: service.now(),
        request_id: n
            .is_multiple_of(2)
            .then(|| RequestId::generate(service.now(), service.entropy().id_seed())),
        principal_id: n
            .is_multiple_of(3)
            .then(|| PrincipalId::generate(service.now(), service.entropy().id_seed())),
        tenant_id: TenantId::root(),
        action: format!("compute:test:{n}"),
        resource: "compute-tenant/root".to_owned(),
        outcome: AuditOutcome::Done,
        detail: json!({"n": n}),
    };
    (0..count).map(row).collect()
}

async fn world() -> World {
    World::bare(Choices {
        settings: Settings {
            audit: AuditSettings {
                seal_batch: 10,
                ..AuditSettings::default()
            },
            ..Settings::default()
        },
        ..Choices::default()
    })
    .await
}

/// A closed database with thirty rows under three seals, and two rows more that no seal covers.
struct Sealed {
    files: TempDir,
    heads: Vec<SealHash>,
}

impl Sealed {
    async fn new() -> Self {
        let world = world().await;
        let store = world.service.store();
        let there = store.list_audit(None, 100).await.unwrap().len();
        let more = rows(&world.service, 30 - there);
        store.append_audit(more).await.unwrap();
        world.service.seal_audit().await.unwrap();
        store.append_audit(rows(&world.service, 2)).await.unwrap();
        let seals = store.seals(0, 10).await.unwrap();
        assert_eq!(seals.len(), 3);
        store.close().await;
        Self {
            heads: seals.iter().map(|seal| seal.hash).collect(),
            files: world.files,
        }
    }

    /// A copy after somebody with the file at hand ran this.
    async fn tampered(&self, name: &str, sql: &str) -> PathBuf {
        let copy = self.files.path().join(format!("{name}.db"));
        std::fs::copy(self.files.path().join("berth.db"), &copy).unwrap();
        let mut raw = SqliteConnection::connect(&format!("sqlite:{}", copy.display()))
            .await
            .unwrap();
        sqlx::raw_sql(AssertSqlSafe(format!("{NO_TRIGGERS} {sql}")))
            .execute(&mut raw)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
        raw.close().await.unwrap();
        copy
    }
}

async fn look(file: &Path, expect: Option<SealHash>) -> Result<Whole, VerifyError> {
    let store = SqliteStore::open_to_read(&SqliteConfig::at(file)).unwrap();
    let verdict = verify(&store, expect).await;
    store.close().await;
    verdict
}

#[tokio::test]
async fn an_untouched_chain_is_whole_and_knows_its_heads() {
    let sealed = Sealed::new().await;
    let file = sealed.files.path().join("berth.db");
    for (n, head) in sealed.heads.iter().enumerate() {
        let whole = look(&file, Some(*head)).await.unwrap();
        assert_eq!(
            (whole.seals, whole.rows, whole.unsealed, whole.expected),
            (3, 30, 2, Some(n as u64 + 1))
        );
        assert_eq!(
            whole.head.map(|seal| seal.hash),
            sealed.heads.last().copied()
        );
    }
}

#[tokio::test]
async fn whatever_is_done_to_sealed_rows_or_seals_is_found_where_it_was_done() {
    let sealed = Sealed::new().await;
    let changed = |seal: u64| VerifyError::Changed {
        seal,
        first: seal * 10 - 9,
        last: seal * 10,
    };
    let missing = |row, seal| VerifyError::RowMissing { row, seal };
    let mut cases: Vec<(&str, VerifyError)> = vec![
        ("DELETE FROM audit WHERE sequence = 15", missing(15, 2)),
        ("DELETE FROM audit WHERE sequence = 1", missing(1, 1)),
        ("DELETE FROM audit WHERE sequence = 30", missing(30, 3)),
        (
            "DELETE FROM audit WHERE sequence BETWEEN 11 AND 20",
            missing(11, 2),
        ),
        // Two rows trade places.
        (
            "UPDATE audit SET sequence = -1 WHERE sequence = 13; \
             UPDATE audit SET sequence = 13 WHERE sequence = 14; \
             UPDATE audit SET sequence = 14 WHERE sequence = -1",
            changed(2),
        ),
        (
            "INSERT INTO audit SELECT 0, at, request_id, principal, tenant, action, resource, outcome, detail, seal FROM audit WHERE sequence = 1",
            VerifyError::RowsAdded {
                seal: 1,
                sealed: 10,
                found: 11,
                first: 1,
                last: 10,
            },
        ),
        (
            "UPDATE audit_seals SET hash = lower(hex(randomblob(32))) WHERE sequence = 2",
            changed(2),
        ),
        (
            "UPDATE audit_seals SET previous = hash WHERE sequence = 2",
            VerifyError::Unlinked { seal: 2 },
        ),
        (
            "UPDATE audit_seals SET previous = hash WHERE sequence = 1",
            VerifyError::Unlinked { seal: 1 },
        ),
        (
            "UPDATE audit_seals SET sealed_at = sealed_at + 1 WHERE sequence = 2",
            changed(2),
        ),
        (
            "UPDATE audit_seals SET first_row = 12 WHERE sequence = 2",
            VerifyError::Changed {
                seal: 2,
                first: 12,
                last: 20,
            },
        ),
        (
            "UPDATE audit_seals SET row_count = 11 WHERE sequence = 2",
            missing(21, 2),
        ),
        (
            "UPDATE audit_seals SET last_row = 19, row_count = 9 WHERE sequence = 2",
            VerifyError::Changed {
                seal: 2,
                first: 11,
                last: 19,
            },
        ),
        (
            "UPDATE audit_seals SET last_row = 21, row_count = 11 WHERE sequence = 2",
            VerifyError::Changed {
                seal: 2,
                first: 11,
                last: 21,
            },
        ),
        (
            "DELETE FROM audit_seals WHERE sequence = 1",
            VerifyError::SealMissing {
                missing: 1,
                found: 2,
            },
        ),
        (
            "DELETE FROM audit_seals WHERE sequence = 2",
            VerifyError::SealMissing {
                missing: 2,
                found: 3,
            },
        ),
        (
            "DELETE FROM audit_seals WHERE sequence = 3",
            VerifyError::SealsCutOff { there: 2, given: 3 },
        ),
        (
            "DELETE FROM audit WHERE sequence = 32",
            VerifyError::RowsCutOff {
                there: 31,
                given: 32,
            },
        ),
        (
            "DELETE FROM audit WHERE sequence = 31",
            VerifyError::UnsealedRowMissing { row: 31 },
        ),
    ];
    // Every column of a row counts.
    for set in [
        "at = at + 1",
        "request_id = 'req_00000000000000000000000000'",
        "request_id = ''",
        "principal = 'prn_00000000000000000000000000'",
        "tenant = 'acme'",
        "action = action || 'x'",
        "resource = resource || 'x'",
        "outcome = 'refused'",
        "detail = '{\"n\": 0 }'",
    ] {
        let sql = format!("UPDATE audit SET {set} WHERE sequence = 16");
        cases.push((sql.leak(), changed(2)));
    }
    for (n, (sql, expected)) in cases.into_iter().enumerate() {
        let file = sealed.tampered(&n.to_string(), sql).await;
        let found = look(&file, None).await;
        assert_eq!(found, Err(expected), "{sql}");
        assert!(found.unwrap_err().is_broken());
    }
}

#[tokio::test]
async fn what_does_not_even_read_is_damage_and_no_failure() {
    let sealed = Sealed::new().await;
    for (n, sql) in [
        "UPDATE audit SET action = CAST(x'ff' AS TEXT) WHERE sequence = 16",
        "UPDATE audit SET sequence = -5 WHERE sequence = 16",
        "UPDATE audit_seals SET hash = 'none' WHERE sequence = 2",
    ]
    .into_iter()
    .enumerate()
    {
        let file = sealed.tampered(&n.to_string(), sql).await;
        let found = look(&file, None).await.unwrap_err();
        assert!(found.is_broken(), "{sql}: {found}");
    }
}

/// Whoever owns the whole file can cut the end off without a trace in it, or write a new chain; a hash that was
/// kept elsewhere shows it.
#[tokio::test]
async fn an_end_that_was_cut_off_cleanly_shows_to_who_kept_the_head() {
    let sealed = Sealed::new().await;
    let cut = "DELETE FROM audit_seals WHERE sequence = 3; DELETE FROM audit WHERE sequence > 20; \
        UPDATE sqlite_sequence SET seq = 20 WHERE name = 'audit'; \
        UPDATE sqlite_sequence SET seq = 2 WHERE name = 'audit_seals'";
    let file = sealed.tampered("cut", cut).await;
    assert_eq!(look(&file, None).await.unwrap().rows, 20);
    assert!(look(&file, Some(sealed.heads[1])).await.is_ok());
    assert_eq!(
        look(&file, Some(sealed.heads[2])).await,
        Err(VerifyError::Unexpected)
    );
    let none = "DELETE FROM audit_seals; DELETE FROM sqlite_sequence WHERE name = 'audit_seals'";
    let file = sealed.tampered("none", none).await;
    let whole = look(&file, None).await.unwrap();
    assert_eq!((whole.seals, whole.unsealed), (0, 32));
    assert_eq!(
        look(&file, Some(sealed.heads[0])).await,
        Err(VerifyError::Unexpected)
    );
}

#[tokio::test]
async fn many_sealers_make_one_chain() {
    let world = world().await;
    let tasks: Vec<_> = (0..8)
        .map(|_| {
            let service = Arc::clone(&world.service);
            tokio::spawn(async move {
                for _ in 0..10 {
                    let more = rows(&service, 7);
                    service.store().append_audit(more).await.unwrap();
                    service.seal_audit().await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let whole = verify(world.service.store().as_ref(), None).await.unwrap();
    assert_eq!(whole.unsealed, 0);
    assert!(whole.rows >= 560);
    // Nothing to seal makes no seal.
    let head = world.service.seal_audit().await.unwrap();
    assert_eq!(head, whole.head);
}

#[tokio::test]
async fn a_chain_of_another_deployment_does_not_pass() {
    let sealed = Sealed::new().await;
    let file = sealed
        .tampered(
            "other",
            "UPDATE deployment SET id = 'dep_00000000000000000000000000'",
        )
        .await;
    assert_eq!(
        look(&file, None).await,
        Err(VerifyError::Unlinked { seal: 1 })
    );
}
