//! The reconciler: claims what is due, and makes at the provider what the rows say.
//!
//! [`run`] is the loop. It claims rows under leases and starts a run over each. A run asks the domain
//! what to do ([`berth_domain::resource::next_step`]), does that one thing, has the domain absorb what
//! came of it on the row as it is by then, and stores the result before the next step: so a host may
//! die between any two lines of this folder, and the next run goes on from the row. What crosses a
//! boundary is fenced twice: a write of the row by the lease's epoch and the row's revision, a call of
//! the provider by the time until which the lease was last renewed.

mod arrivals;
mod commit;
mod fault;
mod following;
mod leases;
mod perform;
mod plugins;
mod provider;
mod refresh;
mod run;
mod seal;
mod situation;
mod work;

pub use provider::{Provider, ProviderCall};
pub use work::{run, run_with};
