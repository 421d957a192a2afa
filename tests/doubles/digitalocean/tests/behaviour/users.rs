//! Users of clusters.

use double_digitalocean::{Config, UserPasswords};
use serde_json::json;

use crate::client::Rig;

#[tokio::test]
async fn a_user_lives_from_create_to_delete() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}/users", rig.online_cluster("one").await);
    let body = json!({"name": "app", "settings": {"pg_allow_replication": true}});
    let created = rig.post(&path, &body).await;
    assert_eq!(created.status, 201, "{}", created.text);
    let user = created.json()["user"].clone();
    assert_eq!(user["role"], "normal");
    assert_eq!(user["settings"]["pg_allow_replication"], true);
    let read = rig.get(&format!("{path}/app")).await.json()["user"].clone();
    assert_eq!(read["password"], user["password"]);
    assert!(
        read.get("settings").is_none(),
        "reads aren't reliable about settings"
    );
    let list = rig.get(&path).await.json();
    let names: Vec<_> = list["users"]
        .as_array()
        .unwrap()
        .iter()
        .map(|user| user["name"].clone())
        .collect();
    assert_eq!(names, ["app", "doadmin"]);
    let changed = rig
        .put(
            &format!("{path}/app"),
            &json!({"settings": {"pg_allow_replication": false}}),
        )
        .await;
    assert_eq!(changed.status, 201, "this API answers 201 to a PUT");
    assert_eq!(
        changed.json()["user"]["settings"]["pg_allow_replication"],
        false
    );
    assert_eq!(rig.delete(&format!("{path}/app")).await.status, 204);
    assert_eq!(rig.delete(&format!("{path}/app")).await.status, 404);
    assert_eq!(rig.get(&format!("{path}/app")).await.status, 404);
}

#[tokio::test]
async fn reset_auth_gives_another_password() {
    let rig = Rig::frozen().await;
    let id = rig.online_cluster("one").await;
    let path = format!("/v2/databases/{id}/users");
    let first = rig.post(&path, &json!({"name": "app"})).await.json()["user"]["password"].clone();
    let reset = rig
        .post(&format!("{path}/app/reset_auth"), &json!({}))
        .await;
    assert_eq!(reset.status, 200);
    assert_ne!(reset.json()["user"]["password"], first);
    let primary = rig
        .post(&format!("{path}/doadmin/reset_auth"), &json!({}))
        .await
        .json();
    let cluster = rig.get(&format!("/v2/databases/{id}")).await.json();
    assert_eq!(
        cluster["database"]["connection"]["password"],
        primary["user"]["password"]
    );
}

#[tokio::test]
async fn doadmin_is_there_and_stays() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}/users", rig.online_cluster("one").await);
    assert_eq!(
        rig.get(&format!("{path}/doadmin")).await.json()["user"]["role"],
        "primary"
    );
    assert_eq!(
        rig.post(&path, &json!({"name": "doadmin"})).await.status,
        422
    );
    assert_eq!(rig.delete(&format!("{path}/doadmin")).await.status, 403);
}

#[tokio::test]
async fn users_are_refused_while_the_cluster_is_not_online() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}/users", rig.cluster("one").await);
    assert_eq!(rig.post(&path, &json!({"name": "app"})).await.status, 412);
    assert_eq!(rig.delete(&format!("{path}/app")).await.status, 412);
    assert_eq!(rig.get(&path).await.status, 200);
    let nowhere = "/v2/databases/00000000-0000-4000-8000-000000000000/users";
    assert_eq!(rig.post(nowhere, &json!({"name": "app"})).await.status, 404);
}

#[tokio::test]
async fn settings_of_other_engines_are_refused() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}/users", rig.online_cluster("one").await);
    for body in [
        json!({"name": "a", "mysql_settings": {"auth_plugin": "caching_sha2_password"}}),
        json!({"name": "a", "readonly": true}),
        json!({"name": "a", "settings": {"acl": []}}),
        json!({"name": "a", "settings": {"superuser": true}}),
        json!({"name": "a b"}),
        json!({"name": ""}),
    ] {
        assert_eq!(rig.post(&path, &body).await.status, 422, "{body}");
    }
}

#[tokio::test]
async fn one_change_at_a_time_in_a_cluster() {
    let mut config = Config {
        speed: 0.0,
        ..Config::default()
    };
    config.times.user = 1_000;
    let rig = Rig::with(config).await;
    let one = rig.online_cluster("one").await;
    let two = rig.online_cluster("two").await;
    let path = format!("/v2/databases/{one}/users");
    let user = json!({"name": "a"});
    let slow = rig.post(&path, &user);
    let rest = async {
        while rig.double.count("POST", "/v2/databases/*/users") == 0
            || rig.double.objects().totals.users_made == 0
        {
            tokio::task::yield_now().await;
        }
        assert_eq!(rig.post(&path, &json!({"name": "b"})).await.status, 409);
        assert_eq!(rig.delete(&format!("{path}/a")).await.status, 409);
        rig.double
            .configure(|config| config.times.user = 0)
            .unwrap();
        let elsewhere = format!("/v2/databases/{two}/users");
        assert_eq!(
            rig.post(&elsewhere, &json!({"name": "b"})).await.status,
            201
        );
        rig.double.advance(1_000);
    };
    let (first, ()) = tokio::join!(slow, rest);
    assert_eq!(first.status, 201);
    assert_eq!(rig.post(&path, &json!({"name": "b"})).await.status, 201);
}

#[tokio::test]
async fn later_reads_can_lose_the_password() {
    let rig = Rig::frozen().await;
    let path = format!("/v2/databases/{}/users", rig.online_cluster("one").await);
    let created = rig.post(&path, &json!({"name": "app"})).await.json();
    assert!(created["user"]["password"].as_str().unwrap().len() > 10);
    rig.double
        .configure(|config| config.secrets.user_passwords = UserPasswords::Empty)
        .unwrap();
    assert_eq!(
        rig.get(&format!("{path}/app")).await.json()["user"]["password"],
        ""
    );
    rig.double
        .configure(|config| config.secrets.user_passwords = UserPasswords::Absent)
        .unwrap();
    assert!(
        rig.get(&format!("{path}/app")).await.json()["user"]
            .get("password")
            .is_none()
    );
    let created = rig.post(&path, &json!({"name": "app2"})).await.json();
    assert!(
        created["user"]["password"].is_string(),
        "a create always shows it"
    );
}
