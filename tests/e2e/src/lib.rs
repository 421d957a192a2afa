//! The end-to-end harness: the real `berth` program with a real SQLite store and the real `do`
//! component, before a double of the DigitalOcean API, all on loopback.
//!
//! [`World`] is the whole of it. It owns a folder, a double and a host process, and ends them when it
//! is dropped. When it is dropped without a panic it also checks what must hold in every test: no
//! password that the double handed out, and no credential of the account, stands in any file, log
//! line or answer; the host has not panicked; every request to the provider carried the account's
//! credential and nothing else.
//!
//! Tests look at a thing until it is as wanted, a bounded number of times, and never at a clock.
//!
//! What is run comes from `BERTH_BIN` (a file) and `BERTH_COMPONENTS` (a folder), or from where cargo
//! and `cargo xtask` put them.

mod api;
mod host;
mod new;
mod patience;
mod programs;
mod resource;
mod settings;
mod tenant;
mod trace;
mod world;
mod yard;

pub use api::{Answer, Api, Refusal};
pub use new::New;
pub use patience::{LOOKS, eventually, pause};
pub use programs::{Component, base64, berth};
pub use resource::{Resource, names};
pub use settings::Settings;
pub use tenant::{Tenant, everything};
pub use trace::{Canary, Place};
pub use world::{PROVIDER_TOKEN, ROOT_TOKEN, World};
pub use yard::{YARD_TOKEN, Yard};
