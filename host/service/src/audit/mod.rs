//! `audit`: what was decided and done, and the chain that shows whether it was tampered with.

pub mod list;
pub mod seal;
pub mod verify;
