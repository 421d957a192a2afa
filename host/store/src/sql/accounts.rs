//! Provider accounts.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{AccountId, TenantId};
use berth_domain::platform::Account;

use super::page::{one_more, page};
use super::row::read;
use super::statement::{json, text};
use super::{Engine, Row, SqlStore, Statement, Verdict, audit, secrets};
use crate::{AccountChange, Accounts, Created, NewSecret, Page, StoreError};

fn account(row: &Row) -> Result<Account, StoreError> {
    Ok(Account {
        id: row.parsed("id")?,
        tenant_id: row.parsed("tenant")?,
        title: row.parsed("title")?,
        provider: row.text("provider")?,
        regions: row.json("regions")?,
        previews: row.flag("previews")?,
        egress: row.json("egress")?,
        created_at: row.millis("created_at")?,
    })
}

#[async_trait]
impl<E: Engine> Accounts for SqlStore<E> {
    async fn create_account(
        &self,
        account: &Account,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError> {
        let insert = Statement::new(
            "INSERT INTO accounts \
             (id, tenant, title, provider, regions, previews, egress, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id",
        )
        .bind(account.id.as_str())
        .bind(account.tenant_id.as_str())
        .bind(text(&account.title))
        .bind(account.provider.as_str())
        .bind(json(&account.regions)?)
        .bind(account.previews)
        .bind(json(&account.egress)?)
        .bind(account.created_at);
        self.insert(insert, Vec::new(), &audit).await
    }

    async fn update_account(
        &self,
        account: &Account,
        credential: Option<NewSecret>,
        audit: Vec<AuditRow>,
    ) -> Result<AccountChange, StoreError> {
        let update = Statement::new(
            "UPDATE accounts SET title = $2, regions = $3, previews = $4, egress = $5 \
             WHERE id = $1 AND tenant = $6 RETURNING id",
        )
        .bind(account.id.as_str())
        .bind(text(&account.title))
        .bind(json(&account.regions)?)
        .bind(account.previews)
        .bind(json(&account.egress)?)
        .bind(account.tenant_id.as_str());
        let mut statements = vec![update];
        statements.extend(credential.as_ref().map(secrets::put));
        statements.extend(audit::append(&audit)?);
        self.write(move |session| {
            Box::pin(async move {
                let sets = session.run(statements).await?;
                let did = |at: usize| sets.get(at).is_some_and(|rows| !rows.is_empty());
                if !did(0) {
                    return Ok(Verdict::Discard(AccountChange::Missing));
                }
                match credential {
                    Some(secret) if !did(1) => {
                        let refusal = secrets::refusal(session, &secret).await?;
                        Ok(Verdict::Discard(AccountChange::Unsealed(refusal)))
                    }
                    _ => Ok(Verdict::Keep(AccountChange::Stored)),
                }
            })
        })
        .await
    }

    async fn account(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        self.read_one(
            Statement::new(
                "SELECT id, tenant, title, provider, regions, previews, egress, created_at \
                 FROM accounts WHERE id = $1",
            )
            .bind(id.as_str()),
        )
        .await?
        .map(|row| read("accounts", &row, account))
        .transpose()
    }

    async fn accounts(
        &self,
        tenant: Option<&TenantId>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Account>, StoreError> {
        let rows = self
            .read(
                Statement::new(
                    "SELECT id, tenant, title, provider, regions, previews, egress, created_at \
                     FROM accounts WHERE ($1 IS NULL OR tenant = $1) AND id > $2 \
                     ORDER BY id LIMIT $3",
                )
                .bind(tenant.map(TenantId::as_str))
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        page("accounts", &rows, limit, account, |account| {
            account.id.to_string()
        })
    }
}
