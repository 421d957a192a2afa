//! Creates through the API, beside raw inserts of the very rows that they left, equally durable.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::{Value, json};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteRow, SqliteSynchronous};
use sqlx::{
    AssertSqlSafe, Column as _, ConnectOptions as _, Connection as _, Row as _, SqliteConnection,
    TypeInfo as _, ValueRef as _,
};

use crate::Subjects;
use crate::figures::{Figures, percentile};
use crate::host::Host;

const CLIENTS: usize = 64;
const CREATES: usize = 12_000;
/// Tenants that the creates are spread over, within the default quota of each.
const TENANTS: usize = 600;
/// The tables that a create writes.
const TABLES: [&str; 3] = ["resources", "events", "audit"];

/// `create.sqlite.*`.
pub(crate) async fn measure(subjects: &Subjects, figures: &mut Figures) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let plugins = format!("[{:?}]", subjects.component.to_string_lossy());
    // No reconciler: what is measured is the way of a wish into the store.
    let settings = [
        ("BERTH_PLUGINS", plugins.as_str()),
        ("BERTH_SERVICE__RECONCILE__CONCURRENCY", "0"),
    ];
    let host = Arc::new(Host::start(&subjects.berth, folder.path(), &settings).await?);
    let pool = prepare(&host).await?;
    let (elapsed, mut latencies) = drive(&host, &pool).await?;
    Arc::try_unwrap(host)
        .ok()
        .context("the host is still in use")?
        .stop()
        .await?;

    #[expect(clippy::cast_precision_loss, reason = "a count of creates")]
    let rate = latencies.len() as f64 / elapsed.as_secs_f64();
    let database = folder.path().join("berth.db");
    let raw = raw_inserts(&database, CLIENTS).await?;
    let single = raw_inserts(&database, 1).await?;
    figures.add("create.sqlite.per_s", rate, "1/s", format!("{CLIENTS} clients; raw inserts {raw:.0}/s in groups of {CLIENTS}, {single:.0}/s one by one"));
    figures.add(
        "create.sqlite.ratio",
        rate / raw,
        "",
        "raw inserts of the same rows, committed in groups",
    );
    figures.add(
        "create.sqlite.p50_ms",
        percentile(&mut latencies, 0.5).as_secs_f64() * 1_000.0,
        "ms",
        format!("{CLIENTS} clients, saturated"),
    );
    figures.add(
        "create.sqlite.p99_ms",
        percentile(&mut latencies, 0.99).as_secs_f64() * 1_000.0,
        "ms",
        format!("{CLIENTS} clients, saturated"),
    );
    Ok(())
}

/// An account, its pool, and tenants that the pool is offered to.
async fn prepare(host: &Host) -> anyhow::Result<String> {
    let id = |value: &Value| {
        value
            .get("id")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .context("an answer without an id")
    };
    let account = json!({"tenantId": "root", "title": "bench", "provider": "do", "regions": ["nyc3"], "credential": "bench-credential"});
    let account = host.call("accounts/create", &account).await?;
    let pool = json!({"tenantId": "root", "title": "bench", "type": "provider", "accountId": id(&account)?});
    let pool = id(&host.call("pools/create", &pool).await?)?;
    for number in 0..TENANTS {
        let tenant = tenant(number);
        host.call(
            "tenants/create",
            &json!({"tenantId": tenant, "title": "bench"}),
        )
        .await?;
        host.call(
            "offers/create",
            &json!({"poolId": pool, "tenantId": tenant}),
        )
        .await?;
    }
    Ok(pool)
}

fn tenant(number: usize) -> String {
    format!("tenant-{}", number % TENANTS)
}

