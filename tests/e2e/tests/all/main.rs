//! End-to-end tests, by theme. Each starts a world of its own.

mod bad_input;
mod crash;
mod create_input;
mod create_refusals;
mod decisions;
mod delete;
mod faults_of_changes;
mod faults_of_creates;
mod get;
mod idempotency;
mod kinds;
mod lifecycle;
mod list;
mod names_and_identity;
mod openapi;
mod parents;
mod plugins;
mod quota;
mod refresh;
mod sandbox;
mod secrets;
mod tenants_apart;
mod update;
