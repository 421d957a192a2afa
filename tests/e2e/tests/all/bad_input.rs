//! Requests and configurations that are wrong in every other way.

use berth_e2e::{Api, New, Refusal, World};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use serde_json::json;

const JSON: (HeaderName, &str) = (CONTENT_TYPE, "application/json");

async fn raw(api: &Api, method: &str, headers: &[(HeaderName, &str)], body: &str) -> Refusal {
    let answer = api
        .send_raw(method, headers, body.to_owned().into())
        .await
        .expect("an answer");
    assert_eq!(
        answer
            .headers
            .get("content-type")
            .and_then(|value| value.to_str().ok()),
        Some("application/json")
    );
    assert!(
        answer.headers.contains_key("x-request-id"),
        "an answer names its request"
    );
    answer.result().expect_err("a refusal")
}

#[tokio::test]
async fn a_token_that_is_no_token_is_unauthenticated_and_says_how_one_looks() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let body = acme.input(json!({})).to_string();
    let unknown = format!("Bearer brt_{}", "0".repeat(64));
    for headers in [
        vec![JSON],
        vec![JSON, (AUTHORIZATION, "")],
        vec![JSON, (AUTHORIZATION, "Basic YTpi")],
        vec![JSON, (AUTHORIZATION, "Bearer")],
        vec![JSON, (AUTHORIZATION, "Bearer nonsense")],
        vec![JSON, (AUTHORIZATION, "Bearer brt_00")],
        vec![JSON, (AUTHORIZATION, unknown.as_str())],
        vec![
            JSON,
            (AUTHORIZATION, unknown.as_str()),
            (AUTHORIZATION, unknown.as_str()),
        ],
    ] {
        let refusal = raw(&acme.api, "cloudResources/list", &headers, &body).await;
        refusal.is("UNAUTHENTICATED", "");
        assert!(!refusal.message.contains("nonsense"), "{}", refusal.message);
    }
    // A token that was revoked.
    let someone = acme.someone(&[berth_e2e::everything()]).await;
    someone.list().await;
    let tokens = world
        .root
        .ok("principals/listTokens", &acme.input(json!({})))
        .await;
    let token = tokens["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|token| token["principalId"] == json!(someone.principal))
        .unwrap();
    world
        .root
        .ok(
            "principals/revokeToken",
            &acme.input(json!({"tokenId": token["id"]})),
        )
        .await;
    someone
        .api
        .refused("cloudResources/list", &acme.input(json!({})))
        .await
        .is("UNAUTHENTICATED", "revoked");
}

#[tokio::test]
async fn a_body_is_json_of_a_bounded_size_and_depth_with_each_key_once() {
    let world = World::with(|settings| {
        settings.set("api.bodyLimit", "100000");
    })
    .await;
    let acme = world.tenant("acme").await;
    let bearer = format!("Bearer {}", acme.api.token());
    let with = [JSON, (AUTHORIZATION, bearer.as_str())];
    let method = "cloudResources/create";
    let deep = format!(
        "{{\"tenantId\": \"acme\", \"spec\": {}1{}}}",
        "{\"a\":".repeat(5000),
        "}".repeat(5000)
    );
    let twice =
        acme.body(&New::pg("orders"))
            .to_string()
            .replacen('{', "{\"name\": \"first\", ", 1);
    let inside = acme
        .body(&New::pg("orders"))
        .to_string()
        .replace("\"num_nodes\":1", "\"num_nodes\":1,\"num_nodes\":2");
    let large = acme
        .body(&New::pg("orders").with("description", "x".repeat(100_000)))
        .to_string();
    for (what, body, reason) in [
        ("nothing", "", "body"),
        ("a list", "[]", "body"),
        ("a number", "1", "body"),
        ("half a body", "{\"tenantId\": \"acme\"", "body"),
        ("no JSON", "tenantId=acme", "body"),
        ("a body and more", "{} {}", "body"),
        ("a deep body", deep.as_str(), "body"),
        ("a key twice", twice.as_str(), "body"),
        ("a key twice inside", inside.as_str(), "body"),
        ("not a number", "{\"tenantId\": NaN}", "body"),
        ("a large body", large.as_str(), "bodyLimit"),
    ] {
        let refusal = raw(&acme.api, method, &with, body).await;
        assert_eq!(
            (refusal.code.as_str(), refusal.reason()),
            ("INVALID_INPUT", reason),
            "{what}: {refusal:#?}"
        );
    }
    let refusal = raw(&acme.api, method, &with, &large).await;
    assert!(
        refusal.message.contains("api.bodyLimit"),
        "{}",
        refusal.message
    );
    assert_eq!(acme.list().await["items"], json!([]));
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
    ] {
        let headers = [(CONTENT_TYPE, kind), (AUTHORIZATION, bearer.as_str())];
        let refusal = raw(
            &acme.api,
            "cloudResources/list",
            &headers,
            "{\"tenantId\": \"acme\"}",
        )
        .await;
        refusal.is("INVALID_INPUT", "contentType");
    }
    let headers = [
        (CONTENT_TYPE, "application/json; charset=utf-8"),
        (AUTHORIZATION, bearer.as_str()),
    ];
    let answer = acme
        .api
        .send_raw(
            "cloudResources/list",
            &headers,
            "{\"tenantId\": \"acme\"}".into(),
        )
        .await
        .unwrap();
    assert_eq!(answer.status, 200);
}

