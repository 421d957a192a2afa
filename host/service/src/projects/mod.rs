//! `projects`: groups of a tenant's resources, for policies and bills.

pub mod create;
pub mod get;
pub mod list;
