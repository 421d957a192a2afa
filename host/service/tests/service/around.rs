//! Tenants, principals, policies, accounts, pools, offers.

use berth_service::{Code, accounts, audit, offers, policies, pools, principals, tenants};
use serde_json::{Value, json};

use crate::harness::{World, everything, groups, input, json_of, told};

#[tokio::test]
async fn a_tenant_is_made_once_and_reads_itself() {
    let world = World::bare(Default::default()).await;
    let tenant = world.bare_tenant("acme").await;
    let again = tenants::create::handle(
        &world.service,
        &world.root,
        input(json!({"tenantId": "acme", "title": "t"})),
    )
    .await;
    assert_eq!(told(again).0, Code::Conflict);
    let own = tenants::get::handle(
        &world.service,
        &tenant.admin,
        input(json!({"tenantId": "acme"})),
    )
    .await;
    assert_eq!(own.unwrap().id, tenant.id);
    let raise = json!({"tenantId": "acme", "quotas": {"do.app": 99}});
    let raise = tenants::update::handle(&world.service, &tenant.admin, input(raise)).await;
    assert_eq!(
        told(raise).0,
        Code::AccessDenied,
        "no tenant raises its own quota"
    );
    let set = |quota: Value| input(json!({"tenantId": "acme", "quotas": {"do.app": quota}}));
    let raised = tenants::update::handle(&world.service, &world.root, set(json!(5)))
        .await
        .unwrap();
    assert_eq!(json!(raised.quotas), json!({"do.app": 5}));
    let lowered = tenants::update::handle(&world.service, &world.root, set(Value::Null))
        .await
        .unwrap();
    assert!(lowered.quotas.is_empty());
    let missing = tenants::get::handle(
        &world.service,
        &world.root,
        input(json!({"tenantId": "nobody"})),
    )
    .await;
    assert_eq!(told(missing).0, Code::NotFound);
    let all = tenants::list::handle(&world.service, &world.root, input(json!({})))
        .await
        .unwrap();
    assert_eq!(all.items.len(), 2);
}

#[tokio::test]
async fn a_principal_has_only_policies_of_its_tenant() {
    let world = World::bare(Default::default()).await;
    let tenant = world.bare_tenant("acme").await;
    let other = world.bare_tenant("other").await;
    let foreign = &other.admin.principal.policies[0];
    for policy in [
        foreign.to_string(),
        "pol_00000000000000000000000000".to_owned(),
    ] {
        let body = json!({"tenantId": "acme", "title": "t", "policies": [policy]});
        let (code, _, field) =
            told(principals::create::handle(&world.service, &tenant.admin, input(body)).await);
        assert_eq!((code, field.as_str()), (Code::InvalidInput, "policies.0"));
    }
    let body = json!({"tenantId": "acme", "title": "t", "groups": ["a", "b"]});
    let made = principals::create::handle(&world.service, &tenant.admin, input(body))
        .await
        .unwrap();
    assert_eq!(made.groups, groups(&["a", "b"]));
    let body = json!({"tenantId": "acme", "principalId": made.id, "title": "renamed"});
    let renamed = principals::update::handle(&world.service, &tenant.admin, input(body.clone()))
        .await
        .unwrap();
    assert_eq!(renamed.groups, made.groups, "what is left out stays");
    let get = json!({"tenantId": "acme", "principalId": made.id});
    assert_eq!(
        principals::get::handle(&world.service, &tenant.admin, input(get))
            .await
            .unwrap(),
        renamed
    );
    let long = json!({"tenantId": "acme", "title": "t", "groups": ["x".repeat(65)]});
    assert_eq!(
        told(principals::create::handle(&world.service, &tenant.admin, input(long)).await).2,
        "groups"
    );
}

