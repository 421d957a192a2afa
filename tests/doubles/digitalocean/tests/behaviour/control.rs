//! The control API over HTTP, and the log.

use double_digitalocean::Authorization;
use serde_json::{Value, json};

use crate::client::{Rig, cluster, id_in};

async fn control(rig: &Rig, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}{path}", rig.double.control_url());
    let mut request = http.request(method.parse().unwrap(), url);
    if let Some(body) = body {
        request = request.json(&body);
    }
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

#[tokio::test]
async fn every_control_works_over_http() {
    let rig = Rig::frozen().await;
    let ok = async |method: &str, path: &str, body: Option<Value>| {
        let (status, value) = control(&rig, method, path, body).await;
        assert_eq!(status, 200, "{method} {path}: {value}");
        value
    };
    let planted = ok(
        "POST",
        "/clusters",
        Some(json!({"name": "one", "tags": ["a"], "password": "canary"})),
    )
    .await;
    let id = id_in(&planted);
    ok(
        "POST",
        &format!("/clusters/{id}/users"),
        Some(json!({"name": "app"})),
    )
    .await;
    ok("DELETE", &format!("/clusters/{id}/users/app"), None).await;
    ok(
        "PATCH",
        &format!("/clusters/{id}"),
        Some(json!({"num_nodes": 2})),
    )
    .await;
    ok(
        "POST",
        &format!("/objects/{id}/hide"),
        Some(json!({"reads": 1})),
    )
    .await;
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 404);
    assert_eq!(
        rig.get(&format!("/v2/databases/{id}")).await.json()["database"]["num_nodes"],
        2
    );
    let app = id_in(&ok("POST", "/apps", Some(json!({"name": "web"}))).await);
    ok("POST", "/apps/fail-next", Some(json!({"count": 1}))).await;
    ok("POST", &format!("/apps/{app}/fail"), None).await;
    let spec = rig.get(&format!("/v2/apps/{app}")).await.json()["app"]["spec"].clone();
    ok("PUT", &format!("/apps/{app}/spec"), Some(spec)).await;
    assert_eq!(
        ok("GET", &format!("/apps/{app}/secrets/NONE"), None).await["value"],
        Value::Null
    );
    let fault = json!({"on": {"method": "GET", "path": "/v2/apps"}, "action": {"kind": "answer", "status": 418}});
    let fault = ok("POST", "/faults", Some(fault)).await["id"].clone();
    assert_eq!(rig.get("/v2/apps").await.status, 418);
    assert_eq!(
        ok("GET", &format!("/faults/{fault}"), None).await["fault"]["hits"],
        1
    );
    assert_eq!(
        ok("GET", "/faults", None).await["faults"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    ok("DELETE", &format!("/faults/{fault}"), None).await;
    ok("DELETE", "/faults", None).await;
    ok(
        "PATCH",
        "/settings",
        Some(json!({"refusals": {"busy_status": 409}})),
    )
    .await;
    assert_eq!(
        ok("GET", "/settings", None).await["refusals"]["busy_status"],
        409
    );
    assert_eq!(
        ok("POST", "/advance", Some(json!({"ms": 5}))).await["now"],
        5
    );
    ok("POST", "/finish", None).await;
    ok("POST", "/speed", Some(json!({"speed": 10}))).await;
    ok("DELETE", "/rate", None).await;
    assert_eq!(
        ok("GET", "/count?method=GET&path=/v2/apps", None).await["count"],
        1
    );
    let entries = ok("GET", "/log?since=2", None).await["entries"].clone();
    assert_eq!(entries[0]["number"], 2);
    ok("DELETE", "/log", None).await;
    let objects = ok("GET", "/objects", None).await;
    assert_eq!(
        (
            objects["clusters"][0]["id"].clone(),
            objects["tags"]["a"].clone()
        ),
        (json!(id), json!(1))
    );
    ok("GET", "/state", None).await;
    ok("DELETE", &format!("/objects/{id}"), None).await;
    assert_eq!(rig.double.objects().clusters.len(), 0);
}

#[tokio::test]
async fn controls_of_networks_and_children_work_over_http() {
    let rig = Rig::frozen().await;
    let ok = async |method: &str, path: &str, body: Option<Value>| {
        let (status, value) = control(&rig, method, path, body).await;
        assert_eq!(status, 200, "{method} {path}: {value}");
        value
    };
    let vpc = id_in(
        &ok(
            "POST",
            "/vpcs",
            Some(json!({"name": "net", "region": "nyc3"})),
        )
        .await,
    );
    ok(
        "PATCH",
        &format!("/vpcs/{vpc}"),
        Some(json!({"name": "other"})),
    )
    .await;
    let usual = id_in(&ok("GET", "/vpcs/defaults/nyc3", None).await);
    assert_ne!(usual, vpc);
    let body = json!({"name": "web", "region": "nyc3", "vpc": vpc});
    let droplet = id_in(&ok("POST", "/droplets", Some(body)).await);
    ok(
        "POST",
        "/1-clicks",
        Some(json!({"slug": "mine", "type": "droplet"})),
    )
    .await;
    let body = json!({"name": "one", "vpc": vpc});
    let cluster = id_in(&ok("POST", "/clusters", Some(body)).await);
    let path = format!("/clusters/{cluster}");
    ok(
        "POST",
        &format!("{path}/pools"),
        Some(json!({"name": "backend"})),
    )
    .await;
    ok(
        "POST",
        &format!("{path}/pools/backend/hide"),
        Some(json!({"reads": 1})),
    )
    .await;
    ok("DELETE", &format!("{path}/pools/backend"), None).await;
    let replica = id_in(
        &ok(
            "POST",
            &format!("{path}/replicas"),
            Some(json!({"name": "read"})),
        )
        .await,
    );
    ok("PATCH", &path, Some(json!({"backed_up": false}))).await;
    let objects = ok("GET", "/objects", None).await;
    let shown = &objects["clusters"][0];
    assert_eq!(
        (&shown["private_network_uuid"], &shown["replicas"][0]["id"]),
        (&json!(vpc), &json!(replica))
    );
    for id in [&replica, &droplet, &vpc] {
        ok("DELETE", &format!("/objects/{id}"), None).await;
    }
    assert_eq!(
        control(&rig, "DELETE", &format!("/objects/{vpc}"), None)
            .await
            .0,
        400
    );
}

#[tokio::test]
async fn controls_of_functions_and_inference_work_over_http() {
    let rig = Rig::frozen().await;
    let ok = async |method: &str, path: &str, body: Option<Value>| {
        let (status, value) = control(&rig, method, path, body).await;
        assert_eq!(status, 200, "{method} {path}: {value}");
        value
    };
    let body = json!({"label": "jobs", "region": "nyc1", "key": "canary"});
    let namespace = id_in(&ok("POST", "/namespaces", Some(body)).await);
    let body = json!({"name": "chat", "region": "tor1", "scale": 3});
    let inference = id_in(&ok("POST", "/inferences", Some(body)).await);
    ok(
        "PATCH",
        &format!("/inferences/{inference}"),
        Some(json!({"name": "talk"})),
    )
    .await;
    ok("POST", &format!("/inferences/{inference}/fail"), None).await;
    ok("POST", "/inferences/fail-next", Some(json!({"count": 1}))).await;
    let objects = ok("GET", "/objects", None).await;
    assert_eq!(objects["namespaces"][0]["key"], "canary");
    let shown = &objects["inferences"][0];
    assert_eq!(
        (&shown["name"], &shown["status"], &shown["gpus"]),
        (&json!("talk"), &json!("error"), &json!(3))
    );
    for id in [&namespace, &inference] {
        ok("DELETE", &format!("/objects/{id}"), None).await;
    }
}

#[tokio::test]
async fn controls_of_agents_work_over_http() {
    let rig = Rig::frozen().await;
    let ok = async |method: &str, path: &str, body: Option<Value>| {
        let (status, value) = control(&rig, method, path, body).await;
        assert_eq!(status, 200, "{method} {path}: {value}");
        value
    };
    let body = json!({"name": "builder", "manifest": {"agent": "a", "secrets": {"KEY": {"value": "hush"}}}});
    let agent = id_in(&ok("POST", "/agents/configs", Some(body)).await);
    let path = format!("/agents/configs/{agent}");
    assert_eq!(
        ok("GET", &format!("{path}/secrets/KEY"), None).await["value"],
        "hush"
    );
    ok(
        "PUT",
        &format!("{path}/consent"),
        Some(json!({"enabled": true})),
    )
    .await;
    ok(
        "POST",
        &format!("{path}/analysed"),
        Some(json!({"session_id": "odd"})),
    )
    .await;
    let body = json!({"config": agent, "name": "one", "status": "SESSION_STATUS_PAUSED"});
    let session = id_in(&ok("POST", "/agents/sessions", Some(body)).await);
    let path = format!("/agents/sessions/{session}");
    ok(
        "POST",
        &format!("{path}/dialogues"),
        Some(json!({"signals": []})),
    )
    .await;
    ok(
        "POST",
        &format!("{path}/events/run.failed"),
        Some(json!({})),
    )
    .await;
    ok("POST", &format!("{path}/fail"), None).await;
    ok(
        "POST",
        "/agents/sessions/fail-next",
        Some(json!({"count": 1})),
    )
    .await;
    let body = json!({"name": "nightly", "kind": "cron"});
    let trigger = id_in(&ok("POST", "/agents/triggers", Some(body)).await);
    ok(
        "POST",
        &format!("/agents/triggers/{trigger}/executions"),
        Some(json!({})),
    )
    .await;
    let objects = ok("GET", "/objects", None).await;
    assert_eq!(objects["agent_configs"][0]["id"], agent);
    assert_eq!(objects["sessions"][0]["status"], "SESSION_STATUS_FAILED");
    for id in [&session, &trigger, &agent] {
        ok("DELETE", &format!("/objects/{id}"), None).await;
    }
}

#[tokio::test]
async fn controls_that_can_not_be_done_say_why() {
    let rig = Rig::frozen().await;
    for (method, path, body, says) in [
        ("PATCH", "/settings", Some(json!({"spede": 1})), "spede"),
        ("PATCH", "/settings", Some(json!({"speed": -1})), "speed"),
        (
            "PATCH",
            "/settings",
            Some(json!({"refusals": {"busy_status": 200}})),
            "busy_status",
        ),
        (
            "POST",
            "/clusters",
            Some(json!({"name": "a", "colour": 1})),
            "colour",
        ),
        (
            "POST",
            "/faults",
            Some(json!({"on": {"method": "GET", "path": "/"}, "action": {"kind": "explode"}})),
            "explode",
        ),
        ("DELETE", "/objects/nothing", None, "nothing"),
        ("POST", "/apps/nothing/fail", None, "nothing"),
    ] {
        let (status, value) = control(&rig, method, path, body).await;
        assert_eq!(status, 400, "{path}");
        assert!(value["error"].as_str().unwrap().contains(says), "{value}");
    }
    assert_eq!(control(&rig, "GET", "/nothing", None).await.0, 404);
}

#[tokio::test]
async fn settings_that_are_fixed_stay() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"token": "other", "seed": 9}))
        .unwrap();
    assert_eq!(rig.double.config().token, rig.double.token());
    assert_eq!(rig.double.config().seed, 1);
}

