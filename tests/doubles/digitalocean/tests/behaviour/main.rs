//! What the double does, seen over real HTTP on loopback.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on has failed"
)]

mod agents;
mod apps;
mod client;
mod clusters;
mod control;
mod document;
mod faults;
mod functions;
mod inference;
mod load;
mod one_clicks;
mod pools;
mod process;
mod rate;
mod replicas;
mod settings;
mod signals;
mod state;
mod strictness;
mod tags;
mod trust;
mod users;
mod visibility;
mod vpcs;
