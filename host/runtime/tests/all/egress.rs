//! What leaves the host, and what does not.

use std::sync::Arc;
use std::time::Duration;

use berth_domain::provider::ProviderError;
use berth_domain::time::Span;
use berth_runtime::*;
use serde_json::{Value, json};

use crate::harness::*;
use crate::log::Lines;
use crate::provider::Reply;

fn step(method: &str, url: &str) -> Value {
    json!({"send": {"method": method, "url": url}})
}

#[tokio::test]
async fn the_host_puts_the_credential_on_and_drops_the_guests() {
    let host = Host::start().await;
    let send = json!([{"send": {
        "method": "GET", "url": "https://api.hostile.test/v2/regions",
        "headers": [["Authorization", "Bearer stolen"], ["proxy-authorization", "x"], ["cookie", "a=b"], ["host", "evil.test"], ["x-http-method-override", "DELETE"], ["accept", "application/json"]]
    }}]);
    host.report(send).await;
    let arrived = host.provider.arrived().remove(0);
    let mut names: Vec<&str> = arrived.headers.keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "authorization", "host", "user-agent"]);
    assert_eq!(
        arrived.headers["authorization"],
        format!("Bearer {CREDENTIAL}")
    );
    assert!(arrived.headers["user-agent"].ends_with("hostile/0.1.0"));
}

#[tokio::test]
async fn what_is_not_declared_granted_and_own_never_leaves() {
    let host = Host::start().await;
    let requests = [
        ("GET", "https://elsewhere.hostile.test/v2/regions"),
        ("GET", "https://evil.test/v2/regions"),
        ("GET", "http://api.hostile.test/v2/regions"),
        ("GET", "https://api.hostile.test:8443/v2/regions"),
        ("GET", "https://169.254.169.254/latest/meta-data"),
        ("GET", "https://127.0.0.1/v2/regions"),
        ("GET", "https://user:pass@api.hostile.test/v2/regions"),
        ("GET", "https://api.hostile.test/v2/account"),
        ("GET", "https://api.hostile.test/v2/dbs/neighbour"),
        (
            "GET",
            "https://api.hostile.test/v2/dbs/own-id%2F..%2Fneighbour",
        ),
        ("GET", "https://api.hostile.test/v2/dbs/own-id/../neighbour"),
        ("GET", "https://api.hostile.test/v2/dbs/%2e%2e"),
        ("GET", "https://api.hostile.test//v2/regions"),
        ("DELETE", "https://api.hostile.test/v2/dbs/own-id"),
        ("POST", "https://api.hostile.test/v2/dbs"),
        ("TRACE", "https://api.hostile.test/v2/regions"),
        ("get", "https://api.hostile.test/v2/regions"),
    ];
    let mut refusals = Vec::new();
    for (method, url) in requests {
        let entry = host.sent(method, url).await;
        refusals.push(format!(
            "{method} {url}\n  {}",
            entry["refused"].as_str().unwrap_or("NOT REFUSED")
        ));
    }
    assert!(
        host.provider.lines().is_empty(),
        "{:?}",
        host.provider.lines()
    );
    insta::assert_snapshot!(refusals.join("\n"));
}

