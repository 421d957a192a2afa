//! Which keys seal. A sealed secret begins with its layout's byte and its key's id.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::secret::SecretRef;
use berth_domain::time::Millis;

use super::row::read;
use super::secrets::sealed_secret;
use super::{Engine, Row, Session, SqlStore, Statement, Verdict, audit};
use crate::{Resealed, SealKey, SealKeys, SealedSecret, StoreError};

/// The id of the key in what is sealed.
fn key_of(sealed: &[u8]) -> &[u8] {
    sealed.get(1..9).unwrap_or_default()
}

/// Whether what is sealed may not be stored, for its key is retired.
pub(super) async fn is_retired(
    session: &mut dyn Session,
    sealed: &[u8],
) -> Result<bool, StoreError> {
    let found = session.one(retired(key_of(sealed))).await?;
    Ok(found.is_some())
}

fn retired(key: &[u8]) -> Statement {
    Statement::new("SELECT retired_at FROM retired_keys WHERE key_id = $1").bind(key.to_vec())
}

fn usage(row: &Row) -> Result<(SealKey, u64), StoreError> {
    let key = row.bytes("key_id")?.try_into().map_err(|_| {
        StoreError::Unreadable("column `sealed`: too short to name its key".to_owned())
    })?;
    Ok((key, row.count("secrets")?))
}

#[async_trait]
impl<E: Engine> SealKeys for SqlStore<E> {
    async fn key_usage(&self) -> Result<Vec<(SealKey, u64)>, StoreError> {
        let rows = self
            .read(Statement::new(
                "SELECT substr(sealed, 2, 8) AS key_id, COUNT(*) AS secrets, MIN(name) AS id \
                 FROM secrets GROUP BY 1 ORDER BY 1",
            ))
            .await?;
        rows.iter().map(|row| read("secrets", row, usage)).collect()
    }

    async fn sealed_otherwise(
        &self,
        key: SealKey,
        after: Option<&SecretRef>,
        limit: u32,
    ) -> Result<Vec<SealedSecret>, StoreError> {
        let (tenant, name) = after.map_or_else(Default::default, |after| {
            (after.tenant().to_string(), after.name().to_string())
        });
        let rows = self
            .read(
                Statement::new(
                    "SELECT name AS id, tenant, version, sealed, resource, created_at, updated_at \
                     FROM secrets \
                     WHERE (tenant, name) > ($2, $3) AND substr(sealed, 2, 8) <> $1 \
                     ORDER BY tenant, name LIMIT $4",
                )
                .bind(key.to_vec())
                .bind(tenant.as_str())
                .bind(name.as_str())
                .bind(limit),
            )
            .await?;
        rows.iter()
            .map(|row| read("secrets", row, sealed_secret))
            .collect()
    }

    async fn reseal(&self, secrets: Vec<Resealed>) -> Result<u64, StoreError> {
        let statements: Vec<Statement> = secrets
            .into_iter()
            .map(|secret| {
                Statement::new(
                    "UPDATE secrets SET sealed = $4 \
                     WHERE tenant = $1 AND name = $2 AND sealed = $3 RETURNING version",
                )
                .bind(secret.reference.tenant().as_str())
                .bind(secret.reference.name().as_str())
                .bind(secret.was)
                .bind(secret.sealed)
            })
            .collect();
        self.write(move |session| {
            Box::pin(async move {
                let sets = session.run(statements).await?;
                let done = sets.iter().filter(|rows| !rows.is_empty()).count();
                Ok(Verdict::Keep(u64::try_from(done).unwrap_or(u64::MAX)))
            })
        })
        .await
    }

    async fn retire_keys(
        &self,
        keys: Vec<SealKey>,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<(), StoreError> {
        let mut statements: Vec<Statement> = keys
            .into_iter()
            .map(|key| {
                Statement::new(
                    "INSERT INTO retired_keys (key_id, retired_at) VALUES ($1, $2) \
                     ON CONFLICT DO NOTHING",
                )
                .bind(key.to_vec())
                .bind(at)
            })
            .collect();
        statements.extend(audit::append(&audit)?);
        self.write(move |session| {
            Box::pin(async move {
                session.run(statements).await?;
                Ok(Verdict::Keep(()))
            })
        })
        .await
    }

    async fn is_retired(&self, key: SealKey) -> Result<bool, StoreError> {
        Ok(self.read_one(retired(&key)).await?.is_some())
    }
}
