//! What is told of a whole account.

use berth_runtime::*;
use serde_json::{Value, json};

use crate::harness::*;
use crate::provider::Reply;

/// rule: CR-082
#[tokio::test]
async fn a_malformed_signal_is_dropped_and_the_others_are_told() {
    let host = Host::start().await;
    let good = json!({"id": "good", "severity": "critical", "title": "fine", "detail": "x".repeat(500),
        "at": NOW.0, "kind": "hostile.db", "providerId": "db-1"});
    let wrong = [
        json!({"id": ""}),
        json!({"id": "i".repeat(201)}),
        json!({"id": "two\nlines"}),
        json!({"title": " "}),
        json!({"title": "two\nlines"}),
        json!({"title": "two\u{2028}lines"}),
        json!({"title": "t".repeat(501)}),
        json!({"detail": "two\r\nlines"}),
        json!({"detail": "x".repeat(501)}),
        json!({"at": 0}),
        json!({"at": u64::MAX}),
        json!({"at": NOW.0 + 86_400_001}),
        json!({"kind": "hostile.nothing"}),
        json!({"kind": ""}),
        json!({"providerId": ""}),
        json!({"providerId": "no id of a database"}),
    ];
    let mut told: Vec<Value> = wrong
        .into_iter()
        .map(|wrong| {
            let mut signal = good.clone();
            for (field, value) in wrong.as_object().unwrap() {
                signal[field] = value.clone();
            }
            signal
        })
        .collect();
    let mut plain = good.clone();
    plain["id"] = json!("plain");
    plain["at"] = json!(NOW.0 - 1);
    plain["detail"] = json!("");
    told.insert(3, plain);
    told.insert(9, good);
    host.provider
        .on("GET /v2/signals", Reply::json(200, &json!(told)));
    let signals = host.runtime.signals(&host.generation, host.call()).await;
    let signals = signals.result.unwrap();
    let ids: Vec<&str> = signals.iter().map(|signal| signal.id.as_str()).collect();
    assert_eq!(ids, ["good", "plain"]);
    assert_eq!(signals[0].detail.as_ref().unwrap().len(), 500);
    assert_eq!(signals[1].detail, None);
}

#[tokio::test]
async fn of_too_many_signals_the_newest_are_kept() {
    let limits = Limits {
        signals: 3,
        applications: 2,
        ..Limits::default()
    };
    let host = Host::with(limits).await;
    let signal = |at: i64| json!({"id": at.to_string(), "title": "t", "at": at, "kind": "hostile.db", "providerId": "db-1"});
    let told: Vec<Value> = [3, 1, 5, 2, 4].map(signal).to_vec();
    host.provider
        .on("GET /v2/signals", Reply::json(200, &json!(told)));
    let signals = host.runtime.signals(&host.generation, host.call()).await;
    let ids: Vec<String> = signals
        .result
        .unwrap()
        .into_iter()
        .map(|signal| signal.id)
        .collect();
    assert_eq!(ids, ["5", "4", "3"]);
    let application = |slug: &str| json!({"slug": slug, "title": slug, "on": "instance"});
    let told = json!([application("a"), {"slug": "", "title": "none"}, {"slug": "b", "title": " "}, application("c"), application("d")]);
    host.provider.on("GET /v2/catalog", Reply::json(200, &told));
    let found = host
        .runtime
        .catalog(&host.generation, host.call(), None)
        .await;
    let slugs: Vec<String> = found
        .result
        .unwrap()
        .into_iter()
        .map(|found| found.slug)
        .collect();
    assert_eq!(slugs, ["a", "c"]);
}