#[tokio::test]
async fn a_write_reaches_the_own_object_alone() {
    let host = Host::start().await;
    let update = async |step: Value| {
        let outcome = host
            .runtime
            .update(
                &host.generation,
                host.call(),
                wanted(json!({"steps": [step]})),
                vec!["size".to_owned()],
            )
            .await;
        assert!(!outcome.wrote);
        report(&outcome.result.unwrap())[0]["refused"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let mut refusals = Vec::new();
    for (method, path) in [
        ("PUT", "/v2/dbs/neighbour"),
        ("DELETE", "/v2/dbs/own-id"),
        ("POST", "/v2/dbs/neighbour/rotate"),
        ("PATCH", "/v2/dbs/own-id"),
    ] {
        refusals.push(format!(
            "{method} {path}\n  {}",
            update(send(method, path, json!({}))).await
        ));
    }
    let label = async |body: Value| {
        let script = json!({"steps": [send("POST", "/v2/tags/mine/resources", body)]});
        let outcome = host
            .runtime
            .label(&host.generation, host.call(), wanted(script))
            .await;
        report(&outcome.result.unwrap())[0]["refused"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    for body in [
        json!({"resources": [{"resource_id": "neighbour"}]}),
        json!({"resources": [{"resource_id": OWN}, {"resource_id": "neighbour"}]}),
        json!({"resources": []}),
        json!("resources[0][resource_id]=neighbour"),
    ] {
        refusals.push(format!("label {body}\n  {}", label(body.clone()).await));
    }
    assert!(host.provider.lines().is_empty() && host.ports.writes.lock().unwrap().is_empty());
    insta::assert_snapshot!(refusals.join("\n"));
}

#[tokio::test]
async fn a_repeated_key_is_sent_as_it_was_checked() {
    let host = Host::start().await;
    let body = json!(
        r#"{"resources":[{"resource_id":"neighbour"}],"resources":[{"resource_id":"own-id"}]}"#
    );
    let script = json!({"steps": [send("POST", "/v2/tags/mine/resources", body)]});
    host.runtime
        .label(&host.generation, host.call(), wanted(script))
        .await
        .result
        .unwrap();
    let arrived = host.provider.arrived().remove(0);
    assert_eq!(arrived.body, r#"{"resources":[{"resource_id":"own-id"}]}"#);
    assert_eq!(arrived.headers["content-type"], "application/json");
}

#[tokio::test]
async fn operations_that_read_can_not_write() {
    let host = Host::start().await;
    let create = json!({"steps": [send("POST", "/v2/dbs", json!({}))]});
    let find = json!({"steps": [send("POST", "/v2/dbs", json!({}))], "answer": {"providerId": "bc-r-own"}});
    let found = host
        .runtime
        .find(&host.generation, host.call(), unknown(find))
        .await
        .result
        .unwrap()
        .unwrap();
    let observed = host.observe(create.clone()).await.result.unwrap();
    let listed = host
        .runtime
        .list(
            &host.generation,
            host.call(),
            "hostile.db",
            None,
            Some(create.to_string()),
        )
        .await
        .result
        .unwrap();
    for seen in [&found, &observed, &listed.items[0]] {
        let refused = report(seen)[0]["refused"].as_str().unwrap().to_owned();
        assert!(refused.contains("only reads"), "{refused}");
    }
    assert!(host.provider.lines().is_empty());
}

#[tokio::test]
async fn a_read_by_post_is_no_write() {
    let host = Host::start().await;
    host.provider
        .on("POST /v2/search", Reply::json(200, &json!({"hits": []})));
    let outcome = host
        .observe(json!({"steps": [send("POST", "/v2/search", json!({"q": 1}))]}))
        .await;
    assert!(!outcome.wrote && host.ports.writes.lock().unwrap().is_empty());
    assert_eq!(host.provider.lines(), ["POST /v2/search"]);
}

#[tokio::test]
async fn a_write_is_journalled_before_it_leaves() {
    let host = Host::start().await;
    host.provider.on(
        "POST /v2/dbs",
        Reply::json(201, &json!({"db": {"id": "fresh"}})),
    );
    let script = || json!({"steps": [send("POST", "/v2/dbs?x=1", json!({"name": "n"}))], "answer": {"providerId": "fresh"}});
    let outcome = host
        .runtime
        .create(&host.generation, host.call(), unknown(script()))
        .await;
    assert!(outcome.wrote && !outcome.lost && !outcome.is_ambiguous());
    let (entry, end) = host.ports.writes.lock().unwrap().remove(0);
    assert_eq!(
        (
            entry.method.as_str(),
            entry.origin.as_str(),
            entry.path.as_str()
        ),
        ("POST", "https://api.hostile.test", "/v2/dbs")
    );
    assert_eq!(entry.body, r#"{"name":"n"}"#);
    assert_eq!(end, Some(Exchange::Answered(201)));

    *host.ports.refuse_writes.lock().unwrap() =
        Some(PortError::Denied("the lease was lost".to_owned()));
    let outcome = host
        .runtime
        .create(
            &host.generation,
            host.call(),
            unknown(
                json!({"steps": [send("POST", "/v2/dbs", json!({}))], "error": ["failed", "no"]}),
            ),
        )
        .await;
    assert!(!outcome.wrote);
    assert_eq!(
        outcome.result.unwrap_err(),
        CallFailure::Host("a write could not be journalled, so it was not sent; the operator finds the cause in the host's log".to_owned())
    );
    assert_eq!(
        host.provider.lines().len(),
        1,
        "sent although the journal refused"
    );
}

#[tokio::test]
async fn a_lost_answer_to_a_write_is_ambiguous_and_so_is_a_crash_after_one() {
    let host = Host::with(Limits {
        http_total_ms: 300,
        ..Limits::default()
    })
    .await;
    let create = async |script: Value| {
        host.runtime
            .create(&host.generation, host.call(), unknown(script))
            .await
    };
    let post = || send("POST", "/v2/dbs", json!({}));

    host.provider.on(
        "POST /v2/dbs",
        Reply::json(
            201,
            &json!({"db": {"id": "fresh", "padding": "x".repeat(1_000)}}),
        )
        .cut(),
    );
    let cut = create(json!({"steps": [post()], "error": ["unavailable", "no answer"]})).await;
    assert!(cut.wrote && cut.lost && cut.is_ambiguous());
    assert!(matches!(
        cut.result,
        Err(CallFailure::Provider(ProviderError::Unavailable(_)))
    ));

    host.provider.on(
        "POST /v2/dbs",
        Reply::json(201, &json!({})).after(Duration::from_secs(5)),
    );
    let late = create(json!({"steps": [post()], "error": ["failed", "no answer"]})).await;
    assert!(late.lost && late.is_ambiguous());

    host.provider.on(
        "POST /v2/dbs",
        Reply::json(201, &json!({"db": {"id": "fresh"}})),
    );
    let crashed = create(json!({"steps": [post(), {"panic": "after the write"}]})).await;
    assert!(crashed.wrote && !crashed.lost && crashed.is_ambiguous());
    let ends: Vec<_> = host
        .ports
        .writes
        .lock()
        .unwrap()
        .iter()
        .map(|(_, end)| *end)
        .collect();
    assert_eq!(
        ends,
        [
            Some(Exchange::Lost),
            Some(Exchange::Lost),
            Some(Exchange::Answered(201))
        ]
    );
}

#[tokio::test]
async fn a_refused_write_and_one_without_a_connection_are_not_ambiguous() {
    let host = Host::start().await;
    let script =
        || json!({"steps": [send("POST", "/v2/dbs", json!({}))], "error": ["failed", "refused"]});
    let refused = host
        .runtime
        .create(&host.generation, host.call(), unknown(script()))
        .await;
    assert!(
        refused.wrote && !refused.is_ambiguous(),
        "the provider answered 404"
    );

    let nobody = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let grant = AccountGrant::build(
        host.generation.manifest(),
        &grant_config(&base),
        host.runtime.limits(),
    )
    .unwrap();
    let call = Call {
        grant: Arc::new(grant),
        ..host.call()
    };
    let unsent = host
        .runtime
        .create(&host.generation, call, unknown(script()))
        .await;
    assert!(!unsent.wrote && !unsent.lost && !unsent.is_ambiguous());
    assert_eq!(
        host.ports.writes.lock().unwrap().last().unwrap().1,
        Some(Exchange::NotSent)
    );
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/regions",
        Reply::json(302, &json!({})).header("location", "http://169.254.169.254/latest"),
    );
    let entry = host
        .sent("GET", "https://api.hostile.test/v2/regions")
        .await;
    assert_eq!(entry["status"], 302);
    assert_eq!(host.provider.lines().len(), 1);
}

#[tokio::test]
async fn an_answer_over_the_limit_is_cut_off() {
    let host = Host::with(Limits {
        http_response_bytes: 10_000,
        ..Limits::default()
    })
    .await;
    host.provider.on(
        "GET /v2/regions",
        Reply::raw(200, "text/plain", "x".repeat(10_001)),
    );
    assert_eq!(
        host.sent("GET", "https://api.hostile.test/v2/regions")
            .await,
        json!({"tooLarge": "10000"})
    );
}

#[tokio::test]
async fn a_request_over_the_limit_is_refused() {
    let host = Host::with(Limits {
        http_request_bytes: 100,
        ..Limits::default()
    })
    .await;
    let report = host
        .report(json!([send("POST", "/v2/search", json!("x".repeat(101)))]))
        .await;
    assert_eq!(
        report[0]["refused"],
        "the body has 101 bytes; at most 100 are sent (`runtime.limits.httpRequestBytes`)"
    );
}

#[tokio::test]
async fn a_body_that_is_odd_or_empty_breaks_nothing() {
    let host = Host::start().await;
    for (status, body) in [
        (204, ""),
        (200, ""),
        (502, "<html><body>Bad Gateway</body></html>"),
        (200, "{\"db\": {\"id\""),
        (200, "null"),
        (200, "[]"),
        (500, "\u{1}\u{2}"),
    ] {
        host.provider
            .on("GET /v2/dbs/own-id", Reply::raw(status, "text/html", body));
        let entry = host
            .sent("GET", "https://api.hostile.test/v2/dbs/own-id")
            .await;
        assert_eq!(entry["status"], status, "{entry}");
    }
}

#[tokio::test]
async fn private_addresses_are_refused_unless_granted() {
    let lines = Lines::default();
    let _guard = lines.capture();
    let host = Host::start().await;
    let port = host.provider.base.rsplit(':').next().unwrap().to_owned();
    let config = GrantConfig {
        allow_private_network: false,
        endpoints: vec![GrantedEndpoint {
            origin: "https://api.hostile.test".to_owned(),
            base_url: Some(format!("http://localhost:{port}")),
        }],
        ..grant_config(&host.provider.base)
    };
    let grant =
        AccountGrant::build(host.generation.manifest(), &config, host.runtime.limits()).unwrap();
    let call = Call {
        grant: Arc::new(grant),
        ..host.call()
    };
    let seen = host
        .runtime
        .observe(
            &host.generation,
            call,
            wanted(json!({"steps": [step("GET", "https://api.hostile.test/v2/regions")]})),
        )
        .await;
    let refused = report(&seen.result.unwrap())[0]["refused"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        refused,
        "the account's grant does not reach the address that the host's name leads to; nothing was sent"
    );
    let log = lines.text();
    assert!(
        log.contains("`localhost` resolves to ")
            && log.contains("the operator can set `allowPrivateNetwork` for the account"),
        "{log}"
    );
    assert!(host.provider.lines().is_empty());
}

#[tokio::test]
async fn the_accounts_budget_is_waited_for_a_little_and_then_told() {
    let host = Host::start().await;
    *host.ports.budget.lock().unwrap() = vec![Budget::WaitFor(Span(20)), Budget::WaitFor(Span(10))];
    host.provider.on(
        "GET /v2/regions",
        Reply::json(429, &json!({}))
            .header("ratelimit-remaining", "0")
            .header("ratelimit-reset", "1700000100")
            .header("retry-after", "7"),
    );
    assert_eq!(
        host.sent("GET", "https://api.hostile.test/v2/regions")
            .await["status"],
        429
    );
    let seen = host.ports.rate.lock().unwrap().remove(0);
    assert_eq!(
        seen,
        RateHeaders {
            status: 429,
            limit: None,
            remaining: Some(0),
            reset: Some(1_700_000_100),
            retry_after: Some(Span::seconds(7))
        }
    );
    *host.ports.budget.lock().unwrap() = vec![Budget::WaitFor(Span(60_000))];
    assert_eq!(
        host.sent("GET", "https://api.hostile.test/v2/regions")
            .await,
        json!({"throttled": "60000"})
    );
    assert_eq!(host.provider.lines().len(), 1);
}

#[tokio::test]
async fn an_absurd_wait_is_heard_as_a_long_one() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/regions",
        Reply::json(429, &json!({})).header("retry-after", "18446744073709551615"),
    );
    let entry = host
        .sent("GET", "https://api.hostile.test/v2/regions")
        .await;
    assert_eq!(entry["status"], 429, "{entry}");
    let seen = host.ports.rate.lock().unwrap().remove(0);
    assert_eq!(seen.retry_after, Some(Span(u64::MAX)));
}

/// What a tenant may read of a failure, and what only the host's log tells.
async fn told(prepare: impl FnOnce(&Recorded), script: Value) -> (String, String) {
    let lines = Lines::default();
    let _guard = lines.capture();
    let host = Host::start().await;
    prepare(&host.ports);
    let mut wanted = wanted(script);
    wanted
        .spec
        .insert("token".to_owned(), json!("secret://acme/app/token"));
    let outcome = host
        .runtime
        .update(
            &host.generation,
            host.call(),
            wanted,
            vec!["script".to_owned()],
        )
        .await;
    assert!(host.provider.lines().is_empty());
    let shown = match outcome.result {
        Ok(seen) => report(&seen)[0]["refused"].to_string(),
        Err(failure) => failure.to_string(),
    };
    (shown, lines.text())
}

#[tokio::test]
async fn a_failure_of_the_hosts_own_tells_its_cause_in_the_log_alone() {
    let internal = || PortError::Denied("sealed with the master key 9918".to_owned());
    let away = || PortError::Unavailable("sealed with the master key 9918".to_owned());
    let put = || json!({"steps": [send("PUT", "/v2/dbs/own-id", json!({}))], "error": ["failed", "refused"]});
    let fill = || json!({"steps": [send("PUT", "/v2/dbs/own-id", json!({"x": "secret://acme/app/token"}))]});
    let store = |error: PortError| {
        move |ports: &Recorded| {
            ports
                .secrets
                .lock()
                .unwrap()
                .insert("secret://acme/app/token".to_owned(), Err(error));
        }
    };
    let told = [
        told(
            |ports| *ports.credential.lock().unwrap() = Some(internal()),
            put(),
        )
        .await,
        told(
            |ports| *ports.refuse_writes.lock().unwrap() = Some(internal()),
            put(),
        )
        .await,
        told(store(away()), put()).await,
        told(store(internal()), fill()).await,
    ];
    let mut shown = Vec::new();
    for (failure, log) in &told {
        let causes: Vec<&str> = log
            .lines()
            .filter(|line| line.contains("sealed with the master key 9918"))
            .collect();
        assert_eq!(causes.len(), 1, "{failure}: {log}");
        assert!(!failure.contains("9918"), "{failure}");
        assert!(
            causes[0].contains("account=acc_")
                && causes[0].contains("resource=crs_")
                && causes[0].contains("run=run_"),
            "{}",
            causes[0]
        );
        shown.push(failure.as_str());
    }
    insta::assert_snapshot!(shown.join("\n"), @r#"
    the host failed to run the plugin: the account's credential can't be used, so nothing was sent; the operator finds the cause in the host's log
    the host failed to run the plugin: a write could not be journalled, so it was not sent; the operator finds the cause in the host's log
    the host failed to run the plugin: the secret store can't be reached, so nothing was sent; the operator finds the cause in the host's log
    "the value of `secret://acme/app/token` can't be put in: it does not open, or may not be used here; store it again, or ask the operator, who finds the cause in the host's log"
    "#);
}
