//! Managed databases.

pub(crate) mod pg;
pub(crate) mod user;
