//! `pools`: places where resources are created.

pub mod create;
pub mod get;
pub mod list;

mod view;

pub use view::PoolView;
