//! Sealed secrets.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::TenantId;
use berth_domain::platform::SecretInfo;
use berth_domain::secret::{SecretName, SecretRef};

use super::page::{one_more, page};
use super::row::read;
use super::statement::optional_text;
use super::{Engine, Row, Session, SqlStore, Statement, Verdict, audit, keys};
use crate::{NewSecret, Page, SealedSecret, SecretChange, Secrets, StoreError};

/// Stores a version if it is the next one and its key is not retired: returns a row if so.
pub(super) fn put(secret: &NewSecret) -> Statement {
    let text = if secret.version == 1 {
        "INSERT INTO secrets (tenant, name, version, sealed, resource, created_at, updated_at) \
         SELECT $1, $2, $3, $4, $5, $6, $6 \
         WHERE NOT EXISTS (SELECT 1 FROM retired_keys WHERE key_id = substr($4, 2, 8)) \
         ON CONFLICT DO NOTHING RETURNING version"
    } else {
        "UPDATE secrets SET version = $3, sealed = $4, resource = $5, updated_at = $6 \
         WHERE tenant = $1 AND name = $2 AND version = $3 - 1 \
             AND NOT EXISTS (SELECT 1 FROM retired_keys WHERE key_id = substr($4, 2, 8)) \
         RETURNING version"
    };
    Statement::new(text)
        .bind(secret.tenant.as_str())
        .bind(secret.name.as_str())
        .bind(secret.version)
        .bind(secret.sealed.clone())
        .bind(optional_text(secret.resource.as_ref()))
        .bind(secret.at)
}

fn secret_info(row: &Row) -> Result<SecretInfo, StoreError> {
    Ok(SecretInfo {
        reference: SecretRef::new(row.parsed("tenant")?, row.parsed("id")?),
        version: row.count("version")?,
        resource_id: row.optional_parsed("resource")?,
        created_at: row.millis("created_at")?,
        updated_at: row.millis("updated_at")?,
    })
}

/// A secret with its bytes.
pub(super) fn sealed_secret(row: &Row) -> Result<SealedSecret, StoreError> {
    Ok(SealedSecret {
        info: secret_info(row)?,
        sealed: row.bytes("sealed")?,
    })
}

/// Why [`put`] stored nothing.
pub(super) async fn refusal(
    session: &mut dyn Session,
    secret: &NewSecret,
) -> Result<SecretChange, StoreError> {
    if keys::is_retired(session, &secret.sealed).await? {
        return Ok(SecretChange::KeyRetired);
    }
    current_version(session, &secret.tenant, &secret.name)
        .await
        .map(SecretChange::Stale)
}

/// The version that is stored; 0: none is.
async fn current_version(
    session: &mut dyn Session,
    tenant: &TenantId,
    name: &SecretName,
) -> Result<u64, StoreError> {
    session
        .one(
            Statement::new(
                "SELECT name AS id, version FROM secrets WHERE tenant = $1 AND name = $2",
            )
            .bind(tenant.as_str())
            .bind(name.as_str()),
        )
        .await?
        .map_or(Ok(0), |row| {
            read("secrets", &row, |row| row.count("version"))
        })
}

#[async_trait]
impl<E: Engine> Secrets for SqlStore<E> {
    async fn put_secret(
        &self,
        secret: NewSecret,
        audit: Vec<AuditRow>,
    ) -> Result<SecretChange, StoreError> {
        let mut statements = vec![put(&secret)];
        statements.extend(audit::append(&audit)?);
        self.write(move |session| {
            Box::pin(async move {
                let sets = session.run(statements).await?;
                if sets.first().is_some_and(|rows| !rows.is_empty()) {
                    return Ok(Verdict::Keep(SecretChange::Stored));
                }
                refusal(session, &secret).await.map(Verdict::Discard)
            })
        })
        .await
    }

    async fn secret(
        &self,
        tenant: &TenantId,
        name: &SecretName,
    ) -> Result<Option<SealedSecret>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT name AS id, tenant, version, sealed, resource, created_at, updated_at \
                 FROM secrets WHERE tenant = $1 AND name = $2",
            )
            .bind(tenant.as_str())
            .bind(name.as_str()),
        )
        .await?
        .map(|row| read("secrets", &row, sealed_secret))
        .transpose()
    }

    async fn delete_secret(
        &self,
        tenant: &TenantId,
        name: &SecretName,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        let delete =
            Statement::new("DELETE FROM secrets WHERE tenant = $1 AND name = $2 RETURNING version")
                .bind(tenant.as_str())
                .bind(name.as_str());
        self.change(delete, Vec::new(), &audit).await
    }

    async fn secrets(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<SecretInfo>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT name AS id, tenant, version, resource, created_at, updated_at \
                     FROM secrets WHERE tenant = $1 AND name > $2 ORDER BY name LIMIT $3",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("secrets", &rows, limit, secret_info, |secret| {
            secret.reference.name().to_string()
        })
    }
}