async fn drive(host: &Arc<Host>, pool: &str) -> anyhow::Result<(Duration, Vec<Duration>)> {
    let next = Arc::new(AtomicUsize::new(0));
    let begun = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let (host, next, pool) = (host.clone(), next.clone(), pool.to_owned());
            tokio::spawn(async move {
                let mut latencies = Vec::new();
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= CREATES {
                        return anyhow::Ok(latencies);
                    }
                    let input = json!({
                        "tenantId": tenant(number), "poolId": pool, "kind": "do.database.pg", "name": format!("db-{number}"),
                        "idempotencyKey": format!("bench-{number}"),
                        "spec": {"region": "nyc3", "size": "db-s-1vcpu-1gb", "num_nodes": 1, "version": "16"},
                    });
                    let sent = Instant::now();
                    host.call("cloudResources/create", &input).await?;
                    latencies.push(sent.elapsed());
                }
            })
        })
        .collect();
    let mut latencies = Vec::new();
    for client in clients {
        latencies.extend(client.await??);
    }
    Ok((begun.elapsed(), latencies))
}

/// Copies the rows of [`TABLES`] into a new database of the same schema, `group` creates a
/// transaction, and returns creates a second.
async fn raw_inserts(database: &Path, group: usize) -> anyhow::Result<f64> {
    let mut source = SqliteConnectOptions::new()
        .filename(database)
        .read_only(true)
        .connect()
        .await?;
    let folder = tempfile::tempdir()?;
    let mut target = SqliteConnectOptions::new()
        .filename(folder.path().join("raw.db"))
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(false)
        .connect()
        .await?;
    let mut copies = Vec::new();
    for table in TABLES {
        for schema in sqlx::query("SELECT sql FROM sqlite_master WHERE tbl_name = $1 AND sql IS NOT NULL ORDER BY type = 'table' DESC").bind(table).fetch_all(&mut source).await? {
            sqlx::query(AssertSqlSafe(schema.get::<String, _>(0))).execute(&mut target).await?;
        }
        let limit = if group == 1 { CREATES / 6 } else { CREATES };
        let rows = sqlx::query(AssertSqlSafe(format!(
            "SELECT * FROM {table} ORDER BY rowid DESC LIMIT {limit}"
        )))
        .fetch_all(&mut source)
        .await?;
        copies.push((
            insert_into(
                table,
                rows.first().context("no rows were left by the creates")?,
            ),
            rows,
        ));
    }
    let creates = copies.iter().map(|(_, rows)| rows.len()).min().unwrap_or(0);
    let begun = Instant::now();
    let mut at = 0;
    while at < creates {
        let until = (at + group).min(creates);
        sqlx::query("BEGIN IMMEDIATE").execute(&mut target).await?;
        for index in at..until {
            for (insert, rows) in &copies {
                if let Some(row) = rows.get(index) {
                    insert_row(&mut target, insert, row).await?;
                }
            }
        }
        sqlx::query("COMMIT").execute(&mut target).await?;
        at = until;
    }
    let elapsed = begun.elapsed();
    target.close().await?;
    #[expect(clippy::cast_precision_loss, reason = "a count of creates")]
    Ok(creates as f64 / elapsed.as_secs_f64())
}

fn insert_into(table: &str, row: &SqliteRow) -> String {
    let columns: Vec<&str> = row.columns().iter().map(sqlx::Column::name).collect();
    let places: Vec<String> = (1..=columns.len())
        .map(|place| format!("${place}"))
        .collect();
    format!(
        "INSERT INTO {table} ({}) VALUES ({})",
        columns.join(", "),
        places.join(", ")
    )
}

async fn insert_row(
    target: &mut SqliteConnection,
    insert: &str,
    row: &SqliteRow,
) -> anyhow::Result<()> {
    let mut query = sqlx::query(AssertSqlSafe(insert.to_owned()));
    for column in row.columns() {
        let value = row.try_get_raw(column.ordinal())?;
        query = match value.type_info().name() {
            _ if value.is_null() => query.bind(None::<i64>),
            "INTEGER" | "BOOLEAN" => query.bind(row.try_get::<i64, _>(column.ordinal())?),
            "BLOB" => query.bind(row.try_get::<Vec<u8>, _>(column.ordinal())?),
            _ => query.bind(row.try_get::<String, _>(column.ordinal())?),
        };
    }
    query.execute(target).await?;
    Ok(())
}
