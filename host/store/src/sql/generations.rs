//! Plugin generations and their components.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::platform::GenerationRecord;
use berth_domain::time::Millis;

use super::row::read;
use super::statement::json;
use super::{Engine, Row, SqlStore, Statement, Verdict, audit};
use crate::{Created, Plugins, StoreError};

fn generation(row: &Row) -> Result<GenerationRecord, StoreError> {
    Ok(GenerationRecord {
        digest: row.text("id")?,
        plugin: row.text("plugin")?,
        version: row.text("version")?,
        manifest: row.json("manifest")?,
        active: row.flag("active")?,
        size: row.count("size")?,
        installed_at: row.millis("installed_at")?,
        activated_at: row.optional_millis("activated_at")?,
    })
}

#[async_trait]
impl<E: Engine> Plugins for SqlStore<E> {
    async fn put_generation(
        &self,
        record: &GenerationRecord,
        component: Vec<u8>,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO generations \
             (digest, plugin, version, manifest, active, size, installed_at, activated_at) \
             VALUES ($1, $2, $3, $4, 0, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING digest",
        )
        .bind(record.digest.as_str())
        .bind(record.plugin.as_str())
        .bind(record.version.as_str())
        .bind(json(&record.manifest)?)
        .bind(record.size)
        .bind(record.installed_at)
        .bind(record.activated_at);
        let bytes = Statement::new(
            "INSERT INTO components (digest, component) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        )
        .bind(record.digest.as_str())
        .bind(component);
        self.insert(insert, vec![bytes], &audit).await
    }

    async fn activate_generation(
        &self,
        plugin: &str,
        digest: &str,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        // Two statements: in one, the active generations could number two for a moment.
        let mut statements = vec![
            Statement::new("UPDATE generations SET active = 0 WHERE plugin = $1 AND active = 1")
                .bind(plugin),
            Statement::new(
                "UPDATE generations SET active = 1, activated_at = $3 \
                 WHERE plugin = $1 AND digest = $2 RETURNING digest",
            )
            .bind(plugin)
            .bind(digest)
            .bind(at),
        ];
        statements.extend(audit::append(&audit)?);
        self.write(move |session| {
            Box::pin(async move {
                let sets = session.run(statements).await?;
                Ok(if sets.get(1).is_some_and(|rows| !rows.is_empty()) {
                    Verdict::Keep(true)
                } else {
                    Verdict::Discard(false)
                })
            })
        })
        .await
    }

    async fn generations(&self, plugin: Option<&str>) -> Result<Vec<GenerationRecord>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT digest AS id, plugin, version, manifest, active, size, installed_at, \
                         activated_at \
                     FROM generations WHERE ($1 IS NULL OR plugin = $1) \
                     ORDER BY installed_at DESC, digest",
                )
                .bind(plugin),
            )
            .await?;
        rows.iter()
            .map(|row| read("generations", row, generation))
            .collect()
    }

    async fn generation(&self, digest: &str) -> Result<Option<GenerationRecord>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT digest AS id, plugin, version, manifest, active, size, installed_at, \
                     activated_at \
                 FROM generations WHERE digest = $1",
            )
            .bind(digest),
        )
        .await?
        .map(|row| read("generations", &row, generation))
        .transpose()
    }

    async fn component(&self, digest: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read_one(
            Statement::new("SELECT digest AS id, component FROM components WHERE digest = $1")
                .bind(digest),
        )
        .await?
        .map(|row| read("components", &row, |row| row.bytes("component")))
        .transpose()
    }
}