#[tokio::test]
async fn the_log_has_everything_but_the_token() {
    let rig = Rig::frozen().await;
    let body = cluster("one");
    rig.post("/v2/databases", &body).await;
    rig.get("/v2/databases?tag_name=env:test").await;
    let url = format!("{}/v2/databases", rig.double.base_url());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    http.get(&url).header("x-mine", "yes").send().await.unwrap();
    http.get(&url).bearer_auth("wrong").send().await.unwrap();
    let log = rig.double.log();
    assert_eq!(log[0].method, "POST");
    assert_eq!(serde_json::from_str::<Value>(&log[0].body).unwrap(), body);
    assert_eq!((log[0].status, log[0].acted), (Some(201), true));
    assert!(log[0].answer.as_ref().unwrap().contains("\"database\""));
    assert_eq!(log[0].header("content-type"), Some("application/json"));
    assert_eq!(log[1].target(), "/v2/databases?tag_name=env:test");
    let kinds: Vec<Authorization> = log.iter().map(|entry| entry.authorization).collect();
    assert_eq!(
        kinds,
        [
            Authorization::Right,
            Authorization::Right,
            Authorization::Absent,
            Authorization::Wrong
        ]
    );
    assert_eq!(log[2].header("x-mine"), Some("yes"));
    assert!(!format!("{log:?}").contains(rig.double.token()));
    assert_eq!(rig.double.count("GET", "/v2/**"), 3);
    assert_eq!(rig.double.log_since(4).len(), 1);
    rig.double.clear_log();
    assert!(rig.double.log().is_empty());
}

#[tokio::test]
async fn the_log_keeps_the_newest() {
    let rig = Rig::frozen().await;
    rig.double
        .configure(|config| config.log.entries = 3)
        .unwrap();
    for _ in 0..5 {
        rig.get("/v2/databases").await;
    }
    let numbers: Vec<u64> = rig.double.log().iter().map(|entry| entry.number).collect();
    assert_eq!(numbers, [3, 4, 5]);
    assert!(
        rig.double
            .log()
            .iter()
            .all(|entry| entry.status == Some(200))
    );
}
