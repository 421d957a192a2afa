//! The audit: one row a decision and change, chained.

use berth_e2e::{New, World, eventually};
use serde_json::{Value, json};
use sqlx::{Connection as _, SqliteConnection};

use crate::routes::calls;

/// Methods that change nothing. Allowed, they leave no row; refused, one.
const READS: [&str; 9] = [
    "get",
    "list",
    "show",
    "kinds",
    "listTokens",
    "catalog",
    "signals",
    "discover",
    "export",
];

async fn rows_of(world: &World, request: &str) -> Vec<Value> {
    let body = json!({"requestId": request, "limit": 500});
    let list = world.root.ok("audit/list", &body).await;
    list["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn every_change_and_every_refusal_leaves_one_row_and_an_allowed_read_none() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let nobody = acme.someone(&[]).await;
    let calls = calls(&world, &acme).await;
    for (method, body) in &calls {
        for caller in [&nobody.api, &world.root] {
            let answer = caller.try_call(method, body).await.unwrap();
            let request = answer.headers["x-request-id"].to_str().unwrap().to_owned();
            let rows = rows_of(&world, &request).await;
            let name = method.split('/').next_back().unwrap();
            let (expected, outcome) = match answer.result() {
                Err(_) => (1, "refused"),
                Ok(_) if READS.contains(&name) => (0, ""),
                Ok(_) => (1, "done"),
            };
            assert_eq!(
                rows.len(),
                expected,
                "{method} ended {outcome} and left {rows:#?}; a method that reads is to be named in READS"
            );
            for row in rows {
                assert_eq!(row["outcome"], outcome, "{method}: {row:#}");
                assert_eq!(row["requestId"], *request, "{row:#}");
                for field in ["at", "principalId", "tenantId", "action", "resource"] {
                    assert!(!row[field].is_null(), "{method} has no {field}: {row:#}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_retry_and_a_second_delete_are_decisions_too() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    let body = acme.body(&New::app("shop"));
    let shop = acme.api.ok("cloudResources/create", &body).await;
    let about = acme.about(shop["id"].as_str().unwrap());
    acme.api.ok("cloudResources/create", &body).await;
    acme.api.ok("cloudResources/delete", &about).await;
    acme.api.ok("cloudResources/delete", &about).await;
    let resource = format!("compute-cloud-resource/{}", shop["id"].as_str().unwrap());
    for action in ["create", "delete"] {
        let filter = json!({"tenantId": "acme", "resource": resource,
            "action": format!("compute:cloud-resources:{action}")});
        let list = acme.api.ok("audit/list", &filter).await;
        let unchanged: Vec<bool> = list["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["detail"]["unchanged"] == true)
            .collect();
        assert_eq!(unchanged, [true, false], "{list:#}");
    }
}

#[tokio::test]
async fn pages_of_the_audit_show_every_row_once() {
    let world = World::start().await;
    let acme = world.tenant("acme").await;
    for n in 0..7 {
        acme.secret(&format!("key-{n}"), "hunter2hunter2hunter2")
            .await;
    }
    let mut seen = Vec::new();
    let mut body = json!({"tenantId": "acme", "action": "compute:secrets:write", "limit": 3});
    loop {
        let page = acme.api.ok("audit/list", &body).await;
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 3);
        seen.extend(items.iter().map(|row| row["sequence"].as_u64().unwrap()));
        match page.get("nextCursor") {
            Some(cursor) => body["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.is_sorted_by(|one, next| one > next), "{seen:?}");
    for (field, wrong) in [
        ("cursor", json!("first")),
        ("resource", json!("")),
        ("principalId", json!("me")),
        ("outcome", json!("maybe")),
        ("limit", json!(0)),
    ] {
        let body = json!({"tenantId": "acme", field: wrong});
        let refusal = acme.api.refused("audit/list", &body).await;
        refusal.is_invalid_at(field);
    }
}

fn head(said: &str) -> String {
    let line = said.lines().find_map(|line| line.strip_prefix("head "));
    line.unwrap_or_else(|| panic!("no head: {said}")).to_owned()
}

#[tokio::test]
async fn the_command_verifies_beside_a_host_and_finds_what_was_changed() {
    let mut world = World::start().await;
    let verify = |world: &World, more: &[&str]| {
        world.berth_code(&[&["audit", "verify"], more].concat(), &[])
    };
    let early = eventually("something is sealed", || async {
        let (code, said) = verify(&world, &[]);
        assert_eq!(code, Some(0), "{said}");
        said.contains("head ").then(|| head(&said))
    })
    .await;
    world.tenant("acme").await;
    assert!(world.stop_host().await);
    // A host that stops leaves nothing unsealed, and tells its log the head.
    let (code, said) = verify(&world, &["--expect", &early]);
    assert_eq!(code, Some(0), "{said}");
    assert!(!said.contains("not sealed yet"), "{said}");
    assert!(said.contains("the expected head is seal "), "{said}");
    assert!(world.host_log().contains(&head(&said)));

    let (code, said) = verify(&world, &["--expect", &"0".repeat(64)]);
    assert_eq!(code, Some(4), "{said}");
    let (code, said) = verify(&world, &["--expect", "a3"]);
    assert_eq!(code, Some(2), "{said}");
    let (code, said) = verify(&world, &["--data-dir", "elsewhere"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("there is no database at"), "{said}");

    let file = world.data().join("berth.db");
    let mut raw = SqliteConnection::connect(&format!("sqlite:{}", file.display()))
        .await
        .unwrap();
    sqlx::raw_sql("DROP TRIGGER audit_is_never_deleted; DELETE FROM audit WHERE sequence = 3")
        .execute(&mut raw)
        .await
        .unwrap();
    raw.close().await.unwrap();
    let (code, said) = verify(&world, &[]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("row 3 is missing"), "{said}");
}
