//! End-to-end tests, by theme. Each starts a world of its own.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that panics has failed, which is what it is for"
)]

mod account_answers;
mod adopt;
mod adopt_refusals;
mod adopt_terms;
mod applying;
mod audit;
mod bad_input;
mod bookings;
mod chaos;
mod crash;
mod crash_points;
mod crash_takeovers;
mod create_input;
mod create_refusals;
mod create_spec;
mod crowds;
mod decisions;
mod delete;
mod discover;
mod faults_of_changes;
mod faults_of_creates;
mod forget;
mod full_disk;
mod get;
mod hostile;
mod idempotency;
mod key_rotation;
mod kinds;
mod kinds_agents;
mod kinds_attention;
mod kinds_databases;
mod kinds_documented;
mod kinds_life;
mod kinds_places;
mod lacking;
mod lifecycle;
mod linked;
mod list;
mod metering;
mod names_and_identity;
mod openapi;
mod parents;
mod plugins;
mod quota;
mod refresh;
mod release;
mod release_refusals;
mod rollback;
mod routes;
mod sandbox;
mod secrets;
mod shared_account;
mod start;
mod tenants_apart;
mod terms;
mod update;
mod wild;
