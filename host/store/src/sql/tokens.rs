//! Tokens' records.

use berth_domain::audit::AuditRow;
use berth_domain::id::{TenantId, TokenId};
use berth_domain::platform::{Principal, Token};
use berth_domain::time::Millis;

use super::page::{one_more, page};
use super::principals::principals;
use super::row::read;
use super::statement::text;
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, StoreError};

fn token(row: &Row) -> Result<Token, StoreError> {
    Ok(Token {
        id: row.parsed("token")?,
        principal_id: row.parsed("principal")?,
        tenant_id: row.parsed("tenant")?,
        title: row.parsed("token_title")?,
        expires_at: row.optional_millis("expires_at")?,
        revoked_at: row.optional_millis("revoked_at")?,
        created_at: row.millis("token_created_at")?,
    })
}

impl<E: Engine> SqlStore<E> {
    pub(super) async fn insert_token(
        &self,
        token: &Token,
        hash: &str,
        audit: &[AuditRow],
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO tokens \
             (id, tenant, principal, hash, title, expires_at, revoked_at, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(token.id.as_str())
        .bind(token.tenant_id.as_str())
        .bind(token.principal_id.as_str())
        .bind(hash)
        .bind(text(&token.title))
        .bind(token.expires_at)
        .bind(token.revoked_at)
        .bind(token.created_at);
        self.insert(insert, Vec::new(), audit).await
    }

    /// The read that every request begins with: one trip.
    pub(super) async fn read_token_by_hash(
        &self,
        hash: &str,
    ) -> Result<Option<(Token, Principal)>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT tokens.id AS token, tokens.principal AS principal, \
                         tokens.tenant AS tenant, tokens.title AS token_title, \
                         tokens.expires_at AS expires_at, tokens.revoked_at AS revoked_at, \
                         tokens.created_at AS token_created_at, \
                         principals.id AS id, principals.title AS title, \
                         principals.groups AS groups, principals.created_at AS created_at, \
                         attached.policy AS policy \
                     FROM tokens \
                     JOIN principals ON principals.id = tokens.principal \
                     LEFT JOIN principal_policies attached ON attached.principal = principals.id \
                     WHERE tokens.hash = $1 ORDER BY attached.place",
                )
                .bind(hash),
            )
            .await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let token = read("tokens", first, token)?;
        Ok(principals(&rows)?
            .into_iter()
            .next()
            .map(|principal| (token, principal)))
    }

    pub(super) async fn mark_token_revoked(
        &self,
        tenant: &TenantId,
        id: &TokenId,
        at: Millis,
        audit: &[AuditRow],
    ) -> Result<bool, StoreError> {
        // Revoked twice, it is revoked since the first time.
        let update = Statement::new(
            "UPDATE tokens SET revoked_at = COALESCE(revoked_at, $3) \
             WHERE tenant = $1 AND id = $2 RETURNING id",
        )
        .bind(tenant.as_str())
        .bind(id.as_str())
        .bind(at);
        self.change(update, Vec::new(), audit).await
    }

    pub(super) async fn read_tokens(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Token>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, id AS token, principal, tenant, title AS token_title, expires_at, \
                         revoked_at, created_at AS token_created_at \
                     FROM tokens WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("tokens", &rows, limit, token, |token| token.id.to_string())
    }
}
