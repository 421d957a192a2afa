//! A provider need not have everything: what it lacks is said, and what it would take to get it.

use berth_e2e::{World, Yard};
use serde_json::json;

/// rule: CR-071, CR-085
#[tokio::test]
async fn a_provider_without_a_catalog_or_signals_is_unsupported() {
    let world = World::start().await;
    let yard = Yard::start().await;
    let pool = world.yard_pool("root", &yard, "metered").await;
    let tenant = world.tenant("acme").await;
    world.offer(&pool, "acme").await;
    let acme = tenant.on(&pool);
    for method in ["cloudResources/catalog", "cloudResources/signals"] {
        let input = acme.input(json!({"poolId": acme.pool}));
        let refusal = acme.api.refused(method, &input).await;
        assert_eq!(refusal.code, "UNSUPPORTED", "{refusal:#?}");
        assert!(refusal.message.contains("yard"), "{}", refusal.message);
    }
}
