//! `do.database.user` against scripted answers.

use berth_sdk::testing::{exchange, json, remember, secret};
use berth_sdk::types::{Error, HttpError, Phase, Resource};
use serde_json::{Value, json};

use crate::{child, host, parent};

const KIND: &str = "do.database.user";
const USERS: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/users";
const USER: &str = "/v2/databases/9cc10173-e9ea-4176-9dbc-a4cee4c4ff30/users/reports";

fn reports(spec: &Value) -> Resource {
    child(KIND, "reports", spec)
}

fn answer(password: &Value) -> Value {
    json!({"user": {"name": "reports", "role": "normal", "password": password}})
}

#[test]
fn a_user_is_created_under_its_own_name_and_its_password_sealed() {
    let berth = host();
    let mut user = reports(&json!({"name": "reports"}));
    berth.expect([exchange("POST", USERS)
        .sending(&json!({"name": "reports"}))
        .answers(201, &answer(&json!("AVNS_canary")))]);
    let created = berth.create(&user).unwrap();
    assert_eq!(
        (created.provider_id.as_str(), created.phase.clone()),
        ("reports", Phase::Ready)
    );
    assert_eq!(secret(&created, "password"), Some("AVNS_canary"));
    assert_eq!(
        json(&created.outputs),
        json!({"name": "reports", "role": "normal"})
    );
    remember(&mut user, &created);
}

#[test]
fn a_password_that_is_empty_or_absent_later_is_no_secret_output() {
    let berth = host();
    let user = reports(&json!({"name": "reports"}));
    for password in [json!(""), json!(null)] {
        berth.expect([exchange("GET", USER).answers(200, &answer(&password))]);
        assert_eq!(berth.observe(&user).unwrap().secret_outputs, Vec::new());
    }
}

#[test]
fn doadmin_and_the_names_of_postgresql_are_refused() {
    for name in ["doadmin", "postgres", "pg_read_all_data"] {
        let outcome = host().check(KIND, &json!({"name": name}), Some("do.database.pg"));
        assert!(
            matches!(outcome, Err(Error::Invalid(errors)) if errors[0].field == "/name"),
            "{name}"
        );
    }
    host()
        .check(KIND, &json!({"name": "reports"}), Some("do.database.pg"))
        .unwrap();
}

#[test]
fn a_create_beside_another_one_is_busy() {
    let berth = host();
    let user = reports(&json!({"name": "reports"}));
    for (status, message) in [
        (409, "another operation is in progress"),
        (412, "cluster is not online"),
        (422, "the cluster is locked"),
        (404, "no such cluster yet"),
    ] {
        berth.expect([
            exchange("POST", USERS).answers(status, &json!({"id": "x", "message": message}))
        ]);
        let outcome = berth.create(&user);
        assert!(
            matches!(outcome, Err(Error::Busy(_))),
            "{status}: {outcome:?}"
        );
    }
}

#[test]
fn a_user_that_exists_is_a_conflict_and_never_taken_over_by_create() {
    let berth = host();
    let user = reports(&json!({"name": "reports"}));
    for status in [409, 422] {
        berth.expect([exchange("POST", USERS).answers(
            status,
            &json!({"id": "x", "message": "user already exists"}),
        )]);
        assert!(matches!(berth.create(&user), Err(Error::Conflict(_))));
    }
}

#[test]
fn a_user_is_found_by_name_without_its_password() {
    let berth = host();
    let user = reports(&json!({"name": "reports"}));
    berth.expect([exchange("GET", USER).answers(200, &answer(&json!("AVNS_canary")))]);
    let found = berth.find(&user).unwrap().unwrap();
    assert!(found.secret_outputs.is_empty());
    berth.expect([
        exchange("GET", USER).answers(404, &json!({"id": "not_found", "message": "none"}))
    ]);
    assert!(berth.find(&user).unwrap().is_none());
    berth.expect([exchange("GET", USER).fails(HttpError::Lost("cut".to_owned()))]);
    assert!(matches!(berth.find(&user), Err(Error::Unavailable(_))));
}

#[test]
fn settings_that_the_api_does_not_show_are_applied_once() {
    let berth = host();
    let mut user = reports(&json!({"name": "reports"}));
    berth.expect([exchange("POST", USERS).answers(201, &answer(&json!("AVNS_canary")))]);
    let created = berth.create(&user).unwrap();
    remember(&mut user, &created);
    user.spec = json!({"name": "reports", "settings": {"pg_allow_replication": true}}).to_string();

    berth.expect([exchange("GET", USER).answers(200, &answer(&json!("AVNS_canary")))]);
    let open = berth.observe(&user).unwrap();
    assert_eq!(open.pending, ["settings"]);
    remember(&mut user, &open);

    berth.expect([exchange("PUT", USER)
        .sending(&json!({"settings": {"pg_allow_replication": true}}))
        .answers(201, &answer(&json!("AVNS_canary")))]);
    let applied = berth.update(&user, &["settings"]).unwrap();
    remember(&mut user, &applied);

    for _ in 0..5 {
        berth.expect([exchange("GET", USER).answers(200, &answer(&json!("AVNS_canary")))]);
        let seen = berth.observe(&user).unwrap();
        assert_eq!(seen.pending, Vec::<String>::new());
        remember(&mut user, &seen);
    }
}

#[test]
fn a_list_shows_all_users_of_the_cluster_and_no_password() {
    let berth = host();
    let users = json!({"users": [
        {"name": "doadmin", "role": "primary", "password": "AVNS_canary"},
        {"name": "reports", "role": "normal", "password": "AVNS_canary", "settings": {"acl": []}}
    ]});
    berth.expect([exchange("GET", USERS).answers(200, &users)]);
    let page = berth.list(KIND, Some(&parent()), None).unwrap();
    assert_eq!(page.items.len(), 2);
    assert!(!format!("{page:?}").contains("AVNS_canary"));
}

#[test]
fn deleting_a_user_that_is_gone_is_done() {
    let berth = host();
    let mut user = reports(&json!({"name": "reports"}));
    user.provider_id = Some("reports".to_owned());
    berth.expect([exchange("DELETE", USER)]);
    berth.delete(&user).unwrap();
    berth.expect([exchange("DELETE", USER).answers_text(404, "")]);
    berth.delete(&user).unwrap();
}

#[test]
fn an_answer_about_another_user_is_not_believed() {
    let berth = host();
    let mut user = reports(&json!({"name": "reports", "settings": {"pg_allow_replication": true}}));
    let other = json!({"user": {"name": "other", "role": "normal", "password": "AVNS_canary"}});
    berth.expect([exchange("POST", USERS).answers(201, &other)]);
    let outcome = berth.create(&user);
    assert!(
        matches!(&outcome, Err(Error::Ambiguous(why)) if why.contains("`reports`") && !why.contains("AVNS")),
        "{outcome:?}"
    );
    berth.expect([exchange("GET", USER).answers(200, &other)]);
    assert!(matches!(berth.find(&user), Err(Error::Unavailable(_))));
    user.provider_id = Some("reports".to_owned());
    berth.expect([exchange("GET", USER).answers(200, &other)]);
    assert!(matches!(berth.observe(&user), Err(Error::Unavailable(_))));
    berth.expect([exchange("PUT", USER).answers(200, &other)]);
    assert!(matches!(
        berth.update(&user, &["settings"]),
        Err(Error::Ambiguous(_))
    ));
}
