//! The life of a resource, step by step and by simulation.
#![expect(clippy::unwrap_used, reason = "a test that can't go on has failed")]

mod adopting;
mod changing;
mod commands;
mod creating;
mod deleting;
mod forgetting;
mod kinds;
mod metering;
mod observing;
mod releasing;
mod scene;
mod simulation;
