//! `networks`: networks of tenants that specs may name. Operators record them.

pub mod delete;
pub mod get;
pub mod list;
pub mod put;
pub mod sync;

mod view;

pub use crate::linked::{LinkedState, ObjectId, Region};
pub use view::NetworkView;