#[tokio::test]
async fn a_policy_is_validated_when_it_is_written() {
    let world = World::bare(Default::default()).await;
    let tenant = world.bare_tenant("acme").await;
    let put = |document: Value| {
        let body = json!({"tenantId": "acme", "title": "t", "document": document});
        policies::put::handle(&world.service, &tenant.admin, input(body))
    };
    let misspelt = json!({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "compute:cloud-resources:raed", "Resource": "*"}]});
    let refusal = put(misspelt).await.unwrap_err();
    let field = refusal
        .details
        .get("field")
        .and_then(Value::as_str)
        .unwrap();
    assert!(
        refusal.code == Code::InvalidInput && field.starts_with("document.Statement.0.Action"),
        "{field}"
    );
    let made = put(everything()).await.unwrap();
    let body = json!({"tenantId": "acme", "policyId": made.id});
    policies::delete::handle(&world.service, &tenant.admin, input(body.clone()))
        .await
        .unwrap();
    let gone = policies::get::handle(&world.service, &tenant.admin, input(body)).await;
    assert_eq!(told(gone).0, Code::NotFound);
    let unknown =
        json!({"tenantId": "acme", "policyId": made.id, "title": "t", "document": everything()});
    let unknown = policies::put::handle(&world.service, &tenant.admin, input(unknown)).await;
    assert_eq!(told(unknown).0, Code::NotFound);
}

#[tokio::test]
async fn a_tenant_registers_an_account_and_says_nothing_of_its_egress() {
    let world = World::new().await;
    let tenant = world.bare_tenant("acme").await;
    let body = json!({"tenantId": "acme", "title": "own", "provider": "do", "credential": "dop_v1_canary"});
    let made = accounts::create::handle(&world.service, &tenant.admin, input(body.clone()))
        .await
        .unwrap();
    assert!(!json_of(&made).to_string().contains("canary"));
    assert!(made.egress.is_none());
    let mut with_egress = body.clone();
    with_egress["egress"] =
        json!({"baseUrls": {"https://api.digitalocean.com": "http://10.0.0.1"}});
    let (code, reason, _) = told(
        accounts::create::handle(&world.service, &tenant.admin, input(with_egress.clone())).await,
    );
    assert_eq!(
        (code, reason.as_str()),
        (Code::AccessDenied, "operatorOnly")
    );
    let update = json!({"tenantId": "acme", "accountId": made.id, "egress": with_egress["egress"]});
    let update = accounts::update::handle(&world.service, &tenant.admin, input(update)).await;
    assert_eq!(told(update).1, "operatorOnly");
    // The operator's own word is still checked: plain http must be meant.
    let (code, _, field) =
        told(accounts::create::handle(&world.service, &world.root, input(with_egress)).await);
    assert_eq!((code, field.as_str()), (Code::InvalidInput, "egress"));
    let audit = json_of(world.service.store().list_audit(None, 500).await.unwrap()).to_string();
    assert!(!audit.contains("canary"));
}

#[tokio::test]
async fn a_credential_may_come_from_a_secret_of_the_owner() {
    let world = World::new().await;
    let tenant = world.bare_tenant("acme").await;
    let other = world.bare_tenant("other").await;
    for owner in [&tenant, &other] {
        world.secret(owner, "do-token", "dop_v1_canary").await;
    }
    let body = |reference: &str| json!({"tenantId": "acme", "title": "own", "provider": "do", "credential": reference});
    let made = accounts::create::handle(
        &world.service,
        &tenant.admin,
        input(body("secret://acme/do-token")),
    )
    .await
    .unwrap();
    let name = accounts::credential_name(&made.id).unwrap();
    let kept = world
        .service
        .store()
        .secret(&tenant.id, &name)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(kept.info.version, 1);
    for wrong in [
        "secret://other/do-token",
        "secret://acme/missing",
        kept.info.reference.to_string().as_str(),
    ] {
        let (code, _, field) =
            told(accounts::create::handle(&world.service, &tenant.admin, input(body(wrong))).await);
        assert_eq!(
            (code, field.as_str()),
            (Code::InvalidInput, "credential"),
            "{wrong}"
        );
    }
    let renew = json!({"tenantId": "acme", "accountId": made.id, "credential": "dop_v1_new", "regions": ["ams3"]});
    let renewed = accounts::update::handle(&world.service, &tenant.admin, input(renew))
        .await
        .unwrap();
    assert_eq!(renewed.regions, ["ams3"]);
    let kept = world
        .service
        .store()
        .secret(&tenant.id, &name)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(kept.info.version, 2);
}

