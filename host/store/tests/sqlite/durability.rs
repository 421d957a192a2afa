//! What was acknowledged survives the host's sudden death.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use berth_domain::id::ResourceId;
use berth_store::{EventFilter, SqliteConfig};
use tempfile::TempDir;

use crate::suite::fixture::*;
use crate::{file, reopen};

/// Names the database to the child.
const CHILD_DATABASE: &str = "BERTH_STORE_TEST_CHILD_DATABASE";
const ACKNOWLEDGED: &str = "acknowledged ";
const ENOUGH: usize = 300;

/// Not a test of its own: what [`killed_at_any_moment_nothing_acknowledged_is_lost`] kills.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "the child of another test"]
async fn a_child_that_writes_until_it_is_killed() {
    let Ok(database) = std::env::var(CHILD_DATABASE) else {
        return;
    };
    let store = reopen(SqliteConfig::at(database)).await;
    let home = home(&store, "acme").await;
    let tasks: Vec<_> = (0..32)
        .map(|writer| {
            let (store, home) = (store.clone(), home.clone());
            tokio::spawn(async move {
                for n in 0..100_000 {
                    let mut change = creation(row(&home, &format!("a{writer}-{n}")));
                    change.quota = u32::MAX;
                    let stored = create(&store, change).await;
                    let mut out = std::io::stdout().lock();
                    writeln!(out, "{ACKNOWLEDGED}{}", stored.row.id).unwrap();
                    out.flush().unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_moment_nothing_acknowledged_is_lost() {
    let directory = TempDir::new().unwrap();
    let acknowledged = tokio::task::spawn_blocking({
        let database = file(&directory);
        move || {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", "--nocapture"])
                .arg("durability::a_child_that_writes_until_it_is_killed")
                .env(CHILD_DATABASE, database)
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap())
                .lines()
                .map_while(Result::ok);
            let ids = |line: String| line.strip_prefix(ACKNOWLEDGED)?.parse::<ResourceId>().ok();
            let mut acknowledged: Vec<_> = lines.by_ref().filter_map(ids).take(ENOUGH).collect();
            // SIGKILL: it has no say in it.
            child.kill().unwrap();
            child.wait().unwrap();
            // What it had said before it died counts too; a line cut off in the middle does not.
            acknowledged.extend(lines.filter_map(ids));
            acknowledged
        }
    })
    .await
    .unwrap();
    assert!(
        acknowledged.len() >= ENOUGH,
        "only {} were acknowledged",
        acknowledged.len()
    );

    let store = reopen(SqliteConfig::at(file(&directory))).await;
    for id in &acknowledged {
        assert!(
            store.resource(id).await.unwrap().is_some(),
            "{id} was acknowledged and is gone"
        );
    }
    // Nothing is there by half either: each row has its event and its audit row.
    let tenant = tenant_id("acme");
    let events = store
        .events(&tenant, &EventFilter::default(), 1_000_000)
        .await
        .unwrap();
    let audited = store.list_audit(Some(&tenant), 1_000_000).await.unwrap();
    let rows = store.count_by_kind(&tenant).await.unwrap()[0].1 as usize;
    assert_eq!(events.len(), rows);
    assert_eq!(audited.len(), rows);
    assert!(rows >= acknowledged.len());
}
