//! Storing what a run learnt: fenced by lease and revision, with everything that goes with it.

use super::super::row::read;
use super::super::{Session, Statement, Verdict, audit, events, metering, secrets};
use super::columns::stored;
use super::columns::{changing, resource_columns, set_changing_columns};
use super::update::{accompany, destroy_secrets, write};
use super::wake::{wake, wake_children};
use crate::{Committed, RunChange, StoreError};

const COMMIT: &str = concat!(
    "UPDATE resources SET ",
    set_changing_columns!(),
    ", lease_host = CASE WHEN $36 = 1 THEN lease_host END, \
       lease_until = CASE WHEN $36 = 1 THEN lease_until END \
     WHERE id = $34 AND revision = $35 AND lease_epoch = $37 AND lease_host IS NOT NULL \
     RETURNING id, revision"
);

const STANDING: &str = concat!(
    "SELECT ",
    resource_columns!(),
    ", lease_epoch, lease_host FROM resources WHERE id = $1"
);

/// Stores a run's change set, or none of it.
pub(super) async fn commit(
    session: &mut dyn Session,
    change: RunChange,
) -> Result<Verdict<Committed>, StoreError> {
    let children = change.children.len();
    let sealed = change.secrets.len();
    let mut statements = vec![
        Statement::new(COMMIT)
            .bind_all(changing(&change.row)?)
            .bind(change.row.id.as_str())
            .bind(change.revision)
            .bind(change.keep_lease)
            .bind(change.epoch),
    ];
    for child in &change.children {
        statements.push(write(child)?);
    }
    if change.destroy_secrets {
        statements.push(destroy_secrets(&change.row));
    }
    let first_secret = statements.len();
    statements.extend(change.secrets.iter().map(secrets::put));
    statements.extend(rest(&change)?);

    let sets = session.run(statements).await?;
    let Some(row) = sets.first().and_then(|rows| rows.first()) else {
        return refused(session, &change).await.map(Verdict::Discard);
    };
    let revision = read("resources", row, |row| row.count("revision"))?;
    for (secret, rows) in change
        .secrets
        .iter()
        .zip(sets.iter().skip(first_secret).take(sealed))
    {
        if rows.is_empty() {
            let refusal = secrets::refusal(session, secret).await?;
            return Ok(Verdict::Discard(Committed::Unsealed(refusal)));
        }
    }

    // A child that somebody wrote meanwhile is left alone: it publishes nothing.
    let mut following = Vec::new();
    for (child, rows) in change
        .children
        .iter()
        .zip(sets.iter().skip(1).take(children))
    {
        if !rows.is_empty() {
            following.extend(accompany(child)?);
        }
    }
    if !following.is_empty() {
        session.run(following).await?;
    }
    Ok(Verdict::Keep(Committed::Stored(revision)))
}

/// What goes with the row whatever becomes of its children.
fn rest(change: &RunChange) -> Result<Vec<Statement>, StoreError> {
    let mut statements = metering::record(&change.row, &change.spans);
    statements.extend(events::publish(&change.row, &change.events, change.now)?);
    if change.wake_children {
        statements.push(wake_children(&change.row.id, change.now));
    }
    if change.wake_parent
        && let Some(parent) = &change.row.parent
    {
        statements.push(wake(parent, change.now));
    }
    statements.extend(audit::append(&change.audit)?);
    Ok(statements)
}

/// Whose write or claim came first.
async fn refused(session: &mut dyn Session, change: &RunChange) -> Result<Committed, StoreError> {
    let statement = Statement::new(STANDING).bind(change.row.id.as_str());
    let Some(row) = session.one(statement).await? else {
        return Ok(Committed::LeaseLost);
    };
    let (epoch, host): (u64, Option<String>) = read("resources", &row, |row| {
        Ok((row.count("lease_epoch")?, row.optional_text("lease_host")?))
    })?;
    if epoch != change.epoch || host.is_none() {
        return Ok(Committed::LeaseLost);
    }
    Ok(Committed::Changed(Box::new(stored(&row)?)))
}