/// rule: CR-049
#[tokio::test]
async fn an_unknown_method_names_the_nearest_and_a_method_is_a_post() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for (method, nearest) in [
        ("cloudResources/creat", "cloudResources/create"),
        ("cloudResource/list", "cloudResources/list"),
        ("cloudresources/get", "cloudResources/get"),
    ] {
        let refusal = acme.api.refused(method, &json!({})).await;
        refusal.is("NOT_FOUND", "method");
        assert!(refusal.message.contains(nearest), "{}", refusal.message);
    }
    acme.api
        .refused("nothing/at-all-like-a-method", &json!({}))
        .await
        .is("NOT_FOUND", "method");
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let url = format!("{}/api/compute/cloudResources/list", world.root.origin());
    let bearer = format!("Bearer {}", acme.api.token());
    for request in [http.get(&url), http.put(&url), http.delete(&url)] {
        let answer = request.header(AUTHORIZATION, &bearer).send().await.unwrap();
        assert_eq!(answer.headers()["allow"], "POST");
        assert!(answer.status().is_client_error());
    }
    for method in ["kinds", "create", "list", "get", "update", "delete"] {
        let refusal = acme
            .api
            .refused(&format!("cloudResources/{method}"), &json!({}))
            .await;
        refusal.is("INVALID_INPUT", "");
    }
    let answer = http
        .get(format!("{}/nothing", world.root.origin()))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 404);
}

/// Everything that is wrong with a wish says where, in every method.
#[tokio::test]
async fn unknown_fields_are_refused_everywhere() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let shop = acme.create(&New::app("shop")).await;
    for (method, mut body) in [
        ("kinds", acme.input(json!({"poolId": acme.pool}))),
        ("create", acme.body(&New::pg("orders"))),
        ("list", acme.input(json!({}))),
        ("get", acme.about(shop.id())),
        ("update", acme.change(shop.id(), json!({}))),
        ("delete", acme.about(shop.id())),
    ] {
        body["colour"] = json!("red");
        let refusal = acme
            .api
            .refused(&format!("cloudResources/{method}"), &body)
            .await;
        refusal.is_invalid_at("colour");
    }
    assert_eq!(acme.get(shop.id()).await.version(), 1);
}

#[tokio::test]
async fn a_wrong_setting_ends_the_start_with_the_nearest_right_one() {
    let world = World::start().await;
    for (name, value, told) in [
        ("BERTH_LISTN", "127.0.0.1:0", "`listen`"),
        ("BERTH_SERVICE__MAX_PER_KIN", "3", "`service.maxPerKind`"),
        ("BERTH_SERVICE__MAX_PER_KIND", "many", "service.maxPerKind"),
        ("BERTH_LISTEN", "everywhere", "listen"),
        ("BERTH_RUNTIME__LIMITS__MEMORY_BYTES", "5", "memoryBytes"),
        ("BERTH_LOG__FILTER", "berth=loudly", "log.filter"),
        ("BERTH_ROOT_TOKEN", "hunter2hunter2", "rootToken"),
        (
            "BERTH_VAULT__MASTER_KEY",
            "hunter2hunter2",
            "vault.masterKey",
        ),
        ("BERTH_CONFIG", "/nowhere.toml", "/nowhere.toml"),
    ] {
        let other = world.data().join("other");
        let other = other.display().to_string();
        let mut env = vec![("BERTH_DATA_DIR", other.as_str())];
        env.push((name, value));
        let (well, said) = world.berth(&["serve"], &env);
        assert!(!well, "{name}={value}: {said}");
        assert!(
            said.contains(told),
            "{name}={value} does not name {told}: {said}"
        );
        assert!(!said.contains("hunter2"), "it repeats a secret: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    // A second host on the same address says so.
    let taken = world.root.origin().replace("http://", "");
    let other = world.data().join("second").display().to_string();
    let (well, said) = world.berth(
        &["serve"],
        &[
            ("BERTH_DATA_DIR", other.as_str()),
            ("BERTH_LISTEN", taken.as_str()),
        ],
    );
    assert!(!well && said.contains("listen"), "{said}");
}

/// Without its key a host does not start and makes no other; with it again nothing is lost.
///
/// rule: CR-019
#[tokio::test]
async fn a_lost_master_key_that_is_restored_loses_nothing() {
    let mut world = World::start().await;
    let acme = world.tenant("acme").await;
    let orders = acme.ready(&New::pg("orders")).await;
    let password = acme.reveal(orders.secret("password")).await;
    assert!(world.stop_host().await);
    let key = world.data().join("master.key");
    let kept = world.data().join("kept.key");
    std::fs::rename(&key, &kept).unwrap();
    let (well, said) = world.berth(&["serve"], &[]);
    assert!(
        !well && said.contains("master.key") && said.contains("restore"),
        "{said}"
    );
    assert!(!key.exists(), "another key was made");

    let wrong = "11".repeat(32);
    let (_, said) = world.berth(&["config"], &[("BERTH_VAULT__MASTER_KEY", wrong.as_str())]);
    assert!(
        said.contains("masterKey") && !said.contains(&wrong),
        "the key is shown: {said}"
    );

    std::fs::rename(&kept, &key).unwrap();
    world.start_host().await;
    assert_eq!(acme.reveal(orders.secret("password")).await, password);
}

#[tokio::test]
async fn a_host_without_a_secret_store_says_so() {
    let world = World::with(|settings| {
        settings.set("vault.enabled", "false");
        settings.plugin = false;
    })
    .await;
    let acme = world.bare_tenant("acme").await;
    let body = acme.input(json!({"name": "key", "value": "x"}));
    acme.api
        .refused("secrets/put", &body)
        .await
        .is("UNSUPPORTED", "");
    world
        .root
        .refused("accounts/create", &world.account_body("root"))
        .await
        .is("UNSUPPORTED", "");
}
