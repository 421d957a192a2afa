//! Every answer of the double against the provider's official document.

mod networks;
mod serverless;

use double_digitalocean::openapi::{Document, Side, Violation};
use double_digitalocean::{Config, PlantedApp, PlantedCluster, RateLimits};
use serde_json::{Value, json};

use crate::client::{Rig, app, cluster};

/// The official document, if the environment names it.
#[expect(
    clippy::print_stdout,
    reason = "whoever runs the tests should see what they left out"
)]
fn document() -> Option<Document> {
    let Some(path) = std::env::var_os("DO_OPENAPI") else {
        println!("skipped: DO_OPENAPI doesn't name the official OpenAPI document");
        return None;
    };
    Some(Document::load(path).expect("the official document"))
}

fn text(violations: &[Violation]) -> String {
    violations.iter().map(|one| format!("\n{one}")).collect()
}

/// Goes through every endpoint, in success and in refusal. The requests marked as wrong are
/// recorded by their number, since the document refuses them too.
async fn tour(rig: &Rig) {
    clusters(rig).await;
    users(rig).await;
    tags(rig).await;
    apps(rig).await;
    projects(rig).await;
    networks::tour(rig).await;
    serverless::tour(rig).await;
    for path in [
        "/v2/nothing",
        "/v2/databases/none",
        "/v2/apps/none",
        "/v2/tags/none",
    ] {
        assert_eq!(rig.get(path).await.status, 404);
    }
}

async fn expect(rig: &Rig, method: &str, path: &str, body: Value, status: u16) -> Value {
    let request = rig.request(method, path);
    let request = if body.is_null() {
        request
    } else {
        request.json(&body)
    };
    let reply = rig.send(request).await.unwrap();
    assert_eq!(reply.status, status, "{method} {path}: {}", reply.text);
    serde_json::from_str(&reply.text).unwrap_or_default()
}

const NONE: Value = Value::Null;

async fn clusters(rig: &Rig) {
    for engine in [
        "pg",
        "mysql",
        "redis",
        "valkey",
        "mongodb",
        "kafka",
        "opensearch",
    ] {
        let mut planted = PlantedCluster::named(&format!("of-{engine}"));
        planted.engine = engine.into();
        planted.num_nodes = 3;
        let id = rig.double.plant_cluster(planted).unwrap();
        for part in [
            "",
            "/config",
            "/ca",
            "/backups",
            "/autoscale",
            "/do_settings",
            "/firewall",
        ] {
            expect(rig, "GET", &format!("/v2/databases/{id}{part}"), NONE, 200).await;
        }
    }
    let mut body = cluster("one");
    body["rules"] = json!([{"type": "ip_addr", "value": "192.0.2.1"}]);
    body["do_settings"] = json!({"service_cnames": ["db.example.com"]});
    body["autoscale"] = json!({"storage": {"enabled": false}});
    let created = expect(rig, "POST", "/v2/databases", body.clone(), 201).await;
    let path = format!(
        "/v2/databases/{}",
        created["database"]["id"].as_str().unwrap()
    );
    expect(rig, "POST", "/v2/databases", body, 422).await;
    let size = json!({"size": "db-s-2vcpu-4gb", "num_nodes": 2});
    for part in [
        "",
        "/config",
        "/backups",
        "/autoscale",
        "/do_settings",
        "/firewall",
        "/users",
    ] {
        expect(rig, "GET", &format!("{path}{part}"), NONE, 200).await;
    }
    expect(rig, "GET", &format!("{path}/ca"), NONE, 412).await;
    expect(rig, "PUT", &format!("{path}/resize"), size.clone(), 412).await;
    rig.double.finish_everything();
    for (method, part, body, status) in [
        (
            "PUT",
            "maintenance",
            json!({"day": "monday", "hour": "14:00"}),
            204,
        ),
        ("PATCH", "config", json!({"config": {"work_mem": 8}}), 200),
        (
            "PUT",
            "autoscale",
            json!({"storage": {"enabled": true, "threshold_percent": 80, "increment_gib": 10}}),
            204,
        ),
        (
            "PUT",
            "do_settings",
            json!({"do_settings": {"service_cnames": []}}),
            204,
        ),
        (
            "PUT",
            "firewall",
            json!({"rules": [{"type": "tag", "value": "web"}]}),
            204,
        ),
        ("PUT", "install_update", NONE, 204),
        ("PUT", "resize", size, 202),
        ("PUT", "migrate", json!({"region": "ams3"}), 202),
        ("PUT", "upgrade", json!({"version": "17"}), 204),
    ] {
        expect(rig, method, &format!("{path}/{part}"), body, status).await;
        rig.double.advance(rig.double.config().times.status_lag);
        expect(rig, "GET", &path, NONE, 200).await;
        rig.double.finish_everything();
        expect(rig, "GET", &path, NONE, 200).await;
    }
    for part in ["ca", "config", "autoscale", "firewall", "backups"] {
        expect(rig, "GET", &format!("{path}/{part}"), NONE, 200).await;
    }
    expect(rig, "GET", "/v2/databases/options", NONE, 200).await;
    expect(rig, "GET", "/v2/databases", NONE, 200).await;
    expect(rig, "GET", "/v2/databases?tag_name=env:test", NONE, 200).await;
    expect(rig, "DELETE", &path, NONE, 204).await;
    expect(rig, "DELETE", &path, NONE, 404).await;
}

