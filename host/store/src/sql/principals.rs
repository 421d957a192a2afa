//! Principals and what is attached to them. Their tokens are in the file beside.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{PolicyId, PrincipalId, TenantId, TokenId};
use berth_domain::platform::{Principal, Token};
use berth_domain::time::Millis;

use super::page::{cut, one_more};
use super::row::read;
use super::statement::{json, text};
use super::tenants::bump_policy_version;
use super::{Engine, Row, SqlStore, Statement};
use crate::{Created, Page, Principals, StoreError};

/// Attaches the policies of a principal. One that was deleted meanwhile, or is another tenant's, is left
/// out, as if it had been detached by its deletion.
fn attach(principal: &Principal) -> Vec<Statement> {
    (0_u32..)
        .zip(&principal.policies)
        .map(|(place, policy)| {
            Statement::new(
                "INSERT INTO principal_policies (tenant, principal, policy, place) \
                 SELECT principals.tenant, principals.id, policies.id, $4 \
                 FROM principals JOIN policies ON policies.tenant = principals.tenant \
                 WHERE principals.tenant = $1 AND principals.id = $2 AND policies.id = $3 \
                 ON CONFLICT DO NOTHING",
            )
            .bind(principal.tenant_id.as_str())
            .bind(principal.id.as_str())
            .bind(policy.as_str())
            .bind(place)
        })
        .collect()
}

/// A principal without its policies.
pub(super) fn principal(row: &Row) -> Result<Principal, StoreError> {
    Ok(Principal {
        id: row.parsed("id")?,
        tenant_id: row.parsed("tenant")?,
        title: row.parsed("title")?,
        groups: row.json("groups")?,
        policies: Vec::new(),
        created_at: row.millis("created_at")?,
    })
}

/// Folds rows of principals with a `policy` each into principals; rows of one stand together.
pub(super) fn principals(rows: &[Row]) -> Result<Vec<Principal>, StoreError> {
    let mut folded: Vec<Principal> = Vec::new();
    for row in rows {
        let (id, policy): (PrincipalId, Option<PolicyId>) = read("principals", row, |row| {
            Ok((row.parsed("id")?, row.optional_parsed("policy")?))
        })?;
        match folded.last_mut() {
            Some(last) if last.id == id => last.policies.extend(policy),
            _ => {
                let mut next = read("principals", row, principal)?;
                next.policies.extend(policy);
                folded.push(next);
            }
        }
    }
    Ok(folded)
}

#[async_trait]
impl<E: Engine> Principals for SqlStore<E> {
    async fn create_principal(
        &self,
        principal: &Principal,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO principals (id, tenant, title, groups, created_at) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(principal.id.as_str())
        .bind(principal.tenant_id.as_str())
        .bind(text(&principal.title))
        .bind(json(&principal.groups)?)
        .bind(principal.created_at);
        let mut following = attach(principal);
        following.push(bump_policy_version(&principal.tenant_id));
        self.insert(insert, following, &audit).await
    }

    async fn update_principal(
        &self,
        principal: &Principal,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        let update = Statement::new(
            "UPDATE principals SET title = $3, groups = $4 WHERE tenant = $1 AND id = $2 \
             RETURNING id",
        )
        .bind(principal.tenant_id.as_str())
        .bind(principal.id.as_str())
        .bind(text(&principal.title))
        .bind(json(&principal.groups)?);
        let mut following = vec![
            Statement::new("DELETE FROM principal_policies WHERE tenant = $1 AND principal = $2")
                .bind(principal.tenant_id.as_str())
                .bind(principal.id.as_str()),
        ];
        following.extend(attach(principal));
        following.push(bump_policy_version(&principal.tenant_id));
        self.change(update, following, &audit).await
    }

    async fn delete_principal(
        &self,
        tenant: &TenantId,
        id: &PrincipalId,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        // Its tokens and attachments go with it: ON DELETE CASCADE.
        let delete =
            Statement::new("DELETE FROM principals WHERE tenant = $1 AND id = $2 RETURNING id")
                .bind(tenant.as_str())
                .bind(id.as_str());
        self.change(delete, vec![bump_policy_version(tenant)], &audit)
            .await
    }

    async fn principal(
        &self,
        tenant: &TenantId,
        id: &PrincipalId,
    ) -> Result<Option<Principal>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT principals.id AS id, principals.tenant AS tenant, \
                         principals.title AS title, principals.groups AS groups, \
                         principals.created_at AS created_at, attached.policy AS policy \
                     FROM principals \
                     LEFT JOIN principal_policies attached ON attached.principal = principals.id \
                     WHERE principals.tenant = $1 AND principals.id = $2 \
                     ORDER BY attached.place",
                )
                .bind(tenant.as_str())
                .bind(id.as_str()),
            )
            .await?;
        Ok(principals(&rows)?.into_iter().next())
    }

    async fn principals(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Principal>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT listed.id AS id, listed.tenant AS tenant, listed.title AS title, \
                         listed.groups AS groups, listed.created_at AS created_at, \
                         attached.policy AS policy \
                     FROM (SELECT id, tenant, title, groups, created_at FROM principals \
                         WHERE tenant = $1 AND id > $2 ORDER BY id LIMIT $3) listed \
                     LEFT JOIN principal_policies attached ON attached.principal = listed.id \
                     ORDER BY listed.id, attached.place",
                )
                .bind(tenant.as_str())
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        Ok(cut(principals(&rows)?, limit, |principal| {
            principal.id.to_string()
        }))
    }

    async fn create_token(
        &self,
        token: &Token,
        hash: &str,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        self.insert_token(token, hash, &audit).await
    }

    async fn token_by_hash(&self, hash: &str) -> Result<Option<(Token, Principal)>, StoreError> {
        self.read_token_by_hash(hash).await
    }

    async fn revoke_token(
        &self,
        tenant: &TenantId,
        id: &TokenId,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError> {
        self.mark_token_revoked(tenant, id, at, &audit).await
    }

    async fn tokens(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Token>, StoreError> {
        self.read_tokens(tenant, after, limit).await
    }
}
