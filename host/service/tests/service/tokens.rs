//! Tokens, and the first start.

use berth_service::{Code, bootstrap, principals};
use serde_json::json;

use crate::harness::{World, input, json_of, token, told};

#[tokio::test]
async fn each_kind_of_bad_token_has_its_own_refusal() {
    let world = World::bare(Default::default()).await;
    let authenticate = |text: String| {
        let world = &world;
        async move {
            world
                .service
                .authenticate(&text, world.service.new_request_id(), None)
                .await
        }
    };
    for malformed in ["", "x", "brt_short", &format!("brt_{}", "G".repeat(64))] {
        let (code, reason, _) = told(authenticate(malformed.to_owned()).await);
        assert_eq!(
            (code, reason.as_str()),
            (Code::Unauthenticated, "malformed"),
            "{malformed}"
        );
    }
    assert_eq!(
        told(authenticate(format!("brt_{}", "0".repeat(64))).await).1,
        "unknown"
    );

    let body = json!({"tenantId": "root", "title": "t"});
    let principal = principals::create::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    let soon = world.service.now().0 + 1_000;
    let body = json!({"tenantId": "root", "principalId": principal.id, "expiresAt": soon});
    let expiring = principals::create_token::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    assert!(authenticate(expiring.token.clone()).await.is_ok());
    world.clock.advance(2_000);
    assert_eq!(told(authenticate(expiring.token).await).1, "expired");

    let body = json!({"tenantId": "root", "principalId": principal.id});
    let lasting = principals::create_token::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    let body = json!({"tenantId": "root", "tokenId": lasting.record.id});
    principals::revoke_token::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    assert_eq!(told(authenticate(lasting.token.clone()).await).1, "revoked");
    let listed = principals::list_tokens::handle(
        &world.service,
        &world.root,
        input(json!({"tenantId": "root"})),
    )
    .await;
    assert!(
        !json_of(listed.unwrap())
            .to_string()
            .contains(&lasting.token[4..])
    );
}

#[tokio::test]
async fn a_deleted_principals_tokens_are_refused() {
    let world = World::bare(Default::default()).await;
    let body = json!({"tenantId": "root", "title": "t"});
    let principal = principals::create::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    let body = json!({"tenantId": "root", "principalId": principal.id});
    let made = principals::create_token::handle(&world.service, &world.root, input(body.clone()))
        .await
        .unwrap();
    principals::delete::handle(&world.service, &world.root, input(body))
        .await
        .unwrap();
    let refused = world
        .service
        .authenticate(&made.token, world.service.new_request_id(), None)
        .await;
    assert_eq!(told(refused).0, Code::Unauthenticated);
    let own = json!({"tenantId": "root", "principalId": world.root.principal.id});
    let refused = principals::delete::handle(&world.service, &world.root, input(own)).await;
    assert_eq!(told(refused).0, Code::InvalidState);
}

/// A second start makes nothing new; a root token that is given and not known is taken, which is the
/// way back for an operator who lost his.
#[tokio::test]
async fn a_later_start_makes_nothing_and_takes_a_given_root_token() {
    let world = World::bare(Default::default()).await;
    let service = &world.service;
    let start = |given| {
        bootstrap(
            service.store().as_ref(),
            service.clock().as_ref(),
            service.entropy().as_ref(),
            given,
        )
    };
    let again = start(None).await.unwrap();
    assert_eq!(again.deployment, *service.deployment());
    assert!(again.new_root_token.is_none());
    let text = format!("brt_{}", "ab".repeat(32));
    for _ in 0..2 {
        assert!(
            start(Some(token(&text)))
                .await
                .unwrap()
                .new_root_token
                .is_none()
        );
        let caller = service
            .authenticate(&text, service.new_request_id(), None)
            .await
            .unwrap();
        assert_eq!(caller.principal.id, world.root.principal.id);
    }
    let tokens = service
        .store()
        .tokens(&world.root.principal.tenant_id, None, 500)
        .await
        .unwrap();
    assert_eq!(tokens.items.len(), 2);
}

/// The root principal can be deleted by another operator; a root token that is given brings it back.
#[tokio::test]
async fn a_given_root_token_brings_a_deleted_root_principal_back() {
    let world = World::bare(Default::default()).await;
    let service = &world.service;
    let other = world.caller("root", &[crate::harness::everything()]).await;
    let own = json!({"tenantId": "root", "principalId": world.root.principal.id});
    principals::delete::handle(service, &other, input(own))
        .await
        .unwrap();
    let text = format!("brt_{}", "cd".repeat(32));
    let given = Some(token(&text));
    bootstrap(
        service.store().as_ref(),
        service.clock().as_ref(),
        service.entropy().as_ref(),
        given,
    )
    .await
    .unwrap();
    let caller = service
        .authenticate(&text, service.new_request_id(), None)
        .await
        .unwrap();
    let tenants = berth_service::tenants::list::handle(service, &caller, input(json!({}))).await;
    assert!(tenants.is_ok());
}

/// An operator who took the root principal's policies away by mistake gets back in the same way.
#[tokio::test]
async fn a_given_root_token_makes_a_stripped_root_principal_an_administrator_again() {
    let world = World::bare(Default::default()).await;
    let service = &world.service;
    let body = json!({"tenantId": "root", "principalId": world.root.principal.id, "policies": []});
    principals::update::handle(service, &world.root, input(body))
        .await
        .unwrap();
    let text = format!("brt_{}", "ef".repeat(32));
    bootstrap(
        service.store().as_ref(),
        service.clock().as_ref(),
        service.entropy().as_ref(),
        Some(token(&text)),
    )
    .await
    .unwrap();
    let caller = service
        .authenticate(&text, service.new_request_id(), None)
        .await
        .unwrap();
    let tenants = berth_service::tenants::list::handle(service, &caller, input(json!({}))).await;
    assert!(tenants.is_ok());
}
