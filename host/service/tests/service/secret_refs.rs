//! SecretRefs in specs.

use berth_service::{Code, Settings};
use serde_json::{Value, json};

use crate::harness::{Choices, Tenant, World, allow, told};

/// An app with one secret variable.
fn app(world: &World, tenant: &Tenant, name: &str, value: &str) -> Value {
    let mut body = world.app(&tenant.id, name);
    body["spec"]["services"][0]["envs"] =
        json!([{"key": "TOKEN", "type": "SECRET", "value": value}]);
    body
}

const FIELD: &str = "spec.services.0.envs.0.value";

/// rule: CR-107
#[tokio::test]
async fn a_secret_field_takes_a_reference_and_no_value() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "app/token", "canary-value").await;
    let refusal = world
        .create(&tenant.admin, &app(&world, &tenant, "a", "canary-in-plain"))
        .await
        .unwrap_err();
    assert_eq!(refusal.details.get("field"), Some(&json!(FIELD)));
    assert!(!refusal.message.contains("canary"), "{}", refusal.message);
    let made = world
        .create(
            &tenant.admin,
            &app(&world, &tenant, "a", "secret://acme/app/token"),
        )
        .await
        .unwrap();
    assert_eq!(
        made.spec["services"][0]["envs"][0]["value"],
        "secret://acme/app/token"
    );
}

/// rule: CR-108
#[tokio::test]
async fn foreign_and_missing_secrets_are_refused_alike() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let other = world.tenant("other").await;
    world.secret(&other, "theirs", "v").await;
    let mut refusals = Vec::new();
    for reference in [
        "secret://other/theirs",
        "secret://acme/missing",
        "secret://nobody/x",
    ] {
        refusals.push(
            world
                .create(&tenant.admin, &app(&world, &tenant, "a", reference))
                .await
                .unwrap_err(),
        );
    }
    assert_eq!(refusals[0].code, Code::InvalidInput);
    assert_eq!(refusals[0].details.get("field"), Some(&json!(FIELD)));
    assert!(
        refusals.iter().all(|refusal| *refusal == refusals[0]),
        "{refusals:#?}"
    );
}

/// The credential of an account is no secret that a spec can use, though it is sealed in the same store.
#[tokio::test]
async fn an_accounts_credential_is_not_to_be_referred_to() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let account = world.account_of("acme", json!({})).await;
    let reference = format!("secret://acme/provider-accounts/{account}");
    let (code, _, field) = told(
        world
            .create(&tenant.admin, &app(&world, &tenant, "a", &reference))
            .await,
    );
    assert_eq!((code, field.as_str()), (Code::InvalidInput, FIELD));
}

/// Where no secret is meant, a reference would go to the provider as it stands.
#[tokio::test]
async fn a_reference_at_an_unmarked_place_is_refused() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "token", "v").await;
    let mut body = app(&world, &tenant, "a", "secret://acme/token");
    body["spec"]["services"][0]["envs"][0]["type"] = json!("GENERAL");
    let (code, _, field) = told(world.create(&tenant.admin, &body).await);
    assert_eq!((code, field.as_str()), (Code::InvalidInput, FIELD));
}

/// Who may not use a secret does not learn whether it exists.
#[tokio::test]
async fn using_a_secret_is_decided_before_it_is_looked_for() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "token", "v").await;
    let caller = world
        .caller("acme", &[allow(&["compute:cloud-resources:*"])])
        .await;
    for reference in ["secret://acme/token", "secret://acme/missing"] {
        let refusal = world
            .create(&caller, &app(&world, &tenant, "a", reference))
            .await
            .unwrap_err();
        assert_eq!(refusal.code, Code::AccessDenied);
        assert!(
            refusal.message.contains("compute:secrets:use"),
            "{}",
            refusal.message
        );
    }
    let user = world
        .caller(
            "acme",
            &[allow(&["compute:cloud-resources:*", "compute:secrets:use"])],
        )
        .await;
    assert!(
        world
            .create(&user, &app(&world, &tenant, "a", "secret://acme/token"))
            .await
            .is_ok()
    );
}

/// rule: CR-169
#[tokio::test]
async fn a_reference_that_a_change_brings_in_is_checked_and_one_that_was_there_is_not() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    world.secret(&tenant, "token", "v").await;
    let made = world
        .create(
            &tenant.admin,
            &app(&world, &tenant, "a", "secret://acme/token"),
        )
        .await
        .unwrap();
    let caller = world
        .caller("acme", &[allow(&["compute:cloud-resources:*"])])
        .await;
    let services = |reference: &str, name: &str| {
        let mut body = app(&world, &tenant, "a", reference);
        body["spec"]["services"][0]["name"] = json!(name);
        json!({"spec": {"services": body["spec"]["services"]}})
    };
    let kept = services("secret://acme/token", "web2");
    assert!(
        world
            .update(&caller, &tenant.id, &made.id, kept)
            .await
            .is_ok()
    );
    let brought = services("secret://acme/missing", "web");
    assert_eq!(
        told(
            world
                .update(&caller, &tenant.id, &made.id, brought.clone())
                .await
        )
        .0,
        Code::AccessDenied
    );
    assert_eq!(
        told(
            world
                .update(&tenant.admin, &tenant.id, &made.id, brought)
                .await
        )
        .0,
        Code::InvalidInput
    );
    assert_eq!(world.row(&made.id).await.version, 2);
}

#[tokio::test]
async fn a_spec_refers_to_no_more_secrets_than_the_setting_says() {
    let settings = Settings {
        max_secret_refs: 2,
        ..Settings::default()
    };
    let world = World::with(Choices {
        settings,
        ..Choices::default()
    })
    .await;
    let tenant = world.tenant("acme").await;
    let mut body = world.app(&tenant.id, "a");
    let envs: Vec<Value> = (0..3)
        .map(|n| json!({"key": format!("K{n}"), "type": "SECRET", "value": format!("secret://acme/s{n}")}))
        .collect();
    body["spec"]["services"][0]["envs"] = json!(envs);
    let refusal = world.create(&tenant.admin, &body).await.unwrap_err();
    assert!(
        refusal.message.contains("maxSecretRefs"),
        "{}",
        refusal.message
    );
}