async fn users(rig: &Rig) {
    let path = format!(
        "/v2/databases/{}/users",
        rig.online_cluster("with-users").await
    );
    let settings = json!({"settings": {"pg_allow_replication": true}});
    let mut user = settings.clone();
    user["name"] = json!("app");
    expect(rig, "POST", &path, user.clone(), 201).await;
    expect(rig, "POST", &path, user, 422).await;
    rig.double
        .configure(|config| config.visibility.user_settings_in_reads = true)
        .unwrap();
    expect(rig, "GET", &path, NONE, 200).await;
    expect(rig, "GET", &format!("{path}/app"), NONE, 200).await;
    expect(rig, "PUT", &format!("{path}/app"), settings.clone(), 201).await;
    expect(rig, "PUT", &format!("{path}/none"), settings, 404).await;
    expect(
        rig,
        "POST",
        &format!("{path}/app/reset_auth"),
        json!({}),
        200,
    )
    .await;
    expect(rig, "DELETE", &format!("{path}/doadmin"), NONE, 403).await;
    expect(rig, "DELETE", &format!("{path}/app"), NONE, 204).await;
    expect(rig, "DELETE", &format!("{path}/app"), NONE, 404).await;
}

async fn tags(rig: &Rig) {
    let id = rig
        .double
        .plant_cluster(PlantedCluster::named("with-tags").tag("planted"))
        .unwrap();
    let resources = json!({"resources": [{"resource_id": id, "resource_type": "database"}]});
    expect(rig, "POST", "/v2/tags", json!({"name": "blue"}), 201).await;
    expect(
        rig,
        "POST",
        "/v2/tags/blue/resources",
        resources.clone(),
        204,
    )
    .await;
    expect(rig, "GET", "/v2/tags/blue", NONE, 200).await;
    expect(rig, "GET", "/v2/tags", NONE, 200).await;
    expect(rig, "GET", "/v2/tags?page=2&per_page=1", NONE, 200).await;
    expect(
        rig,
        "DELETE",
        "/v2/tags/blue/resources",
        resources.clone(),
        204,
    )
    .await;
    expect(rig, "DELETE", "/v2/tags/blue", NONE, 204).await;
    expect(rig, "POST", "/v2/tags/blue/resources", resources, 404).await;
    expect(rig, "DELETE", "/v2/tags/blue", NONE, 404).await;
}

