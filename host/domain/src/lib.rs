//! The pure core of Berth: ids, types, validation, the resource state machine.
//!
//! Nothing here does I/O, reads a clock or draws randomness: time, ids and entropy are arguments.
//! What is decided here is decided the same way in a test, in a simulation and at three in the morning.

pub mod audit;
pub mod calendar;
pub mod id;
pub mod input;
pub mod label;
pub mod linked;
pub mod manifest;
pub mod metering;
pub mod money;
pub mod platform;
pub mod provider;
pub mod rate;
pub mod redactor;
pub mod resource;
pub mod secret;
pub mod spec;
pub mod time;
