//! `cloudResources`: the contract's methods.

pub mod create;
pub mod delete;
pub mod get;
pub mod kinds;
pub mod list;
pub mod update;

mod find;
mod reach;
mod references;
mod spec;
mod view;

pub use view::ResourceView;
