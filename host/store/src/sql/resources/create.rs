//! Storing a new resource: one read of all that may stand against it, one write.

use berth_domain::id::ResourceId;
use berth_domain::resource::{Amounts, Resource, State};

use super::super::row::read;
use super::super::{Row, Session, Statement, Verdict, audit, capacity, events};
use super::columns::{INSERT, changing, fixed};
use super::read::read_in;
use crate::{CreateChange, CreateOutcome, StoreError, StoredResource};

const CHECKS: &str = "SELECT \
    (SELECT taken.id FROM resources taken WHERE taken.id = $1) AS same_id, \
    (SELECT COUNT(*) FROM resources counted \
        WHERE counted.tenant = $2 AND counted.kind = $3 AND counted.live = 1) AS live, \
    (SELECT named.id FROM resources named \
        WHERE named.tenant = $2 AND named.kind = $3 AND named.name = $4 AND named.live = 1) AS same_name, \
    CASE WHEN $5 IS NULL THEN \
        (SELECT alike.id FROM resources alike \
            WHERE alike.account = $6 AND alike.kind = $3 AND alike.identity = $7 \
                AND alike.parent IS NULL AND alike.live = 1) \
    ELSE \
        (SELECT alike.id FROM resources alike \
            WHERE alike.parent = $5 AND alike.kind = $3 AND alike.identity = $7 \
                AND alike.parent IS NOT NULL AND alike.live = 1) \
    END AS same_identity, \
    (SELECT recorded.id FROM resources recorded \
        WHERE recorded.account = $6 AND recorded.kind = $3 AND COALESCE(recorded.parent, '') = COALESCE($5, '') \
            AND recorded.provider_id = $8 AND recorded.live = 1) AS same_object, \
    parent.id AS parent, parent.tenant AS parent_tenant, parent.kind AS parent_kind, \
    parent.account AS parent_account, parent.desired AS parent_desired, parent.state AS parent_state \
    FROM (SELECT 1 AS one) once LEFT JOIN resources parent ON parent.id = $5";

/// Stores a resource, or says what stands against it.
pub(super) async fn create(
    session: &mut dyn Session,
    change: CreateChange,
) -> Result<Verdict<CreateOutcome>, StoreError> {
    let row = &change.row;
    let checks = session
        .one(
            Statement::new(CHECKS)
                .bind(row.id.as_str())
                .bind(row.tenant.as_str())
                .bind(row.kind.as_str())
                .bind(row.name.as_str())
                .bind(row.parent.as_ref().map(ResourceId::as_str))
                .bind(row.account.as_str())
                .bind(row.identity.as_deref())
                .bind(row.provider_id.as_deref()),
        )
        .await?
        .ok_or_else(|| StoreError::Failed("the checks of a create returned nothing".to_owned()))?;
    if checks.optional_text("same_id")?.is_some() {
        let standing = read_in(session, &row.id).await?;
        return Ok(Verdict::Discard(CreateOutcome::Exists(Box::new(standing))));
    }
    if let Some(refusal) = refusal(&change, &checks)? {
        return Ok(Verdict::Discard(refusal));
    }
    let nothing = Amounts::new();
    if let Some(shortage) =
        capacity::shortage(session, row, &nothing, change.default_capacity).await?
    {
        return Ok(Verdict::Discard(CreateOutcome::CapacityExceeded(shortage)));
    }

    let mut statements = vec![
        Statement::new(INSERT)
            .bind_all(fixed(row)?)
            .bind_all(changing(row)?),
    ];
    statements.extend(events::publish(row, &change.events, row.created_at)?);
    statements.extend(audit::append(&change.audit)?);
    session.run(statements).await?;
    Ok(Verdict::Keep(CreateOutcome::Created(Box::new(
        StoredResource {
            row: change.row,
            revision: 1,
        },
    ))))
}

/// In the order that the interface promises.
fn refusal(change: &CreateChange, checks: &Row) -> Result<Option<CreateOutcome>, StoreError> {
    if let Some(refusal) = parent_refusal(change, checks)? {
        return Ok(Some(refusal));
    }
    if let Some(id) = checks.optional_parsed("same_identity")? {
        return Ok(Some(CreateOutcome::IdentityTaken(id)));
    }
    if let Some(id) = checks.optional_parsed("same_object")? {
        return Ok(Some(CreateOutcome::ObjectTaken(id)));
    }
    if let Some(id) = checks.optional_parsed("same_name")? {
        return Ok(Some(CreateOutcome::NameTaken(id)));
    }
    let live: u32 = checks.count("live")?;
    if live >= change.quota {
        return Ok(Some(CreateOutcome::QuotaExceeded {
            limit: change.quota,
        }));
    }
    Ok(None)
}

fn parent_refusal(
    change: &CreateChange,
    checks: &Row,
) -> Result<Option<CreateOutcome>, StoreError> {
    let Some(wanted) = &change.row.parent else {
        let fits = change.parent_kinds.is_empty();
        return Ok((!fits).then_some(CreateOutcome::NoParent));
    };
    let found: Option<ResourceId> = checks.optional_parsed("parent")?;
    if found.as_ref() != Some(wanted) || !fits(&change.row, change, checks)? {
        return Ok(Some(CreateOutcome::NoParent));
    }
    let state: State = read("resources", checks, |checks| checks.parsed("parent_state"))?;
    let going = checks.text("parent_desired")? != "present";
    Ok(if state.is_ended() {
        Some(CreateOutcome::ParentGoing(state))
    } else if going {
        Some(CreateOutcome::ParentGoing(State::Deleting))
    } else {
        None
    })
}

fn fits(row: &Resource, change: &CreateChange, checks: &Row) -> Result<bool, StoreError> {
    let kind = checks.text("parent_kind")?;
    Ok(checks.text("parent_tenant")? == row.tenant.as_str()
        && checks.text("parent_account")? == row.account.as_str()
        && change
            .parent_kinds
            .iter()
            .any(|allowed| allowed.as_str() == kind))
}
