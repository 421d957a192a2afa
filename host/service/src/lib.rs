//! Use cases, one file a method, and the reconciler.
//!
//! A method is a module with an `Input` and `handle(&Service, &Caller, Input)`. Its input is parsed at
//! the edge, so that nothing in here meets a text that does not fit its type. What it refuses, it
//! refuses with a [`ServiceError`]; a refusal leaves nothing but its audit row.

pub mod accounts;
mod ambient;
mod asking;
mod attempt;
pub mod audit;
mod authenticate;
mod bootstrap;
pub mod budgets;
mod caller;
mod canonical;
pub mod cloud_resources;
mod decision;
mod error;
pub mod events;
mod given;
mod grants;
pub mod instances;
mod linked;
mod list;
pub mod networks;
pub mod offers;
mod place;
pub mod plugins;
pub mod policies;
pub mod pools;
pub mod ports;
pub mod prices;
pub mod principals;
pub mod projects;
mod quota;
pub mod quotas;
mod readiness;
pub mod reconcile;
pub mod resources;
pub mod secrets;
mod service;
mod settings;
mod shared_answers;
pub mod tenants;
mod turn;
pub mod usage;
pub mod vault_proof;
pub mod vault_rotation;

pub use ambient::{Clock, Entropy};
pub use bootstrap::{Bootstrapped, bootstrap};
pub use caller::Caller;
pub use error::{Code, ServiceError};
pub use list::{Cursor, Items};
pub use service::{Parts, Service};
pub use settings::{AnswerSettings, AuditSettings, ReadinessSettings, ReconcileSettings, Settings};
