//! A plugin that takes too much harms only itself.

use std::sync::Arc;
use std::time::Duration;

use berth_runtime::*;
use serde_json::{Value, json};

use crate::harness::*;
use crate::provider::Reply;

fn tight() -> Limits {
    Limits {
        cpu_ms: 200,
        // Far off: on a busy machine a little computing takes long.
        wall_ms: 60_000,
        check_wall_ms: 60_000,
        memory_bytes: 16 << 20,
        output_bytes: 1 << 20,
        ..Limits::default()
    }
}

async fn failure(host: &Host, steps: Value) -> String {
    host.observe(json!({"steps": steps}))
        .await
        .result
        .unwrap_err()
        .to_string()
}

#[tokio::test]
async fn each_excess_gets_its_own_named_error() {
    let host = Host::with(tight()).await;
    let mut errors = Vec::new();
    for steps in [
        json!(["spin"]),
        json!(["allocate"]),
        json!([{"bulk": 2_000_000}]),
        json!([{"random": {"bytes": 1_024, "times": 100}}]),
    ] {
        errors.push(failure(&host, steps).await);
    }
    insta::assert_snapshot!(errors.join("\n"), @r"
    cpuLimit: the plugin computed for more than 200 ms; `runtime.limits.cpuMs` sets the limit
    memoryLimit: the plugin wanted more than 16777216 bytes of memory; `runtime.limits.memoryBytes` sets the limit
    outputLimit: the plugin handed more than 1048576 bytes to the host; `runtime.limits.outputBytes` sets the limit
    randomLimit: the plugin drew more than 65536 random bytes; `runtime.limits.randomBytes` sets the limit
    ");
    // And the host serves on.
    assert!(host.observe(json!({})).await.result.is_ok());
}

#[tokio::test]
async fn a_hundred_megabytes_of_answer_are_stopped_at_the_limit() {
    let limits = Limits {
        memory_bytes: 512 << 20,
        cpu_ms: 60_000,
        ..tight()
    };
    let host = Host::with(Limits {
        concurrent_calls: 2,
        ..limits
    })
    .await;
    assert!(
        failure(&host, json!([{"bulk": 100_000_000}]))
            .await
            .starts_with("outputLimit: the plugin handed more than 1048576 bytes")
    );
}

#[tokio::test]
async fn a_crash_says_what_and_where() {
    let host = Host::with(tight()).await;
    let panic = failure(&host, json!([{"panic": "index out of range"}])).await;
    assert!(
        panic.starts_with(
            "the plugin crashed: wasm trap: wasm `unreachable` instruction executed in "
        ),
        "{panic}"
    );
    assert!(
        panic.contains("guest_hostile::")
            && panic.ends_with("its last error was: index out of range"),
        "{panic}"
    );
    let overflow = failure(&host, json!(["overflow"])).await;
    assert!(overflow.contains("stack"), "{overflow}");
    let greedy = failure(&host, json!([{"random": {"bytes": 1_025, "times": 1}}])).await;
    assert!(
        greedy.contains("asked for 1025 random bytes; at most 1024 are given at once"),
        "{greedy}"
    );
    // Each call has an instance of its own, so nothing of a crash is left.
    assert!(host.observe(json!({})).await.result.is_ok());
}

#[tokio::test]
async fn a_plugin_that_waits_for_ever_ends_at_the_wall_limit() {
    let host = Host::with(Limits {
        cpu_ms: 60_000,
        wall_ms: 1_500,
        ..tight()
    })
    .await;
    host.provider.on(
        "GET /v2/regions",
        Reply::json(200, &json!({})).after(Duration::from_millis(100)),
    );
    let hammer =
        json!([{"hammer": {"method": "GET", "url": "https://api.hostile.test/v2/regions"}}]);
    assert_eq!(
        failure(&host, hammer).await,
        "wallLimit: the call took more than 1500 ms, waiting included; `runtime.limits.wallMs` sets the limit"
    );
}

#[tokio::test]
async fn waiting_for_the_provider_is_not_computing() {
    let host = Host::with(Limits {
        cpu_ms: 200,
        ..Limits::default()
    })
    .await;
    host.provider.on(
        "GET /v2/regions",
        Reply::json(200, &json!({})).after(Duration::from_millis(600)),
    );
    assert_eq!(
        host.report(json!([get("/v2/regions")])).await[0]["status"],
        200
    );
}

#[tokio::test]
async fn others_are_served_while_some_spin() {
    let host = Arc::new(
        Host::with(Limits {
            cpu_ms: 600,
            ..tight()
        })
        .await,
    );
    let spinners: Vec<_> = (0..6)
        .map(|_| {
            let host = host.clone();
            tokio::spawn(async move {
                host.observe(json!({"steps": ["spin"]}))
                    .await
                    .result
                    .unwrap_err()
            })
        })
        .collect();
    for _ in 0..10 {
        assert!(host.observe(json!({})).await.result.is_ok());
    }
    assert!(
        spinners.iter().any(|spinner| !spinner.is_finished()),
        "the good calls waited for the bad ones"
    );
    for spinner in spinners {
        assert_eq!(
            spinner.await.unwrap(),
            CallFailure::Limit(LimitHit::Cpu { millis: 600 })
        );
    }
}

#[tokio::test]
async fn more_calls_than_may_wait_are_refused_at_once() {
    let limits = Limits {
        concurrent_calls: 1,
        concurrent_calls_per_plugin: 1,
        waiting_calls: 1,
        wait_ms: 200,
        cpu_ms: 1_000,
        ..tight()
    };
    let host = Arc::new(Host::with(limits).await);
    let calls: Vec<_> = (0..4)
        .map(|_| {
            let host = host.clone();
            tokio::spawn(async move {
                host.observe(json!({"steps": ["spin"]}))
                    .await
                    .result
                    .unwrap_err()
                    .to_string()
            })
        })
        .collect();
    let mut errors = Vec::new();
    for call in calls {
        errors.push(call.await.unwrap());
    }
    errors.sort();
    errors.dedup();
    insta::assert_snapshot!(errors.join("\n"), @r"
    1 calls wait for a slot already (`runtime.limits.waitingCalls`); try again later
    cpuLimit: the plugin computed for more than 1000 ms; `runtime.limits.cpuMs` sets the limit
    no slot came free within 200 ms (`runtime.limits.waitMs`); 1 calls run at once, 1 of one plugin (`runtime.limits.concurrentCalls`, `concurrentCallsPerPlugin`)
    ");
}

#[tokio::test]
async fn a_flood_of_log_lines_is_cut() {
    let host = Host::with(tight()).await;
    assert!(
        host.observe(json!({"steps": [{"log": {"text": "x".repeat(100), "times": 2_000}}]}))
            .await
            .result
            .is_ok()
    );
}

#[tokio::test]
async fn a_call_sends_only_so_many_requests() {
    let host = Host::with(Limits {
        http_requests: 3,
        ..Limits::default()
    })
    .await;
    let report = host
        .report(json!([
            get("/v2/regions"),
            get("/v2/regions"),
            get("/v2/regions"),
            get("/v2/regions")
        ]))
        .await;
    assert_eq!(
        report[3]["refused"],
        "the call sent 3 requests, which is the most (`runtime.limits.httpRequests`)"
    );
    assert_eq!(host.provider.lines().len(), 3);
}

#[tokio::test]
async fn an_abandoned_call_is_cut_off_and_its_slot_comes_back() {
    let host = Host::with(Limits {
        concurrent_calls: 1,
        cpu_ms: 60_000,
        wall_ms: 60_000,
        wait_ms: 20_000,
        ..Limits::default()
    })
    .await;
    let spin = json!({"steps": ["spin"]});
    assert!(
        tokio::time::timeout(Duration::from_millis(100), host.observe(spin))
            .await
            .is_err()
    );
    assert!(host.observe(json!({})).await.result.is_ok());
}

#[tokio::test]
async fn limits_that_can_not_work_are_named() {
    let recorded = Arc::default();
    let config = |limits| RuntimeConfig {
        limits,
        ..RuntimeConfig::default()
    };
    let error = Runtime::start(
        config(Limits {
            cpu_ms: 1,
            ..Limits::default()
        }),
        ports(&recorded),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`runtime.limits.cpuMs`: 1 is too little: at least 20"
    );
}
