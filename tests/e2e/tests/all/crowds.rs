//! More calls at once than the host serves.

use berth_e2e::{New, Refusal, World};
use futures_util::future::join_all;

/// One request more than the host serves at once is told to come back, and when.
#[tokio::test]
async fn a_host_that_is_full_says_when_to_come_back() {
    let world = World::with(|settings| {
        settings.set("api.concurrency", "2");
    })
    .await;
    let acme = world.tenant("acme").await;
    let bodies: Vec<_> = (0..40)
        .map(|index| acme.body(&New::app(&format!("app-{index}"))))
        .collect();
    let all = join_all(
        bodies
            .iter()
            .map(|body| acme.api.try_call("cloudResources/create", body)),
    )
    .await;
    let mut full = 0;
    for answer in all {
        let answer = answer.unwrap();
        match answer.result() {
            Ok(_) => {}
            Err(refusal) if refusal.code == "QUOTA_EXCEEDED" => {}
            Err(refusal) => {
                refusal.is("RATE_LIMITED", "");
                assert!(
                    refusal.message.contains("api.concurrency"),
                    "{}",
                    refusal.message
                );
                assert!(answer.headers.contains_key("retry-after"));
                full += 1;
            }
        }
    }
    assert!(
        full > 0,
        "forty calls at once were served two at a time without anybody noticing"
    );
    acme.list().await;
}

/// A tenant that calls too much at once holds up itself and no other.
#[tokio::test]
async fn a_tenant_at_its_limit_is_told_and_others_are_served() {
    let world = World::with(|settings| {
        settings.set("api.concurrencyPerTenant", "1");
    })
    .await;
    let acme = world.tenant("acme").await;
    let umbrella = world.tenant("umbrella").await;
    let bodies: Vec<_> = (0..20)
        .map(|index| acme.body(&New::app(&format!("app-{index}"))))
        .collect();
    let many = join_all(
        bodies
            .iter()
            .map(|body| acme.api.call("cloudResources/create", body)),
    );
    let others = async {
        for _ in 0..5 {
            umbrella.list().await;
        }
    };
    let (all, ()) = tokio::join!(many, others);
    let refused: Vec<Refusal> = all.into_iter().filter_map(Result::err).collect();
    assert!(
        !refused.is_empty(),
        "twenty calls at once were served one at a time without anybody noticing"
    );
    for refusal in refused {
        refusal.is("RATE_LIMITED", "");
        assert!(
            refusal.message.contains("api.concurrencyPerTenant"),
            "{}",
            refusal.message
        );
    }
}
