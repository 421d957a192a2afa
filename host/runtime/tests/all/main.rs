//! The runtime with real components, real HTTP on loopback, and a host whose ports record what they
//! are asked.

#![expect(
    clippy::unwrap_used,
    reason = "a test that can't set itself up has failed"
)]

mod account_wide;
mod calls;
mod egress;
mod harness;
mod limits;
mod load;
mod log;
mod provider;
mod registry;
mod secrets;
