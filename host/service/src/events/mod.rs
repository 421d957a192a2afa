//! `events`: what was published about a tenant's resources.

pub mod list;
