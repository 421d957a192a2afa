//! The harness itself.

use berth_e2e::World;

/// The double alone, without a host.
#[tokio::test]
async fn nothing() {
    let _ = World::start;
}
