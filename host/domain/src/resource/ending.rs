//! The end of a row, and how an operator brings it about where nothing else does.

use super::absorb::{Effect, Transition, end_meters};
use super::event::{EventDraft, EventType};
use super::row::{Desired, Message, Reason, Resource, Schedule, State};
use crate::time::Millis;

/// Failed tries in a row after which a deletion counts as stuck.
const STUCK_AFTER: u32 = 3;

/// Ends a live row: `released` where its object was let go or never became ours, `deleted` otherwise.
pub(super) fn end(mut row: Resource, now: Millis) -> Transition {
    let let_go = row.desired == Desired::Released || row.is_being_adopted();
    let (state, event) = if let_go {
        (State::Released, EventType::Released)
    } else {
        (State::Deleted, EventType::Deleted)
    };
    row.state = state;
    row.message = None;
    row.intent = None;
    row.unapplied.clear();
    row.held.clear();
    row.ended_at = Some(now);
    row.secret_outputs.clear();
    row.schedule = Schedule::never();
    let mut effects = vec![
        Effect::Publish(EventDraft::about(event, &row)),
        Effect::DestroySecrets,
        Effect::RemoveAuthorization,
    ];
    if row.parent.is_some() {
        effects.push(Effect::WakeParent);
    }
    Transition { row, effects }
}

/// Why a row can't be forgotten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForgetRefusal {
    /// It has ended.
    #[error("the resource is {0}; there is nothing left to forget")]
    Ended(State),
    /// Nobody wants it deleted.
    #[error(
        "nobody asked for its deletion; ask with `cloudResources/delete` first, and forget it if that gets stuck"
    )]
    NotCondemned,
    /// Others live in it.
    #[error(
        "{0} resources live in it; they must end first: delete them, or forget those that are stuck"
    )]
    Children(u32),
    /// It may end by itself.
    #[error(
        "its deletion is under way and nothing stands in its way; wait until it ends, or until it shows what it is stuck at"
    )]
    UnderWay,
}

/// Ends a row that can't end otherwise, without asking its provider: what may be there stays there.
///
/// Only what somebody wants deleted is forgotten, and only once deleting it has failed: a healthy row that is
/// forgotten would leave an object behind that goes on costing.
///
/// # Errors
/// What is to be done first.
pub fn forget(row: Resource, live_children: u32, now: Millis) -> Result<Transition, ForgetRefusal> {
    if !row.is_live() {
        return Err(ForgetRefusal::Ended(row.state));
    }
    if row.desired != Desired::Deleted {
        return Err(ForgetRefusal::NotCondemned);
    }
    if live_children > 0 {
        return Err(ForgetRefusal::Children(live_children));
    }
    if !is_stuck(&row) {
        return Err(ForgetRefusal::UnderWay);
    }
    let Transition {
        mut row,
        mut effects,
    } = end(row, now);
    let spans = end_meters(&mut row, now);
    effects.extend(spans.into_iter().map(Effect::Meter));
    Ok(Transition { row, effects })
}

/// A deletion that failed, waits for an operator, or was tried in vain again and again.
fn is_stuck(row: &Resource) -> bool {
    let waits_by_itself = match &row.message {
        None => true,
        Some(Message { reason, .. }) => *reason == Reason::Waiting,
    };
    row.state == State::Error || !waits_by_itself || row.schedule.attempts >= STUCK_AFTER
}
