//! A resource: its row, what a tenant asks of it, what the provider says of it, and the pure
//! functions that turn one row into the next.
//!
//! A run of the reconciler is a loop of two functions. [`next_step`] says what to do with the row as
//! it stands; the service does it; [`absorb`] turns the row and the outcome into the next row and
//! the effects to store with it. Between the two, anybody may have changed the row: `absorb` works on
//! the row of that moment, so a wish that lands while the provider is asked loses nothing.

mod absorb;
mod adopt;
mod command;
mod demand;
mod drift;
mod ending;
mod event;
mod given;
mod ownership;
mod release;
mod row;
mod schedule;
mod step;

pub use absorb::{CallError, CallFault, Effect, Outcome, Transition, absorb, end_meters};
pub use adopt::{Found, adopted_resource};
pub use command::{
    Accepted, Amendment, NewResource, UpdateRefusal, amend, amendable, condemn, new_resource,
};
pub use demand::{Amounts, Demand, exceeds};
pub use ending::{ForgetRefusal, forget};
pub use event::{EventDraft, EventType};
pub use given::{SecretVersions, secrets_named};
pub use ownership::{Claim, Proof, Standing, Unproven, prove, standing};
pub use release::{ReleaseRefusal, release};
pub use row::{Adoption, Desired, Intent, Message, Reason, Resource, Schedule, State};
pub use schedule::{Jitter, Timing, hold_back, postpone};
pub use step::{Facts, ParentFact, Progress, Step, next_step};
