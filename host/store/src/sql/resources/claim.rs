//! Leases: claiming due work, keeping it, giving it up.

use std::collections::BTreeSet;

use berth_domain::id::ResourceId;
use berth_domain::time::{Millis, Span};

use super::super::row::read;
use super::super::statement::json;
use super::super::{Engine, Row, SqlStore, Statement, Verdict};
use super::columns::stored;
use crate::{Claim, ClaimRequest, StoreError};

/// A refresh of a row that rests (`ready`, `error`) counts as due so much later than what somebody waits
/// for, so that under load a tenant's write goes first, and yet no refresh waits for ever.
const REFRESH_YIELDS: Span = Span::minutes(1);

impl<E: Engine> SqlStore<E> {
    pub(super) async fn claim_due(&self, request: ClaimRequest) -> Result<Vec<Claim>, StoreError> {
        let statement = Statement::new(E::CLAIM)
            .bind(request.now)
            .bind(request.limit)
            .bind(request.per_account)
            .bind(request.host.as_str())
            .bind(request.now + request.lease)
            .bind(REFRESH_YIELDS);
        self.write(move |session| {
            Box::pin(async move {
                let rows = session.all(statement).await?;
                let mut claims = Vec::with_capacity(rows.len());
                for row in &rows {
                    match claim(row) {
                        Ok(claim) => claims.push(claim),
                        // It keeps its lease, so that it is not met again at once; the others go on.
                        Err(StoreError::Unreadable(problem)) => {
                            tracing::error!(
                                problem,
                                "a row that is due can't be read and is left alone"
                            );
                        }
                        Err(other) => return Err(other),
                    }
                }
                // RETURNING promises no order.
                claims.sort_by(|a, b| {
                    let due = |claim: &Claim| claim.stored.row.schedule.next_run_at;
                    (due(a), &a.stored.row.id).cmp(&(due(b), &b.stored.row.id))
                });
                Ok(Verdict::Keep(claims))
            })
        })
        .await
    }

    pub(super) async fn renew_leases(
        &self,
        host: &str,
        leases: &[(ResourceId, u64)],
        until: Millis,
    ) -> Result<Vec<ResourceId>, StoreError> {
        let held: Vec<String> = leases
            .iter()
            .map(|(id, epoch)| lease_name(id, *epoch))
            .collect();
        let text = format!(
            "UPDATE resources SET lease_until = $1 \
             WHERE lease_host = $2 AND lease_until IS NOT NULL AND {} RETURNING id, lease_epoch",
            E::one_of("id || ':' || lease_epoch", "$3")
        );
        let statement = Statement::new(text)
            .bind(until)
            .bind(host)
            .bind(json(&held)?);
        let kept: BTreeSet<String> = self
            .write(move |session| {
                Box::pin(async move {
                    let rows = session.all(statement).await?;
                    let kept = rows
                        .iter()
                        .map(|row| {
                            read("resources", row, |row| {
                                Ok(lease_name(&row.parsed("id")?, row.count("lease_epoch")?))
                            })
                        })
                        .collect::<Result<_, StoreError>>()?;
                    Ok(Verdict::Keep(kept))
                })
            })
            .await?;
        Ok(leases
            .iter()
            .filter(|(id, epoch)| !kept.contains(&lease_name(id, *epoch)))
            .map(|(id, _)| id.clone())
            .collect())
    }

    pub(super) async fn give_up_lease(
        &self,
        id: &ResourceId,
        epoch: u64,
    ) -> Result<(), StoreError> {
        // One that is another's by now is left alone: there is nothing to give up.
        let statement = Statement::new(
            "UPDATE resources SET lease_host = NULL, lease_until = NULL \
             WHERE id = $1 AND lease_epoch = $2",
        )
        .bind(id.as_str())
        .bind(epoch);
        self.write(move |session| {
            Box::pin(async move {
                session.run(vec![statement]).await?;
                Ok(Verdict::Keep(()))
            })
        })
        .await
    }
}

fn claim(row: &Row) -> Result<Claim, StoreError> {
    Ok(Claim {
        stored: stored(row)?,
        epoch: read("resources", row, |row| row.count("lease_epoch"))?,
    })
}

fn lease_name(id: &ResourceId, epoch: u64) -> String {
    format!("{id}:{epoch}")
}
