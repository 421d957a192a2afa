//! Generations are swapped while calls run.

use std::sync::Arc;
use std::time::Duration;

use berth_runtime::*;
use serde_json::json;

use crate::harness::*;
use crate::provider::Reply;

#[tokio::test]
async fn activating_swaps_and_running_calls_finish_on_the_old_one() {
    let host = Arc::new(Host::start().await);
    let registry = Registry::default();
    registry.insert(host.generation.clone());
    assert_eq!(
        registry
            .activate(host.generation.digest())
            .unwrap()
            .map(|old| old.digest().clone()),
        None
    );
    assert!(registry.serving("hostile.db").is_some());
    assert!(registry.serving("hostile.none").is_none());
    assert!(registry.serving("other.db").is_none());

    host.provider.on(
        "GET /v2/regions",
        Reply::json(200, &json!({})).after(Duration::from_millis(300)),
    );
    let running = {
        let (host, generation) = (host.clone(), registry.active("hostile").unwrap());
        tokio::spawn(async move {
            host.runtime
                .observe(
                    &generation,
                    host.call(),
                    wanted(json!({"steps": [get("/v2/regions")]})),
                )
                .await
        })
    };
    tokio::time::sleep(Duration::from_millis(50)).await;
    // The same component again, as another version would be.
    let next = host
        .runtime
        .load(&component("guest-hostile"))
        .await
        .unwrap();
    registry.insert(next.clone());
    assert_eq!(
        registry.activate(next.digest()).unwrap().unwrap().digest(),
        host.generation.digest()
    );
    assert!(Arc::ptr_eq(&registry.active("hostile").unwrap(), &next));
    assert!(running.await.unwrap().result.is_ok());
}

#[tokio::test]
async fn what_serves_is_not_removed_and_what_is_not_loaded_not_activated() {
    let host = Host::start().await;
    let registry = Registry::default();
    let digest = host.generation.digest();
    assert!(
        registry
            .activate(digest)
            .unwrap_err()
            .to_string()
            .contains("install the component first")
    );
    registry.insert(host.generation.clone());
    registry.activate(digest).unwrap();
    assert!(
        registry
            .remove(digest)
            .unwrap_err()
            .to_string()
            .contains("activate another one first")
    );
    assert!(registry.deactivate("hostile").is_some());
    assert!(registry.remove(digest).unwrap().is_some());
    assert!(registry.loaded().is_empty());
}
