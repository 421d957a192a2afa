//! What a hostile plugin can't reach: other objects, other secrets, other hosts.

use berth_e2e::{Canary, New};
use double_digitalocean::{Authorization, Fault, FaultBody};
use serde_json::{Value, json};

use crate::hostile::{hostile, report, send, with_hostile};

/// rule: CR-002, CR-207
#[tokio::test]
async fn it_can_not_write_to_a_neighbours_object() {
    let (world, acme) = with_hostile(json!({})).await;
    let victim = acme.on(&world.pool).ready(&New::pg("orders")).await;
    let from = world.next_request();
    let victim = victim.provider_id();
    let mut steps = Vec::new();
    for path in [
        format!("/v2/dbs/{victim}"),
        format!("/v2/databases/{victim}"),
        format!("/v2/dbs/..%2fdatabases%2f{victim}"),
        format!("/v2/dbs/../databases/{victim}"),
        format!("/v2/dbs/x/../../databases/{victim}"),
        format!("/v2//databases/{victim}"),
    ] {
        steps.push(send("PUT", &path));
        steps.push(send("DELETE", &path));
    }
    steps.push(send("POST", "/v2/databases"));
    let steps_made = steps.len();
    let db = acme.ready(&hostile("evil", json!({"steps": steps}))).await;
    let report = report(&db);
    assert_eq!(report.as_array().unwrap().len(), steps_made);
    for step in report.as_array().unwrap() {
        let refused = step["refused"]
            .as_str()
            .unwrap_or_else(|| panic!("it was sent: {step}"));
        assert!(!refused.is_empty());
    }
    assert!(
        world.writes_since(from).is_empty(),
        "{:?}",
        world.writes_since(from)
    );
    assert_eq!(world.double.objects().clusters.len(), 1);
}

/// rule: CR-021
#[tokio::test]
async fn it_can_not_read_a_neighbours_password_from_a_list() {
    let (mut world, acme) = with_hostile(json!({})).await;
    let neighbour = Canary::new("neighbourcanary5c0de17f42");
    world.must_be_nowhere(neighbour.clone());
    let password = neighbour.text();
    let list = json!({"dbs": [{
        "id": "theirs", "password": password, "connection": {"uri": format!("postgresql://doadmin:{password}@db.example:25060/defaultdb")},
        "users": [{"name": "doadmin", "password": password, "access_key": password}],
    }]});
    for path in ["/v2/dbs", "/v2/everyone/theirs", "/v2/regions"] {
        world.double.fault(Fault::on("GET", path).always().answer(
            200,
            FaultBody::Json {
                value: list.clone(),
            },
        ));
    }
    let steps = json!([
        send("GET", "/v2/dbs"),
        send("GET", "/v2/everyone/theirs"),
        send("GET", "/v2/regions")
    ]);
    let db = acme.ready(&hostile("evil", json!({"steps": steps}))).await;
    for step in report(&db).as_array().unwrap() {
        assert_eq!(step["status"], 200, "it was not sent: {step}");
        let body = step["body"].as_str().unwrap();
        assert!(
            body.contains("theirs"),
            "the rest of the answer is there: {body}"
        );
        assert!(!neighbour.is_in(body.as_bytes()), "{body}");
    }
    assert_eq!(world.places_of(&neighbour).await, []);
}

/// rule: CR-002
#[tokio::test]
async fn it_reaches_no_host_that_was_not_granted() {
    let (world, acme) = with_hostile(json!({})).await;
    let port = world
        .double
        .base_url()
        .rsplit(':')
        .next()
        .unwrap()
        .to_owned();
    let from = world.next_request();
    let get = |url: String| json!({"send": {"method": "GET", "url": url}});
    let steps = json!([
        get("https://elsewhere.hostile.test/v2/regions".into()),
        get("https://example.com/v2/regions".into()),
        get(format!("http://127.0.0.1:{port}/v2/regions")),
        get(format!("http://localhost:{port}/v2/regions")),
        get(format!("http://[::ffff:127.0.0.1]:{port}/v2/regions")),
        get("http://169.254.169.254/metadata/v1.json".into()),
        get("http://api.hostile.test/v2/regions".into()),
        get("https://api.hostile.test:444/v2/regions".into()),
        get("https://user@api.hostile.test/v2/regions".into()),
        get("https://api.hostile.test.example.com/v2/regions".into()),
        get("file:///etc/passwd".into()),
    ]);
    let db = acme.ready(&hostile("evil", json!({"steps": steps}))).await;
    for step in report(&db).as_array().unwrap() {
        assert!(step["refused"].is_string(), "{step}");
    }
    let asked: Vec<String> = world
        .double
        .log_since(from)
        .iter()
        .map(double_digitalocean::Entry::target)
        .collect();
    assert!(
        !asked
            .iter()
            .any(|target| target.contains("regions") || target.contains("metadata")),
        "{asked:?}"
    );
}

