//! `audit`: what was done and what was refused.

pub mod list;
