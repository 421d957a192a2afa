//! Every method refuses who may not.

use std::future::Future;
use std::pin::Pin;

use berth_service::{
    Caller, Code, Service, ServiceError, accounts, audit, cloud_resources, events, instances,
    networks, offers, plugins, policies, pools, principals, projects, secrets, tenants,
};
use serde_json::{Value, json};

use crate::harness::{World, everything, input, lay_over, told};

type Refused<'a> = Pin<Box<dyn Future<Output = Result<(), ServiceError>> + 'a>>;

/// A method with an input that would do, called by somebody who may do nothing.
macro_rules! calls {
    ($service:expr, $caller:expr, $($module:ident :: $method:ident $body:expr),* $(,)?) => {
        vec![$((
            concat!(stringify!($module), "/", stringify!($method)),
            {
                let body = input::<$module::$method::Input>($body);
                Box::pin(async move { $module::$method::handle($service, $caller, body).await.map(|_| ()) }) as Refused<'_>
            },
        )),*]
    };
}

fn every_method<'a>(
    service: &'a Service,
    caller: &'a Caller,
    tenant: &'a str,
    ids: &'a Value,
) -> Vec<(&'static str, Refused<'a>)> {
    let with = move |more: Value| {
        let mut body = json!({"tenantId": tenant});
        lay_over(&mut body, more);
        body
    };
    let policy = everything();
    calls![service, caller,
        cloud_resources::kinds with(json!({"poolId": ids["pool"]})),
        cloud_resources::catalog with(json!({"poolId": ids["pool"]})),
        cloud_resources::signals with(json!({"poolId": ids["pool"]})),
        cloud_resources::create with(json!({"poolId": ids["pool"], "kind": "do.app", "name": "n", "idempotencyKey": "k",
            "spec": {"region": "nyc", "services": []}})),
        cloud_resources::list with(json!({})),
        cloud_resources::get with(json!({"resourceId": ids["resource"]})),
        cloud_resources::update with(json!({"resourceId": ids["resource"], "description": "d"})),
        cloud_resources::delete with(json!({"resourceId": ids["resource"]})),
        tenants::create json!({"tenantId": "fresh", "title": "t"}),
        tenants::get with(json!({})),
        tenants::list json!({}),
        tenants::update with(json!({"quotas": {"do.app": 99}})),
        projects::create with(json!({"title": "t"})),
        projects::get with(json!({"projectId": "prj_00000000000000000000000000"})),
        projects::list with(json!({})),
        principals::create with(json!({"title": "t"})),
        principals::get with(json!({"principalId": ids["principal"]})),
        principals::list with(json!({})),
        principals::update with(json!({"principalId": ids["principal"], "title": "t"})),
        principals::delete with(json!({"principalId": ids["principal"]})),
        principals::create_token with(json!({"principalId": ids["principal"]})),
        principals::list_tokens with(json!({})),
        principals::revoke_token with(json!({"tokenId": "tok_00000000000000000000000000"})),
        policies::put with(json!({"title": "t", "document": policy.clone()})),
        policies::get with(json!({"policyId": ids["policy"]})),
        policies::list with(json!({})),
        policies::delete with(json!({"policyId": ids["policy"]})),
        accounts::create with(json!({"title": "t", "provider": "do", "credential": "c"})),
        accounts::get with(json!({"accountId": ids["account"]})),
        accounts::list with(json!({})),
        accounts::update with(json!({"accountId": ids["account"], "title": "t"})),
        pools::create with(json!({"title": "t", "type": "machines"})),
        pools::get with(json!({"poolId": ids["pool"]})),
        pools::list with(json!({})),
        offers::create with(json!({"poolId": ids["pool"]})),
        offers::list with(json!({})),
        offers::delete json!({"offerId": "off_00000000000000000000000000"}),
        instances::put with(json!({"accountId": ids["account"], "providerId": "1", "region": "nyc3"})),
        instances::sync with(json!({"accountId": ids["account"], "instances": []})),
        instances::get with(json!({"instanceId": "ins_00000000000000000000000000"})),
        instances::list with(json!({})),
        instances::delete with(json!({"instanceId": "ins_00000000000000000000000000"})),
        networks::put with(json!({"accountId": ids["account"], "vpcs": {"nyc3": "v"}})),
        networks::sync with(json!({"accountId": ids["account"], "networks": []})),
        networks::get with(json!({"networkId": "net_00000000000000000000000000"})),
        networks::list with(json!({})),
        networks::delete with(json!({"networkId": "net_00000000000000000000000000"})),
        secrets::put with(json!({"name": "n", "value": "v"})),
        secrets::get with(json!({"name": "n"})),
        secrets::list with(json!({})),
        secrets::reveal with(json!({"name": "n"})),
        secrets::delete with(json!({"name": "n"})),
        events::list with(json!({})),
        audit::list with(json!({})),
        plugins::install json!({"component": ""}),
        plugins::list json!({}),
        plugins::show json!({"digest": "0".repeat(64)}),
        plugins::activate json!({"digest": "0".repeat(64)}),
    ]
}

/// rule: CR-064, CR-072, CR-087, CR-137, CR-156, CR-163, CR-216
#[tokio::test]
async fn every_method_refuses_who_has_no_policy_and_audits_it() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let nobody = world.caller("acme", &[]).await;
    let ids = json!({"pool": world.pool, "resource": made.id, "account": world.account,
        "principal": tenant.admin.principal.id, "policy": tenant.admin.principal.policies[0]});
    for (name, call) in every_method(&world.service, &nobody, "acme", &ids) {
        assert_eq!(told(call.await).0, Code::AccessDenied, "{name}");
        let (audited, detail) = world.last_audit().await;
        assert!(audited.ends_with("Refused"), "{name}: {audited}");
        assert_eq!(detail["code"], "ACCESS_DENIED", "{name}");
    }
    assert_eq!(world.row(&made.id).await.version, 1);
}

/// A tenant's administrator is nobody in another tenant, and nobody among operators.
#[tokio::test]
async fn every_method_refuses_an_administrator_of_another_tenant() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let made = world
        .create(&tenant.admin, &world.app(&tenant.id, "main"))
        .await
        .unwrap();
    let stranger = world.tenant("other").await.admin;
    let ids = json!({"pool": world.pool, "resource": made.id, "account": world.account,
        "principal": tenant.admin.principal.id, "policy": tenant.admin.principal.policies[0]});
    for (name, call) in every_method(&world.service, &stranger, "acme", &ids) {
        assert_eq!(told(call.await).0, Code::AccessDenied, "{name}");
    }
    let acme = world
        .service
        .store()
        .list_audit(Some(&tenant.id), 500)
        .await
        .unwrap();
    let written = acme
        .iter()
        .filter(|row| row.principal_id.as_ref() == Some(&stranger.principal.id))
        .count();
    assert_eq!(written, 0, "a stranger writes into no other tenant's audit");
}
