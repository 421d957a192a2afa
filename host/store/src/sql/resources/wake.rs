//! Asking that a row be looked at at once.
//!
//! A wake is no write: the revision stays, so it makes no tenant's or run's write fail. Instead it is
//! noted in `woken`, and until the next claim no write moves `next_run_at` back. So a wake that lands in
//! the middle of a run, or between a tenant's read and write, is not lost.

use berth_domain::id::ResourceId;
use berth_domain::time::Millis;

use super::super::Statement;

macro_rules! wake {
    ($which:literal) => {
        concat!(
            "UPDATE resources SET woken = 1, next_run_at = CASE \
                 WHEN next_run_at IS NULL OR next_run_at > $2 THEN $2 ELSE next_run_at END \
             WHERE ",
            $which,
            " = $1 AND live = 1"
        )
    };
}

/// Wakes a live resource.
pub(super) fn wake(id: &ResourceId, now: Millis) -> Statement {
    Statement::new(wake!("id")).bind(id.as_str()).bind(now)
}

/// Wakes the live resources that live in one.
pub(super) fn wake_children(parent: &ResourceId, now: Millis) -> Statement {
    Statement::new(wake!("parent"))
        .bind(parent.as_str())
        .bind(now)
}
