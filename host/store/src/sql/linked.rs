//! Instances and networks, with their objects at the provider.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::TenantId;
use berth_domain::linked::{LinkedId, LinkedRow, Plan, Refusal, Registration};
use berth_domain::time::Millis;
use serde_json::{Value, json};

use super::page::{cut, one_more};
use super::row::read;
use super::statement::{json as json_datum, optional_text, word};
use super::{Engine, Row, Session, SqlStore, Statement, Verdict, audit};
use crate::{LinkedFilter, LinkedThings, Page, StoreError};

const COLUMNS: &str = "SELECT linked.id AS id, linked.tenant AS tenant, linked.account AS account, \
     linked.title AS title, linked.created_at AS created_at, linked.updated_at AS updated_at, \
     linked.gone_at AS gone_at, linked_objects.region AS region, \
     linked_objects.provider_id AS provider_id \
     FROM linked JOIN linked_objects ON linked_objects.linked = linked.id";

/// Most ids that an audit row names.
const AUDITED_MAX: usize = 100;

fn linked(row: &Row) -> Result<LinkedRow, StoreError> {
    Ok(LinkedRow {
        id: row.parsed("id")?,
        tenant: row.parsed("tenant")?,
        account: row.parsed("account")?,
        title: row.optional_parsed("title")?,
        objects: [(row.text("region")?, row.text("provider_id")?)].into(),
        created_at: row.millis("created_at")?,
        updated_at: row.millis("updated_at")?,
        gone_at: row.optional_millis("gone_at")?,
    })
}

/// Rows that come once for each of their objects, one after another.
fn gathered(rows: &[Row]) -> Result<Vec<LinkedRow>, StoreError> {
    let mut found: Vec<LinkedRow> = Vec::new();
    for row in rows {
        let next = read("linked", row, linked)?;
        match found.last_mut().filter(|last| last.id == next.id) {
            Some(last) => last.objects.extend(next.objects),
            None => found.push(next),
        }
    }
    Ok(found)
}

fn texts<'t>(texts: impl Iterator<Item = &'t str>) -> Result<super::Datum, StoreError> {
    json_datum(&texts.collect::<Vec<_>>())
}

/// All that a registration is decided by.
fn known<E: Engine>(registration: &Registration) -> Result<Statement, StoreError> {
    let (by_id, by_object) = (E::one_of("linked.id", "$1"), E::one_of("provider_id", "$4"));
    let text = format!(
        "{COLUMNS} WHERE {by_id} \
             OR linked.id IN (SELECT linked FROM linked_objects \
                 WHERE account = $2 AND sort = $3 AND {by_object}) \
             OR ($5 = 1 AND linked.tenant = $6 AND linked.account = $2 AND linked.sort = $3 \
                 AND linked.gone_at IS NULL) \
         ORDER BY linked.id, region"
    );
    Ok(Statement::new(text)
        .bind(texts(registration.given_ids().map(LinkedId::as_str))?)
        .bind(registration.account.as_str())
        .bind(word(&registration.sort)?)
        .bind(texts(registration.objects())?)
        .bind(registration.whole)
        .bind(registration.tenant.as_str()))
}

fn end(id: &LinkedId, at: Millis) -> [Statement; 2] {
    [
        Statement::new(
            "UPDATE linked SET updated_at = CASE WHEN gone_at IS NULL THEN $2 ELSE updated_at END, \
                 gone_at = COALESCE(gone_at, $2) WHERE id = $1",
        )
        .bind(id.as_str())
        .bind(at),
        Statement::new("UPDATE linked_objects SET live = 0 WHERE linked = $1").bind(id.as_str()),
    ]
}

fn put(row: &LinkedRow) -> Result<Vec<Statement>, StoreError> {
    let sort = word(&row.id.sort())?;
    let mut statements = vec![
        Statement::new(
            "INSERT INTO linked (id, sort, tenant, account, title, created_at, updated_at, gone_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, NULL) \
             ON CONFLICT (id) DO UPDATE SET title = $5, updated_at = $7, gone_at = NULL",
        )
        .bind(row.id.as_str())
        .bind(sort.clone())
        .bind(row.tenant.as_str())
        .bind(row.account.as_str())
        .bind(optional_text(row.title.as_ref()))
        .bind(row.created_at)
        .bind(row.updated_at),
    ];
    for (region, provider_id) in &row.objects {
        statements.push(
            Statement::new(
                "INSERT INTO linked_objects (linked, region, provider_id, account, sort, live) \
                 VALUES ($1, $2, $3, $4, $5, 1)",
            )
            .bind(row.id.as_str())
            .bind(region.as_str())
            .bind(provider_id.as_str())
            .bind(row.account.as_str())
            .bind(sort.clone()),
        );
    }
    Ok(statements)
}

