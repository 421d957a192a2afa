//! Writing existing rows, by a tenant's wish: all or nothing, fenced by revisions.

use berth_domain::resource::Resource;

use super::super::row::read;
use super::super::{Session, Statement, Verdict, audit, capacity, events, metering};
use super::columns::{changing, set_changing_columns};
use super::read::read_in;
use super::wake::wake;
use crate::{StoreError, UpdateChange, UpdateOutcome};

/// A write under a running lease asks for a look after the run: the run began before the wish.
const UPDATE: &str = concat!(
    "UPDATE resources SET ",
    set_changing_columns!(),
    ", woken = CASE WHEN lease_until IS NULL THEN woken ELSE 1 END \
     WHERE id = $34 AND revision = $35 RETURNING id, revision"
);

/// The statement that writes a row: returns the new revision if nobody wrote first.
pub(super) fn write(change: &UpdateChange) -> Result<Statement, StoreError> {
    Ok(Statement::new(UPDATE)
        .bind_all(changing(&change.row)?)
        .bind(change.row.id.as_str())
        .bind(change.revision))
}

/// The spans, events and audit rows that go with a row's write.
pub(super) fn accompany(change: &UpdateChange) -> Result<Vec<Statement>, StoreError> {
    let mut statements = metering::record(&change.row, &change.spans);
    statements.extend(events::publish(
        &change.row,
        &change.events,
        change.row.updated_at,
    )?);
    statements.extend(audit::append(&change.audit)?);
    Ok(statements)
}

/// Writes rows, all or none.
pub(super) async fn update(
    session: &mut dyn Session,
    changes: Vec<UpdateChange>,
) -> Result<Verdict<UpdateOutcome>, StoreError> {
    for change in &changes {
        let Some(default) = change.books else {
            continue;
        };
        let standing = read_in(session, &change.row.id).await?;
        if standing.revision != change.revision {
            return Ok(Verdict::Discard(UpdateOutcome::Changed(Box::new(standing))));
        }
        let held = &standing.row.held;
        if let Some(shortage) = capacity::shortage(session, &change.row, held, default).await? {
            return Ok(Verdict::Discard(UpdateOutcome::CapacityExceeded(shortage)));
        }
    }
    let mut statements = changes.iter().map(write).collect::<Result<Vec<_>, _>>()?;
    for change in &changes {
        statements.extend(accompany(change)?);
    }
    let sets = session.run(statements).await?;
    for (change, rows) in changes.iter().zip(&sets) {
        if rows.is_empty() {
            let standing = read_in(session, &change.row.id).await?;
            return Ok(Verdict::Discard(UpdateOutcome::Changed(Box::new(standing))));
        }
    }
    match sets.first().and_then(|rows| rows.first()) {
        Some(row) => {
            let revision = read("resources", row, |row| row.count("revision"))?;
            Ok(Verdict::Keep(UpdateOutcome::Stored(revision)))
        }
        None => Err(StoreError::Failed("an update of no row".to_owned())),
    }
}

/// Writes a row that has ended, with what goes with that.
pub(super) async fn end(
    session: &mut dyn Session,
    change: UpdateChange,
) -> Result<Verdict<UpdateOutcome>, StoreError> {
    let destroy = destroy_secrets(&change.row);
    let parent = change.row.parent.clone();
    let now = change.row.ended_at.unwrap_or(change.row.updated_at);
    let outcome = update(session, vec![change]).await?;
    if let Verdict::Keep(UpdateOutcome::Stored(_)) = &outcome {
        let mut following = vec![destroy];
        following.extend(parent.map(|parent| wake(&parent, now)));
        session.run(following).await?;
    }
    Ok(outcome)
}

/// The statement that destroys all secrets that are outputs of a row.
pub(super) fn destroy_secrets(row: &Resource) -> Statement {
    Statement::new("DELETE FROM secrets WHERE resource = $1 AND tenant = $2")
        .bind(row.id.as_str())
        .bind(row.tenant.as_str())
}
