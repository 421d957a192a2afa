//! What every request must be.

use serde_json::json;

use crate::client::{Rig, cluster};

#[tokio::test]
async fn without_the_right_token_nothing_is_told_or_done() {
    let rig = Rig::frozen().await;
    let url = format!("{}/v2/databases", rig.double.base_url());
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    for request in [
        http.post(&url),
        http.post(&url).bearer_auth("wrong"),
        http.post(&url).basic_auth("dop_v1_double", Some("")),
        http.post(&url)
            .bearer_auth(rig.double.token())
            .header("authorization", "Bearer other"),
    ] {
        let reply = rig.send(request.json(&cluster("one"))).await.unwrap();
        assert_eq!(reply.status, 401);
        let error = reply.json();
        assert_eq!(error["id"], "unauthorized");
        assert_eq!(error["request_id"], reply.header("x-request-id").unwrap());
    }
    assert_eq!(rig.double.objects().totals.clusters_made, 0);
}

#[tokio::test]
async fn unknown_paths_and_methods_are_refused_in_the_shape_of_errors() {
    let rig = Rig::frozen().await;
    for path in [
        "/",
        "/v2",
        "/v2/droplets",
        "/v2/databases/",
        "/v2/databases//users",
        "/v3/databases",
    ] {
        let reply = rig.get(path).await;
        assert_eq!(reply.status, 404, "{path}");
        assert_eq!(reply.json()["id"], "not_found");
        assert!(reply.header("x-request-id").is_some());
    }
    let id = rig.cluster("one").await;
    for (method, path) in [
        ("PUT", "/v2/databases".to_owned()),
        ("POST", format!("/v2/databases/{id}")),
        ("PATCH", format!("/v2/databases/{id}/users/doadmin")),
        ("DELETE", "/v2/apps".to_owned()),
    ] {
        let reply = rig.call(method, &path, &json!({})).await;
        assert!(
            [400, 405].contains(&reply.status),
            "{method} {path}: {}",
            reply.status
        );
        assert!(reply.json()["message"].is_string());
    }
}

#[tokio::test]
async fn bodies_must_be_json_objects_called_json() {
    let rig = Rig::frozen().await;
    let post = |kind: &'static str, body: &'static str| {
        rig.request("POST", "/v2/databases")
            .header("content-type", kind)
            .body(body)
    };
    let json = "application/json";
    for (request, status) in [
        (post(json, "{"), 400),
        (post(json, "[]"), 400),
        (post(json, "\"text\""), 400),
        (post(json, "null"), 400),
        (rig.request("POST", "/v2/databases"), 400),
        (post("text/plain", "{}"), 415),
        (post("application/x-www-form-urlencoded", "name=a"), 415),
        (post("application/json; charset=utf-8", "{}"), 422),
    ] {
        let reply = rig.send(request).await.unwrap();
        assert_eq!(reply.status, status, "{}", reply.text);
        assert!(reply.json()["message"].is_string());
    }
}

#[tokio::test]
async fn members_and_parameters_that_do_not_belong_are_refused() {
    let rig = Rig::frozen().await;
    let mut body = cluster("one");
    body["labels"] = json!({"a": "b"});
    let reply = rig.post("/v2/databases", &body).await;
    assert_eq!(reply.status, 422);
    assert!(reply.text.contains("labels"));
    for member in ["name", "engine", "num_nodes", "size", "region"] {
        let mut body = cluster("one");
        body.as_object_mut().unwrap().remove(member);
        assert_eq!(
            rig.post("/v2/databases", &body).await.status,
            422,
            "{member}"
        );
        body[member] = json!([1]);
        assert_eq!(
            rig.post("/v2/databases", &body).await.status,
            422,
            "{member}"
        );
    }
    let unpaged = rig.get("/v2/databases?page=1&per_page=200").await;
    assert_eq!(unpaged.status, 400, "this list has no pages");
    let with_body = rig.call("GET", "/v2/databases", &json!({})).await;
    assert_eq!(with_body.status, 400);
    let id = rig.cluster("one").await;
    let with_body = rig
        .call("DELETE", &format!("/v2/databases/{id}"), &json!({}))
        .await;
    assert_eq!(with_body.status, 400);
    assert_eq!(rig.get(&format!("/v2/databases/{id}")).await.status, 200);
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let rig = Rig::frozen().await;
    let mut body = cluster("one");
    body["name"] = json!("x".repeat(2 << 20));
    let request = rig.request("POST", "/v2/databases").json(&body);
    if let Ok(reply) = rig.send(request).await {
        assert_eq!(reply.status, 413);
    }
    assert_eq!(rig.double.objects().totals.clusters_made, 0);
}

#[tokio::test]
async fn errors_leak_what_a_test_wants_them_to() {
    let rig = Rig::frozen().await;
    rig.double
        .patch_config(&json!({"secrets": {
            "error_canary": "canary-in-error", "echo_request": true, "echo_authorization": true,
        }}))
        .unwrap();
    let reply = rig
        .post("/v2/databases", &json!({"secret": "canary-of-request"}))
        .await;
    let message = reply.json()["message"].as_str().unwrap().to_owned();
    for canary in ["canary-in-error", "canary-of-request", rig.double.token()] {
        assert!(message.contains(canary), "{message}");
    }
}