async fn apps(rig: &Rig) {
    let mut body = app("web-app");
    body["spec"]["envs"] = json!([{"key": "EVERYWHERE", "value": "yes"}]);
    body["spec"]["alerts"] = json!([{"rule": "DEPLOYMENT_FAILED"}]);
    body["spec"]["domains"] = json!([{"domain": "www.example.com", "type": "PRIMARY"}]);
    body["spec"]["workers"] = json!([{"name": "queue", "git": {"repo_clone_url": "https://example.com/a.git", "branch": "main"}}]);
    body["spec"]["databases"] = json!([{"name": "db", "engine": "PG"}]);
    body["spec"]["ingress"] =
        json!({"rules": [{"match": {"path": {"prefix": "/"}}, "component": {"name": "web"}}]});
    let created = expect(rig, "POST", "/v2/apps", body.clone(), 200).await;
    let path = format!("/v2/apps/{}", created["app"]["id"].as_str().unwrap());
    expect(rig, "POST", "/v2/apps", body.clone(), 409).await;
    expect(rig, "POST", "/v2/apps/propose", body, 200).await;
    let times = rig.double.config().times;
    for step in [
        0,
        times.pending,
        times.build,
        times.deploy / 2,
        times.deploy,
    ] {
        rig.double.advance(step);
        expect(rig, "GET", &path, NONE, 200).await;
        expect(rig, "GET", &format!("{path}/deployments"), NONE, 200).await;
    }
    let shown = expect(rig, "GET", &path, NONE, 200).await;
    let deployment = shown["app"]["active_deployment"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    expect(
        rig,
        "GET",
        &format!("{path}/deployments/{deployment}"),
        NONE,
        200,
    )
    .await;
    expect(rig, "GET", &format!("{path}/deployments/none"), NONE, 404).await;
    expect(
        rig,
        "PUT",
        &path,
        json!({"spec": shown["app"]["spec"]}),
        200,
    )
    .await;
    rig.double.finish_everything();
    rig.double.fail_next_deployments(1);
    expect(
        rig,
        "POST",
        &format!("{path}/deployments"),
        json!({"force_build": true}),
        200,
    )
    .await;
    rig.double.finish_everything();
    let again = expect(rig, "POST", &format!("{path}/deployments"), json!({}), 200).await;
    let id = again["deployment"]["id"].as_str().unwrap();
    let cancel = format!("{path}/deployments/{id}/cancel");
    expect(rig, "POST", &cancel, NONE, 200).await;
    expect(rig, "POST", &cancel, NONE, 409).await;
    for part in ["deployments?page=1&per_page=2", "health", "alerts"] {
        expect(rig, "GET", &format!("{path}/{part}"), NONE, 200).await;
    }
    for number in 0..3 {
        rig.double
            .plant_app(PlantedApp::named(&format!("planted-{number}")))
            .unwrap();
    }
    for page in 1..=4 {
        expect(
            rig,
            "GET",
            &format!("/v2/apps?page={page}&per_page=2"),
            NONE,
            200,
        )
        .await;
    }
    expect(rig, "GET", "/v2/apps", NONE, 200).await;
    expect(rig, "GET", "/v2/apps/regions", NONE, 200).await;
    expect(rig, "GET", "/v2/apps/tiers/instance_sizes", NONE, 200).await;
    expect(rig, "DELETE", &path, NONE, 200).await;
    expect(rig, "DELETE", &path, NONE, 404).await;
}

async fn projects(rig: &Rig) {
    let cluster = rig.cluster("in-project").await;
    let app = rig.app("in-project").await;
    let path = "/v2/projects/4e1bfbc3-dc3e-41f2-a18f-1b4d7ba71679/resources";
    let urns = [
        format!("do:dbaas:{cluster}"),
        format!("do:app:{app}"),
        "do:droplet:1".into(),
    ];
    let assigned = expect(rig, "POST", path, json!({"resources": urns}), 200).await;
    let statuses: Vec<&Value> = assigned["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["status"])
        .collect();
    assert_eq!(statuses, ["assigned", "assigned", "not_found"]);
    let shown = expect(rig, "GET", &format!("/v2/databases/{cluster}"), NONE, 200).await;
    assert_eq!(
        shown["database"]["project_id"],
        "4e1bfbc3-dc3e-41f2-a18f-1b4d7ba71679"
    );
    expect(
        rig,
        "POST",
        "/v2/projects/none/resources",
        json!({"resources": urns}),
        404,
    )
    .await;
}

#[tokio::test]
async fn every_answer_and_request_of_a_tour_fits_the_official_document() {
    let Some(document) = document() else { return };
    let rig = Rig::frozen().await;
    tour(&rig).await;
    let log = rig.double.log();
    assert!(log.len() > 100, "{}", log.len());
    // The one path on purpose that nobody has.
    let log: Vec<_> = log
        .into_iter()
        .filter(|entry| entry.path != "/v2/nothing")
        .collect();
    let violations = document.check_log(&log);
    assert!(violations.is_empty(), "{}", text(&violations));
}

#[tokio::test]
async fn refusals_of_wrong_requests_fit_the_official_document() {
    let Some(document) = document() else { return };
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let app_id = rig.app("web-app").await;
    for path in [
        "/v2/databases".to_owned(),
        format!("/v2/databases/{id}/users"),
        format!("/v2/databases/{id}/dbs"),
        format!("/v2/databases/{id}/pools"),
        format!("/v2/databases/{id}/replicas"),
        "/v2/vpcs".into(),
        "/v2/functions/namespaces".into(),
        "/v2/dedicated-inferences".into(),
        "/v2/tags".into(),
        "/v2/tags/env:test/resources".into(),
        "/v2/apps".into(),
        "/v2/apps/propose".into(),
    ] {
        let reply = rig.post(&path, &json!({"wrong": [1]})).await;
        assert!([400, 422].contains(&reply.status), "{path}");
        let garbled = rig
            .request("POST", &path)
            .header("content-type", "application/json")
            .body("{");
        assert_eq!(rig.send(garbled).await.unwrap().status, 400, "{path}");
    }
    for part in [
        "resize",
        "migrate",
        "upgrade",
        "maintenance",
        "autoscale",
        "do_settings",
        "firewall",
    ] {
        let path = format!("/v2/databases/{id}/{part}");
        assert_eq!(
            rig.put(&path, &json!({"wrong": [1]})).await.status,
            422,
            "{path}"
        );
    }
    assert_eq!(
        rig.put(&format!("/v2/apps/{app_id}"), &json!({"spec": {}}))
            .await
            .status,
        400
    );
    for entry in rig.double.log() {
        let (status, answer) = (entry.status.unwrap(), entry.answer.clone().unwrap());
        let violations =
            document.check_response(&entry.method, &entry.target(), status, answer.as_bytes());
        assert!(violations.is_empty(), "{}", text(&violations));
    }
}

#[tokio::test]
async fn unauthorized_and_limited_answers_fit_the_official_document() {
    let Some(document) = document() else { return };
    let rate = RateLimits {
        enabled: true,
        per_minute: 1,
        ..RateLimits::default()
    };
    let rig = Rig::with(Config {
        rate,
        ..Config::default()
    })
    .await;
    rig.get("/v2/databases").await;
    assert_eq!(rig.get("/v2/databases").await.status, 429);
    let url = format!("{}/v2/apps", rig.double.base_url());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    assert_eq!(http.get(url).send().await.unwrap().status(), 401);
    let violations = document.check_log(&rig.double.log());
    assert!(violations.is_empty(), "{}", text(&violations));
}

#[test]
fn violations_of_the_official_document_are_found() {
    let Some(document) = document() else { return };
    let sides = |method: &str, path: &str, request: Value, status: u16, answer: &str| {
        let request = if request.is_null() {
            String::new()
        } else {
            request.to_string()
        };
        let found =
            document.check_exchange(method, path, request.as_bytes(), status, answer.as_bytes());
        found.iter().map(|one| one.side).collect::<Vec<_>>()
    };
    use Side::{Request, Response};
    assert_eq!(
        sides(
            "GET",
            "/v2/databases/a/nothing",
            NONE,
            404,
            r#"{"id":"a","message":"b"}"#
        ),
        [Request]
    );
    assert_eq!(
        sides("POST", "/v2/databases", json!({"name": "a"}), 422, "{}").first(),
        Some(&Request)
    );
    assert_eq!(
        sides(
            "GET",
            "/v2/apps?page=0",
            NONE,
            200,
            r#"{"meta":{"total":0}}"#
        ),
        [Request]
    );
    assert_eq!(
        sides(
            "GET",
            "/v2/apps?cursor=a",
            NONE,
            200,
            r#"{"meta":{"total":0}}"#
        ),
        [Request]
    );
    assert_eq!(sides("GET", "/v2/apps", NONE, 200, "{}"), [Response]);
    assert_eq!(sides("GET", "/v2/databases/a", NONE, 201, "{}"), [Response]);
    assert_eq!(
        sides("GET", "/v2/databases/a", NONE, 200, "<html>"),
        [Response]
    );
    assert_eq!(
        sides("DELETE", "/v2/databases/a", NONE, 204, "{}"),
        [Response]
    );
    assert_eq!(
        sides("GET", "/v2/databases/a", NONE, 409, r#"{"id":"conflict"}"#),
        [Response]
    );
    let status = json!({"database": {
        "name": "a", "engine": "pg", "num_nodes": 1, "size": "s", "region": "r", "status": "exploding",
    }});
    assert_eq!(
        sides("GET", "/v2/databases/a", NONE, 200, &status.to_string()),
        [Response]
    );
}