#[tokio::test]
async fn a_pool_stands_on_an_account_of_its_owner() {
    let world = World::new().await;
    let tenant = world.bare_tenant("acme").await;
    let create = |body: Value| pools::create::handle(&world.service, &tenant.admin, input(body));
    let wrong = [
        json!({"tenantId": "acme", "title": "t", "type": "provider"}),
        json!({"tenantId": "acme", "title": "t", "type": "provider", "accountId": world.account}),
        json!({"tenantId": "acme", "title": "t", "type": "machines", "accountId": world.account}),
    ];
    for body in wrong {
        let (code, _, field) = told(create(body).await);
        assert_eq!((code, field.as_str()), (Code::InvalidInput, "accountId"));
    }
    let account = world.account_of("acme", json!({})).await;
    let made =
        create(json!({"tenantId": "acme", "title": "t", "type": "provider", "accountId": account}))
            .await
            .unwrap();
    let get = |pool: &berth_domain::id::PoolId| input(json!({"tenantId": "acme", "poolId": pool}));
    assert_eq!(
        pools::get::handle(&world.service, &tenant.admin, get(&made.id))
            .await
            .unwrap(),
        made
    );
    assert_eq!(
        told(pools::get::handle(&world.service, &tenant.admin, get(&world.pool)).await).0,
        Code::NotFound
    );
    world.offer("acme").await;
    assert!(
        pools::get::handle(&world.service, &tenant.admin, get(&world.pool))
            .await
            .is_ok()
    );
    let list = pools::list::handle(
        &world.service,
        &tenant.admin,
        input(json!({"tenantId": "acme"})),
    )
    .await
    .unwrap();
    assert_eq!(list.items.len(), 2);
}

#[tokio::test]
async fn an_offer_is_of_the_platforms_pool_and_made_once() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    let again = json!({"poolId": world.pool, "tenantId": "acme"});
    assert_eq!(
        told(offers::create::handle(&world.service, &world.root, input(again)).await).0,
        Code::Conflict
    );
    let account = world.account_of("acme", json!({})).await;
    let own = world.pool_on("acme", &account).await;
    world.bare_tenant("other").await;
    let body = json!({"poolId": own, "tenantId": "other"});
    assert_eq!(
        told(offers::create::handle(&world.service, &world.root, input(body)).await).2,
        "poolId"
    );
    let list = offers::list::handle(
        &world.service,
        &tenant.admin,
        input(json!({"tenantId": "acme"})),
    )
    .await
    .unwrap();
    assert_eq!(list.items.len(), 1);
    let delete = json!({"offerId": list.items[0].id});
    offers::delete::handle(&world.service, &world.root, input(delete.clone()))
        .await
        .unwrap();
    assert_eq!(
        told(offers::delete::handle(&world.service, &world.root, input(delete)).await).0,
        Code::NotFound
    );
}

#[tokio::test]
async fn a_tenant_reads_its_own_audit_and_operators_all() {
    let world = World::bare(Default::default()).await;
    let tenant = world.bare_tenant("acme").await;
    let own = audit::list::handle(
        &world.service,
        &tenant.admin,
        input(json!({"tenantId": "acme"})),
    )
    .await
    .unwrap();
    assert!(!own.items.is_empty() && own.items.iter().all(|item| item.row.tenant_id == tenant.id));
    let all = audit::list::handle(&world.service, &tenant.admin, input(json!({}))).await;
    assert_eq!(told(all).0, Code::AccessDenied);
    let all = audit::list::handle(&world.service, &world.root, input(json!({"limit": 500})))
        .await
        .unwrap();
    assert!(all.items.iter().any(|item| item.row.tenant_id.is_root()));
    let zero = audit::list::handle(&world.service, &world.root, input(json!({"limit": 0}))).await;
    assert_eq!(told(zero).2, "limit");
}

#[tokio::test]
async fn a_credential_that_cannot_be_one_is_refused_instead_of_sealed() {
    let world = World::new().await;
    let tenant = world.tenant("acme").await;
    for wrong in [
        "",
        "secret:/acme/s1",
        "secret://acme/bad name",
        "x\r\nHost: evil",
        "with space",
        "\u{0}",
    ] {
        let body =
            json!({"tenantId": "acme", "title": "own", "provider": "do", "credential": wrong});
        let (code, _, field) =
            told(accounts::create::handle(&world.service, &tenant.admin, input(body)).await);
        assert_eq!(
            (code, field.as_str()),
            (Code::InvalidInput, "credential"),
            "{wrong:?}"
        );
    }
}
