//! `usage`: what ran, by resource, meter and hour.
//!
//! Usage is nowhere stored: it is counted from spans when it is asked for. So a window that has passed
//! says the same whenever it is asked about, and parts of it add up to the whole.

mod csv;
pub mod export;
pub mod list;
mod page;
mod tally;
mod view;

pub use view::UsageView;
