//! No plugin sees what it need not, and nothing that it saw gets out in plain.

use berth_domain::provider::{Observation, ProviderError, Wanted};
use berth_runtime::*;
use serde_json::{Value, json};

use crate::harness::*;
use crate::log::Lines;
use crate::provider::Reply;

fn databases() -> Value {
    json!({"dbs": [
        {"id": "neighbour", "name": "bc-r-neighbour", "connection": {"uri": "postgres://doadmin:canary-1@h.test:25060/d", "password": "canary-2", "host": "h.test"},
         "users": [{"name": "u", "password": "canary-3"}], "token": {"id": "t", "value": "canary-4"}}
    ]})
}

async fn seen_in(host: &Host, path: &str) -> String {
    host.report(json!([get(path)])).await[0]["body"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn a_list_shows_no_neighbours_secrets_though_the_manifest_names_none() {
    let host = Host::start().await;
    host.provider
        .on("GET /v2/dbs", Reply::json(200, &databases()));
    host.provider
        .on("GET /v2/everyone/neighbour", Reply::json(200, &databases()));
    let listed = host
        .runtime
        .list(
            &host.generation,
            host.call(),
            "hostile.db",
            None,
            Some(json!({"steps": [get("/v2/dbs")]}).to_string()),
        )
        .await;
    let listed = report(&listed.result.unwrap().items[0])[0]["body"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = host
        .runtime
        .find(
            &host.generation,
            host.call(),
            unknown(json!({"steps": [get("/v2/dbs")], "answer": {"providerId": "bc-r-own"}})),
        )
        .await;
    let found = report(&found.result.unwrap().unwrap())[0]["body"]
        .as_str()
        .unwrap()
        .to_owned();
    for body in [
        listed,
        found,
        seen_in(&host, "/v2/dbs").await,
        seen_in(&host, "/v2/everyone/neighbour").await,
    ] {
        assert!(!body.contains("canary"), "{body}");
        assert!(
            body.contains("postgres://h.test:25060/d") && body.contains("bc-r-neighbour"),
            "{body}"
        );
    }
}

#[tokio::test]
async fn an_answer_too_odd_for_json_hides_no_secrets_either() {
    let host = Host::start().await;
    let text = databases().to_string();
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for body in [
        text.as_bytes()[..text.len() - 1].to_vec(),
        utf16,
        format!("{text}{text}").into_bytes(),
        format!("\u{feff}{text}").into_bytes(),
    ] {
        host.provider
            .on("GET /v2/dbs", Reply::raw(200, "application/json", body));
        let seen = seen_in(&host, "/v2/dbs").await;
        assert!(!seen.contains("canary"), "{seen}");
    }
    let twice = r#"{"dbs":[{"password":"canary-1","password":""}]}"#;
    host.provider
        .on("GET /v2/dbs", Reply::raw(200, "application/json", twice));
    assert!(!seen_in(&host, "/v2/dbs").await.contains("canary"));
}

fn own_database() -> Value {
    json!({"db": {"id": OWN, "password": "own-canary-1", "opaque": "own-canary-2", "uri": "pg://u:own-canary-3@h/", "neighbour_note": "canary"}})
}

#[tokio::test]
async fn the_own_objects_secrets_are_shown_where_the_path_proves_it() {
    let host = Host::start().await;
    host.provider
        .on("GET /v2/dbs/own-id", Reply::json(200, &own_database()));
    let script = json!({"steps": [get("/v2/dbs/own-id")], "answer": {"outputs": "{}", "secrets": [["password", "$pointer:/db/password"]]}});
    let seen = host.observe(script.clone()).await.result.unwrap();
    assert_eq!(seen.secret_outputs[0].value.expose(), "own-canary-1");
    // The same object in an operation that seals nothing.
    let outcome = host
        .runtime
        .label(&host.generation, host.call(), wanted(script))
        .await;
    assert!(outcome.result.unwrap().secret_outputs.is_empty(), "blanked");
    // Its manifest says that this is another's.
    let note = json!({"steps": [get("/v2/dbs/own-id")], "answer": {"outputs": "{}", "memo": "[$pointer:/db/neighbour_note]"}});
    assert!(host.observe(note).await.result.is_ok());
}

#[tokio::test]
async fn a_child_sees_its_own_secret_and_not_its_siblings() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/dbs/own-id/users/app",
        Reply::json(
            200,
            &json!({"user": {"name": "app", "password": "own-canary-1"}}),
        ),
    );
    host.provider.on(
        "GET /v2/dbs/own-id/users",
        Reply::json(
            200,
            &json!({"users": [{"name": "other", "password": "canary-1"}]}),
        ),
    );
    let observe = async |script: Value| {
        host.runtime
            .observe(&host.generation, host.call(), user(script))
            .await
            .result
            .unwrap()
    };
    let own = observe(json!({"steps": [get("/v2/dbs/own-id/users/app")], "answer": {"outputs": "{}", "secrets": [["password", "$pointer:/user/password"]]}})).await;
    assert_eq!(own.secret_outputs[0].value.expose(), "own-canary-1");
    let siblings =
        observe(json!({"steps": [get("/v2/dbs/own-id/users"), get("/v2/dbs/own-id/users/other")]}))
            .await;
    assert!(!siblings.outputs["report"].to_string().contains("canary"));
    assert!(
        report(&siblings)[1]["refused"]
            .as_str()
            .unwrap()
            .contains("not this call's own object")
    );
}

#[tokio::test]
async fn a_secret_in_plain_is_refused_wherever_it_stands() {
    let host = Host::start().await;
    host.provider
        .on("GET /v2/dbs/own-id", Reply::json(200, &own_database()));
    let mut refusals = Vec::new();
    for secret in ["/db/password", "/db/opaque"] {
        let secret = format!("$pointer:{secret}");
        for answer in [
            json!({"outputs": "{\"report\": $body}"}),
            json!({"outputs": "{}", "spec": secret}),
            json!({"outputs": "{}", "memo": secret}),
            json!({"outputs": "{}", "name": secret}),
            json!({"outputs": "{}", "label": secret}),
            json!({"outputs": "{}", "failed": secret}),
        ] {
            let failure = host
                .observe(json!({"steps": [get("/v2/dbs/own-id")], "answer": answer}))
                .await
                .result
                .unwrap_err();
            assert!(!failure.to_string().contains("canary"));
            refusals.push(failure.to_string());
        }
    }
    let created = json!({"steps": [send("POST", "/v2/dbs", json!({}))], "answer": {"outputs": "{}", "providerId": "$pointer:/token"}});
    host.provider.on(
        "POST /v2/dbs",
        Reply::json(201, &json!({"token": "secret-as-id"})),
    );
    refusals.push(
        host.runtime
            .create(&host.generation, host.call(), unknown(created))
            .await
            .result
            .unwrap_err()
            .to_string(),
    );
    refusals.dedup();
    insta::assert_snapshot!(refusals.join("\n"), @r"
    secretInPlain: the plugin put a secret into `outputs`, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into `spec`, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into `memo`, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into the name, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into a label, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into the failure's message, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into `outputs`, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into `spec`, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into `memo`, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into the name, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into a label, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into the failure's message, where it would be stored or shown; secrets go into secret outputs only
    secretInPlain: the plugin put a secret into the provider id, where it would be stored or shown; secrets go into secret outputs only
    ");
}

/// The own object, with a secret of the tenant in its spec.
fn with_token(script: Value) -> Wanted {
    let mut wanted = wanted(script);
    wanted
        .spec
        .insert("token".to_owned(), json!("secret://acme/app/token"));
    wanted
        .spec
        .insert("note".to_owned(), json!("secret://acme/app/other"));
    wanted
}

async fn update(host: &Host, script: Value) -> Outcome<Observation> {
    host.runtime
        .update(
            &host.generation,
            host.call(),
            with_token(script),
            vec!["token".to_owned()],
        )
        .await
}

fn seal(host: &Host, value: &str) {
    host.ports
        .secrets
        .lock()
        .unwrap()
        .insert("secret://acme/app/token".to_owned(), Ok(value.to_owned()));
    host.ports.secrets.lock().unwrap().insert(
        "secret://acme/app/other".to_owned(),
        Ok("other-canary".to_owned()),
    );
}

#[tokio::test]
async fn a_tenants_secret_is_put_in_on_the_way_out_and_taken_out_on_the_way_back() {
    let host = Host::start().await;
    seal(&host, "tenant-canary-\"1");
    let put = send(
        "PUT",
        "/v2/dbs/own-id",
        json!({"env": [{"value": "secret://acme/app/token"}]}),
    );
    let base64 = "dGVuYW50LWNhbmFyeS0iMQ==";
    host.provider.on("PUT /v2/dbs/own-id", Reply::json(200, &json!({"echo": "tenant-canary-\"1", "url": "https://x/?t=tenant-canary-%221", "b64": base64})));
    let outcome = update(&host, json!({"steps": [put]})).await;
    let seen = outcome.result.unwrap();
    let arrived = host.provider.arrived().remove(0);
    assert_eq!(
        serde_json::from_slice::<Value>(&arrived.body).unwrap()["env"][0]["value"],
        "tenant-canary-\"1"
    );
    let body = report(&seen)[0]["body"].as_str().unwrap().to_owned();
    assert!(
        body.contains("[redacted]") && !body.contains("tenant-canary") && !body.contains(base64),
        "{body}"
    );
    let (entry, _) = host.ports.writes.lock().unwrap().remove(0);
    assert_eq!(
        entry.body,
        r#"{"env":[{"value":"secret://acme/app/token"}]}"#
    );
}

#[tokio::test]
async fn a_provider_that_echoes_a_tenants_secret_later_shows_it_to_no_plugin() {
    let host = Host::start().await;
    seal(&host, "tenant-canary-1");
    host.provider.on(
        "GET /v2/dbs/own-id",
        Reply::json(200, &json!({"db": {"name": "tenant-canary-1"}})),
    );
    let seen = host
        .runtime
        .observe(
            &host.generation,
            host.call(),
            with_token(json!({"steps": [get("/v2/dbs/own-id")]})),
        )
        .await
        .result
        .unwrap();
    assert!(!seen.outputs["report"].to_string().contains("tenant-canary"));
}

#[tokio::test]
async fn only_references_at_marked_fields_of_the_own_row_are_put_in() {
    let host = Host::start().await;
    seal(&host, "tenant-canary-1");
    let mut refusals = Vec::new();
    for reference in [
        "secret://acme/app/other",
        "secret://acme/app/unknown",
        "secret://rival/app/token",
    ] {
        let outcome = update(
            &host,
            json!({"steps": [send("PUT", "/v2/dbs/own-id", json!({"x": reference}))]}),
        )
        .await;
        refusals.push(
            report(&outcome.result.unwrap())[0]["refused"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    let search =
        json!({"steps": [send("POST", "/v2/search", json!({"x": "secret://acme/app/token"}))]});
    refusals.push(
        report(&update(&host, search).await.result.unwrap())[0]["refused"]
            .as_str()
            .unwrap()
            .to_owned(),
    );
    assert!(host.provider.lines().is_empty());
    insta::assert_snapshot!(refusals.join("\n"), @r"
    `secret://acme/app/other` is not put in: it stands nowhere in this resource's spec at a field that the schema marks `x-secret`
    `secret://acme/app/unknown` is not put in: it stands nowhere in this resource's spec at a field that the schema marks `x-secret`
    `secret://rival/app/token` is not put in: it stands nowhere in this resource's spec at a field that the schema marks `x-secret`
    a read carries no SecretRef: values are put into declared writes only
    ");
}

#[tokio::test]
async fn a_secret_store_that_is_away_lets_nothing_out() {
    let host = Host::start().await;
    host.ports.secrets.lock().unwrap().insert(
        "secret://acme/app/token".to_owned(),
        Err(PortError::Unavailable("timed out".to_owned())),
    );
    let outcome = update(&host, json!({"steps": [send("PUT", "/v2/dbs/own-id", json!({}))], "error": ["failed", "refused"]})).await;
    assert_eq!(
        outcome.result.unwrap_err(),
        CallFailure::Host("the secret store can't be reached, so nothing was sent; the operator finds the cause in the host's log".to_owned())
    );
    assert!(host.provider.lines().is_empty());
}

#[tokio::test]
async fn a_deleted_secret_keeps_nobody_from_reading_but_from_writing_it() {
    let host = Host::start().await;
    host.provider
        .on("GET /v2/dbs/own-id", Reply::json(200, &json!({})));
    let steps = json!([
        get("/v2/dbs/own-id"),
        send(
            "PUT",
            "/v2/dbs/own-id",
            json!({"x": "secret://acme/app/token"})
        )
    ]);
    let report = report(&update(&host, json!({"steps": steps})).await.result.unwrap());
    assert_eq!(report[0]["status"], 200);
    assert!(
        report[1]["refused"]
            .as_str()
            .unwrap()
            .contains("there is no secret `secret://acme/app/token`")
    );
}

#[tokio::test]
async fn a_plugins_error_and_crash_lose_the_secrets_in_them() {
    let host = Host::start().await;
    host.provider
        .on("GET /v2/dbs/own-id", Reply::json(200, &own_database()));
    let failure = host
        .observe(
            json!({"steps": [get("/v2/dbs/own-id")], "error": ["failed", "$pointer:/db/password"]}),
        )
        .await
        .result
        .unwrap_err();
    assert_eq!(
        failure,
        CallFailure::Provider(ProviderError::Failed("[redacted]".to_owned()))
    );
    let crash = host
        .observe(json!({"steps": [get("/v2/dbs/own-id"), {"panic": "$pointer:/db/password"}]}))
        .await
        .result
        .unwrap_err();
    assert!(
        crash
            .to_string()
            .ends_with("its last error was: [redacted]"),
        "{crash}"
    );
}

#[tokio::test]
async fn a_credential_that_the_provider_echoes_is_not_shown() {
    let host = Host::start().await;
    host.provider.on(
        "GET /v2/regions",
        Reply::json(400, &json!({"message": format!("bad token {CREDENTIAL}")}))
            .header("x-request-id", CREDENTIAL)
            .header("set-cookie", "session=1"),
    );
    let entry = host
        .sent("GET", "https://api.hostile.test/v2/regions")
        .await;
    assert!(!entry.to_string().contains(CREDENTIAL), "{entry}");
    assert_eq!(headers(&entry)["x-request-id"], "[redacted]");
    assert!(!headers(&entry).contains_key("set-cookie"));
}

#[tokio::test]
async fn log_lines_carry_ids_and_no_secrets() {
    let lines = Lines::default();
    let _guard = lines.capture();
    let host = Host::start().await;
    host.provider
        .on("GET /v2/dbs/own-id", Reply::json(200, &own_database()));
    let steps = json!([get("/v2/dbs/own-id"), {"log": {"text": "read $body", "times": 1}}, {"log": {"text": "x".repeat(100), "times": 2_000}}]);
    let script = json!({"steps": steps, "answer": {"outputs": "{}", "secrets": [["password", "$pointer:/db/password"]]}});
    assert!(host.observe(script).await.result.is_ok());
    let text = lines.text();
    let first = text.lines().find(|line| line.contains("read ")).unwrap();
    assert!(
        first.contains("berth::plugin")
            && first.contains("plugin=\"hostile\"")
            && first.contains("function=\"observe\"")
            && first.contains("resource=crs_"),
        "{first}"
    );
    assert!(
        first.contains("[redacted]") && !text.contains("own-canary"),
        "{first}"
    );
    assert!(text.contains("more lines were dropped"));
}
