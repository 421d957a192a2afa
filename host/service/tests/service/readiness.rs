//! Whether a host is ready: whether its store takes writes.

use std::sync::Arc;

use berth_domain::time::Millis;

use crate::harness::{Choices, World};

#[tokio::test]
async fn a_flood_of_questions_writes_once() {
    let world = World::bare(Choices::default()).await;
    let asked: Vec<_> = (0..200)
        .map(|_| {
            let service = Arc::clone(&world.service);
            tokio::spawn(async move { service.ready().await })
        })
        .collect();
    for answer in asked {
        answer.await.unwrap().unwrap();
    }
    // The test's own proof is the second.
    let store = world.service.store();
    assert_eq!(store.prove_writable(Millis(0)).await.unwrap(), 2);
    world.clock.advance(1_000);
    world.service.ready().await.unwrap();
    assert_eq!(store.prove_writable(Millis(0)).await.unwrap(), 4);
}

#[tokio::test]
async fn a_host_whose_store_takes_no_writes_is_not_ready() {
    let world = World::bare(Choices::default()).await;
    world.service.ready().await.unwrap();
    world.service.store().close().await;
    world.clock.advance(1_000);
    world.service.ready().await.unwrap_err();
}
