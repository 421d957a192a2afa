//! The use cases on a real store, a real vault and real components.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on says where"
)]

mod around;
mod audit_chain;
mod catalog;
mod create;
mod decisions;
mod delete;
mod harness;
mod hostile;
mod kinds;
mod linked;
mod list;
mod named;
mod parents;
mod plugins;
mod provider;
mod readiness;
mod refusals;
mod replay;
mod secret_refs;
mod secrets;
mod signals;
mod specs;
mod terms;
mod tokens;
mod update;
