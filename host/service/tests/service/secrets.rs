//! Secrets: sealed, shown by nothing but `reveal`.

use berth_domain::resource::Schedule;
use berth_service::{Code, secrets};
use serde_json::{Value, json};

use crate::harness::{Choices, World, allow, input, json_of, told};

const CANARY: &str = "canary-5b1f";

#[tokio::test]
async fn a_value_is_shown_by_reveal_alone_and_that_is_audited() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let body = |name: &str| json!({"tenantId": "acme", "name": name});
    let put = json!({"tenantId": "acme", "name": "app/token", "value": CANARY});
    let shown = json_of(
        secrets::put::handle(&world.service, &tenant.admin, input(put.clone()))
            .await
            .unwrap(),
    );
    assert_eq!(
        (&shown["ref"], &shown["version"]),
        (&json!("secret://acme/app/token"), &json!(1))
    );
    let again = json_of(
        secrets::put::handle(&world.service, &tenant.admin, input(put))
            .await
            .unwrap(),
    );
    assert_eq!(again["version"], 2);
    let got = json_of(
        secrets::get::handle(&world.service, &tenant.admin, input(body("app/token")))
            .await
            .unwrap(),
    );
    let listed = json_of(
        secrets::list::handle(
            &world.service,
            &tenant.admin,
            input(json!({"tenantId": "acme"})),
        )
        .await
        .unwrap(),
    );
    for answer in [&shown, &again, &got, &listed] {
        assert!(!answer.to_string().contains(CANARY));
    }
    let revealed = secrets::reveal::handle(&world.service, &tenant.admin, input(body("app/token")))
        .await
        .unwrap();
    assert_eq!(revealed.value, CANARY);
    assert!(!format!("{revealed:?}").contains(CANARY));
    assert_eq!(world.last_audit().await.0, "compute:secrets:reveal Done");
    let audit = world.service.store().list_audit(None, 500).await.unwrap();
    assert!(!json_of(audit).to_string().contains(CANARY));
}

#[tokio::test]
async fn reading_about_a_secret_is_not_revealing_it() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "token", CANARY).await;
    let reader = world
        .caller(
            "acme",
            &[allow(&[
                "compute:secrets:read",
                "compute:secrets:use",
                "compute:secrets:write",
            ])],
        )
        .await;
    let body = json!({"tenantId": "acme", "name": "token"});
    assert!(
        secrets::get::handle(&world.service, &reader, input(body.clone()))
            .await
            .is_ok()
    );
    let refused = secrets::reveal::handle(&world.service, &reader, input(body)).await;
    assert_eq!(told(refused).0, Code::AccessDenied);
}

#[tokio::test]
async fn what_the_host_keeps_is_not_the_tenants_to_write_or_destroy() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let account = world.account_of("acme", json!({})).await;
    let credential = format!("provider-accounts/{account}");
    for name in ["cloud-resources/crs_1/password", credential.as_str()] {
        let put = json!({"tenantId": "acme", "name": name, "value": "v"});
        let (code, _, field) =
            told(secrets::put::handle(&world.service, &tenant.admin, input(put)).await);
        assert_eq!((code, field.as_str()), (Code::InvalidInput, "name"));
        let delete = json!({"tenantId": "acme", "name": name});
        assert_eq!(
            told(secrets::delete::handle(&world.service, &tenant.admin, input(delete)).await).0,
            Code::InvalidInput
        );
    }
    let reveal = json!({"tenantId": "acme", "name": credential});
    assert_eq!(
        told(secrets::reveal::handle(&world.service, &tenant.admin, input(reveal)).await).0,
        Code::InvalidInput
    );
}

#[tokio::test]
async fn a_deleted_secret_is_gone() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "token", CANARY).await;
    let body = json!({"tenantId": "acme", "name": "token"});
    secrets::delete::handle(&world.service, &tenant.admin, input(body.clone()))
        .await
        .unwrap();
    let calls: [Result<Value, _>; 2] = [
        secrets::reveal::handle(&world.service, &tenant.admin, input(body.clone()))
            .await
            .map(json_of),
        secrets::delete::handle(&world.service, &tenant.admin, input(body))
            .await
            .map(json_of),
    ];
    for refused in calls {
        assert_eq!(told(refused).0, Code::NotFound);
    }
}

#[tokio::test]
async fn a_deployment_without_a_secret_store_says_so() {
    let world = World::with(Choices {
        no_vault: true,
        ..Choices::default()
    })
    .await;
    let tenant = world.tenant("acme").await;
    let put = json!({"tenantId": "acme", "name": "token", "value": "v"});
    let (code, reason, _) =
        told(secrets::put::handle(&world.service, &tenant.admin, input(put)).await);
    assert_eq!((code, reason.as_str()), (Code::Unsupported, "secretStore"));
}

/// An input is logged by accident sooner or later: it shows nothing.
#[test]
fn no_formatter_shows_a_value_that_came_in() {
    let put: secrets::put::Input =
        input(json!({"tenantId": "acme", "name": "token", "value": CANARY}));
    assert!(!format!("{put:?}").contains(CANARY));
    let account: berth_service::accounts::create::Input =
        input(json!({"tenantId": "acme", "title": "t", "provider": "do", "credential": CANARY}));
    assert!(!format!("{account:?}").contains(CANARY));
}

/// A new version is told to whoever uses the secret: its next look is at once.
#[tokio::test]
async fn a_new_version_has_the_resources_that_name_it_looked_at() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "token", CANARY).await;
    let env = |reference: &str| json!([{"key": "TOKEN", "type": "SECRET", "value": reference}]);
    let mut user = world.app(&tenant.id, "user");
    user["spec"]["services"][0]["envs"] = env("secret://acme/token");
    let mut ids = Vec::new();
    for body in [user, world.app(&tenant.id, "stranger")] {
        let id = world.create(&tenant.admin, &body).await.unwrap().id;
        world.as_if_ready(&id).await;
        world
            .as_if(&id, |row| row.schedule = Schedule::never())
            .await;
        ids.push(id);
    }
    world.secret(&tenant, "token", "another").await;
    let row = world.row(&ids[0]).await;
    assert!(row.schedule.next_run_at.is_some());
    assert_eq!(
        row.version, 1,
        "only updates of the tenant move the version"
    );
    assert!(world.row(&ids[1]).await.schedule.next_run_at.is_none());
}
