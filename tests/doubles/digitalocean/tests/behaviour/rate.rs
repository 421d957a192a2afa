//! Rate limits.

use double_digitalocean::{Config, RateLimits};

use crate::client::Rig;

async fn limited(rate: RateLimits) -> Rig {
    Rig::with(Config {
        rate,
        ..Config::default()
    })
    .await
}

#[tokio::test]
async fn without_limits_there_are_no_headers() {
    let rig = Rig::frozen().await;
    assert!(
        rig.get("/v2/databases")
            .await
            .header("ratelimit-limit")
            .is_none()
    );
}

#[tokio::test]
async fn a_burst_is_refused_with_a_time_to_wait() {
    let rig = limited(RateLimits {
        enabled: true,
        per_minute: 3,
        ..RateLimits::default()
    })
    .await;
    for left in [4999, 4998, 4997] {
        let reply = rig.get("/v2/databases").await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("ratelimit-limit"), Some("5000"));
        assert_eq!(
            reply.header("ratelimit-remaining").unwrap(),
            left.to_string()
        );
        let reset: u64 = reply.header("ratelimit-reset").unwrap().parse().unwrap();
        assert!(reset > rig.double.log()[0].at / 1000);
    }
    let refused = rig.get("/v2/databases").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.json()["id"], "too_many_requests");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert_eq!(rig.double.objects().rate_refusals, 1);
    rig.double.clear_rate();
    assert_eq!(rig.get("/v2/databases").await.status, 200);
}

#[tokio::test]
async fn the_hourly_limit_gives_no_time_to_wait() {
    let rig = limited(RateLimits {
        enabled: true,
        per_hour: 1,
        ..RateLimits::default()
    })
    .await;
    assert_eq!(rig.get("/v2/databases").await.status, 200);
    let refused = rig.get("/v2/databases").await;
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_none());
    assert_eq!(refused.header("ratelimit-remaining"), Some("0"));
}

#[tokio::test]
async fn windows_can_be_shortened() {
    let rate = RateLimits {
        enabled: true,
        per_minute: 1,
        minute_ms: 30,
        ..RateLimits::default()
    };
    let rig = limited(rate).await;
    let mut allowed = 0;
    while allowed < 3 {
        if rig.get("/v2/databases").await.status == 200 {
            allowed += 1;
        }
    }
}

#[tokio::test]
async fn requests_without_the_token_do_not_count() {
    let rig = limited(RateLimits {
        enabled: true,
        per_minute: 1,
        ..RateLimits::default()
    })
    .await;
    let url = format!("{}/v2/databases", rig.double.base_url());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for _ in 0..3 {
        assert_eq!(http.get(&url).send().await.unwrap().status(), 401);
    }
    assert_eq!(rig.get("/v2/databases").await.status, 200);
}
