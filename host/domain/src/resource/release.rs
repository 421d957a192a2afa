//! Letting a resource go.

use super::absorb::{Effect, Transition};
use super::event::{EventDraft, EventType};
use super::row::{Desired, Resource, Schedule, State};
use crate::id::ResourceId;
use crate::time::Millis;

/// Why a release is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseRefusal {
    /// It lives in another.
    #[error(
        "the resource lives in `{0}` and can't be released by itself; release that one, or delete this one"
    )]
    InParent(ResourceId),
    /// Nothing of the kind can be let go.
    #[error(
        "a resource of its kind can't be released: its name alone makes it this deployment's; keep it, or delete it"
    )]
    Unsupported,
    /// On its way out.
    #[error("the resource is {0} and can't be released any more")]
    Going(State),
    /// There is nothing to let go.
    #[error("the provider has not accepted the resource yet; delete it instead")]
    NotAccepted,
    /// Resources live in it.
    #[error("{0} live in the resource; delete them first")]
    Children(u32),
}

/// Marks a row to be let go. One that is being released, or is released, stays as it is.
///
/// # Errors
/// What stands against it.
pub fn release(
    mut row: Resource,
    is_releasable: bool,
    live_children: u32,
    now: Millis,
) -> Result<Transition, ReleaseRefusal> {
    if let Some(parent) = &row.parent {
        return Err(ReleaseRefusal::InParent(parent.clone()));
    }
    if !is_releasable {
        return Err(ReleaseRefusal::Unsupported);
    }
    if row.is_releasing() || row.state == State::Released {
        let effects = Vec::new();
        return Ok(Transition { row, effects });
    }
    if row.is_condemned() {
        let state = if row.is_live() {
            State::Deleting
        } else {
            row.state
        };
        return Err(ReleaseRefusal::Going(state));
    }
    if row.provider_id.is_none() || row.is_being_adopted() {
        return Err(ReleaseRefusal::NotAccepted);
    }
    if live_children > 0 {
        return Err(ReleaseRefusal::Children(live_children));
    }
    row.desired = Desired::Released;
    row.schedule = Schedule::at_once(now);
    row.updated_at = now;
    let effects = vec![Effect::Publish(EventDraft::about(
        EventType::Releasing,
        &row,
    ))];
    Ok(Transition { row, effects })
}
