//! The reconciler on a real store, vault and manifest, with a provider that does as each test says.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that can't go on says where"
)]

mod changes;
mod cloud;
mod crashes;
#[path = "../service/harness/mod.rs"]
#[expect(
    dead_code,
    reason = "shared with the tests of the methods, which use the rest"
)]
mod harness;
mod host;
mod linked;
mod lives;
mod plugins;
mod refreshes;
mod story;
