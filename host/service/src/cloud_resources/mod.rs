//! `cloudResources`: the contract's methods.

pub mod catalog;
pub mod create;
pub mod delete;
pub mod get;
pub mod kinds;
pub mod list;
pub mod signals;
pub mod update;

mod account_answers;
mod capacity;
mod find;
mod reach;
mod references;
mod spec;
mod terms;
mod view;

pub(crate) use find::find;
pub use view::ResourceView;
