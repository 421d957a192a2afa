//! `offers`: which tenants may use which of the platform's pools. Operators make and withdraw them.

pub mod create;
pub mod delete;
pub mod list;
mod regions;
pub mod update;
