//! `cloudResources`: the contract's methods.

pub mod adopt;
pub mod catalog;
pub mod create;
pub mod delete;
pub mod discover;
pub mod get;
pub mod kinds;
pub mod list;
pub mod release;
pub mod signals;
pub mod update;

mod account_answers;
mod capacity;
mod find;
mod labels;
mod own_account;
mod reach;
mod recording;
mod references;
mod spec;
mod terms;
mod view;

pub(crate) use find::find;
pub(crate) use labels::labelled_row;
pub use view::ResourceView;