/// rule: CR-002
#[tokio::test]
async fn its_own_authorization_header_is_dropped() {
    let (world, acme) = with_hostile(json!({})).await;
    let mut with = send("GET", "/v2/regions");
    with["send"]["headers"] = json!([
        ["authorization", "Bearer mine"],
        ["Authorization", "Bearer mine too"],
        ["cookie", "a=b"],
        ["host", "elsewhere"],
        ["x-forwarded-for", "192.0.2.1"],
        ["proxy-authorization", "Basic bWluZQ=="],
    ]);
    world
        .double
        .fault(Fault::on("GET", "/v2/regions").always().answer(
            200,
            FaultBody::Json {
                value: json!({"regions": []}),
            },
        ));
    let db = acme.ready(&hostile("evil", json!({"steps": [with]}))).await;
    assert_eq!(report(&db)[0]["status"], 200);
    let entry = world
        .double
        .log()
        .into_iter()
        .find(|entry| entry.path == "/v2/regions")
        .unwrap();
    assert_eq!(
        entry.authorization,
        Authorization::Right,
        "the account's credential and no other"
    );
    for name in ["cookie", "proxy-authorization"] {
        assert_eq!(entry.header(name), None);
    }
    assert_ne!(entry.header("host"), Some("elsewhere"));
}

/// rule: CR-109
#[tokio::test]
async fn it_never_sees_the_secrets_that_a_tenant_gives_it() {
    let (mut world, acme) = with_hostile(json!({})).await;
    let canary = Canary::new("tenantcanary90aa41c2e7");
    world.must_be_nowhere(canary.clone());
    let reference = acme.secret("key", canary.text()).await;
    // The provider repeats what it was sent, raw and encoded, and the plugin tells all it hears.
    let echo = json!({
        "raw": canary.text(), "text": format!("got {}", canary.text()),
        "base64": berth_e2e::base64(canary.text().as_bytes()), "bearer": world.double.token(),
    });
    world.double.fault(
        Fault::on("POST", "/v2/dbs")
            .always()
            .answer(201, FaultBody::Json { value: echo }),
    );
    let mut create = send("POST", "/v2/dbs");
    // A text, so that the reference does not stand where the host would refuse it.
    create["send"]["body"] = json!({"token": reference, "other": format!("x {reference}")})
        .to_string()
        .into();
    let new = New::of(
        "hostile.db",
        "evil",
        json!({"script": {"steps": [create, {"log": {"text": "$body", "times": 1}}]}, "token": reference}),
    );
    let db = acme.create(&new).await;
    acme.wait_for(db.id(), "to be told", |seen| {
        seen.state() == "ready" || !seen.message().is_empty()
    })
    .await;
    let sent: Vec<String> = world
        .double
        .log()
        .into_iter()
        .filter(|entry| entry.path == "/v2/dbs" && entry.method == "POST")
        .map(|entry| entry.body)
        .collect();
    if let Some(body) = sent.first() {
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            body["token"],
            json!(canary.text()),
            "the value is put in at its own place"
        );
    }
    assert_eq!(world.places_of(&canary).await, []);
}

/// A plugin that reads while it should only look can write nothing at all.
///
/// rule: CR-002
#[tokio::test]
async fn looking_writes_nothing() {
    let (world, acme) = with_hostile(json!({})).await;
    let from = world.next_request();
    // Played in `find` first; only in `create` is the write allowed, and only its own.
    let steps = json!([
        send("POST", "/v2/dbs"),
        send("DELETE", "/v2/dbs/x"),
        send("POST", "/v2/tags")
    ]);
    let db = acme.ready(&hostile("evil", json!({"steps": steps}))).await;
    assert!(report(&db)[0]["status"].is_number() || report(&db)[0]["refused"].is_string());
    let writes = world.writes_since(from);
    assert_eq!(writes.len(), 1, "{writes:?}");
    assert_eq!(writes[0].path, "/v2/dbs");
}