async fn register(
    session: &mut dyn Session,
    known: Statement,
    registration: Registration,
    mut audited: AuditRow,
) -> Result<Verdict<Result<Plan, Refusal>>, StoreError> {
    let rows = session.all(known).await?;
    let plan = match registration.plan(&gathered(&rows)?) {
        Ok(plan) => plan,
        Err(refusal) => return Ok(Verdict::Discard(Err(refusal))),
    };
    let mut statements = Vec::new();
    for row in &plan.gone {
        statements.extend(end(&row.id, registration.at));
    }
    let changed = || {
        plan.rows
            .iter()
            .filter(|row| plan.changed.contains(&row.id))
    };
    // All their objects go before any comes: two rows may exchange theirs.
    for row in changed() {
        statements.push(
            Statement::new("DELETE FROM linked_objects WHERE linked = $1").bind(row.id.as_str()),
        );
    }
    for row in changed() {
        statements.extend(put(row)?);
    }
    if let Value::Object(detail) = &mut audited.detail {
        let gone = plan.gone.iter().map(|row| row.id.to_string());
        detail.insert("changed".to_owned(), json!(plan.changed.len()));
        detail.insert("gone".to_owned(), json!(plan.gone.len()));
        detail.insert(
            "goneIds".to_owned(),
            json!(gone.take(AUDITED_MAX).collect::<Vec<_>>()),
        );
    }
    statements.extend(audit::append(&[audited])?);
    session.run(statements).await?;
    Ok(Verdict::Keep(Ok(plan)))
}

#[async_trait]
impl<E: Engine> LinkedThings for SqlStore<E> {
    async fn register_linked(
        &self,
        registration: Registration,
        audit: AuditRow,
    ) -> Result<Result<Plan, Refusal>, StoreError> {
        let known = known::<E>(&registration)?;
        self.write(move |session| Box::pin(register(session, known, registration, audit)))
            .await
    }

    async fn end_linked(
        &self,
        tenant: &TenantId,
        id: &LinkedId,
        at: Millis,
        audit: Vec<AuditRow>,
    ) -> Result<Option<LinkedRow>, StoreError> {
        let one = Statement::new(format!(
            "{COLUMNS} WHERE linked.id = $1 AND linked.tenant = $2 ORDER BY region"
        ))
        .bind(id.as_str())
        .bind(tenant.as_str());
        let mut statements = end(id, at).to_vec();
        statements.extend(audit::append(&audit)?);
        self.write(move |session| {
            Box::pin(async move {
                let before = gathered(&session.all(one.clone()).await?)?;
                let Some(before) = before.into_iter().next() else {
                    return Ok(Verdict::Discard(None));
                };
                if before.gone_at.is_some() {
                    return Ok(Verdict::Discard(Some(before)));
                }
                session.run(statements).await?;
                let after = gathered(&session.all(one).await?)?;
                Ok(Verdict::Keep(after.into_iter().next()))
            })
        })
        .await
    }

    async fn linked(&self, ids: &[LinkedId]) -> Result<Vec<LinkedRow>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let one_of = E::one_of("linked.id", "$1");
        let rows = self
            .read(
                Statement::new(format!(
                    "{COLUMNS} WHERE {one_of} ORDER BY linked.id, region"
                ))
                .bind(texts(ids.iter().map(LinkedId::as_str))?),
            )
            .await?;
        gathered(&rows)
    }

    async fn linked_of(
        &self,
        tenant: &TenantId,
        filter: &LinkedFilter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<LinkedRow>, StoreError> {
        let rows = self
            .read(
                Statement::new(format!(
                    "{COLUMNS} WHERE linked.id IN (SELECT id FROM linked \
                         WHERE tenant = $1 AND sort = $2 AND ($3 IS NULL OR account = $3) \
                             AND ($4 = 1 OR gone_at IS NULL) AND id > $5 ORDER BY id LIMIT $6) \
                     ORDER BY linked.id, region"
                ))
                .bind(tenant.as_str())
                .bind(word(&filter.sort)?)
                .bind(optional_text(filter.account.as_ref()))
                .bind(filter.include_gone)
                .bind(after.unwrap_or_default())
                .bind(one_more(limit)),
            )
            .await?;
        Ok(cut(gathered(&rows)?, limit, |row| row.id.to_string()))
    }
}
