//! Principals, tokens, policies.

use std::sync::Arc;

use berth_domain::id::TokenId;
use berth_domain::platform::{Principal, Token};
use berth_domain::time::Millis;
use berth_store::{Created, Store};
use serde_json::json;

use super::fixture::*;

fn token(of: &Principal) -> Token {
    Token {
        id: TokenId::generate(START, seed()),
        principal_id: of.id.clone(),
        tenant_id: of.tenant_id.clone(),
        title: "A token".parse().unwrap(),
        expires_at: Some(Millis(START.0 + 1_000)),
        revoked_at: None,
        created_at: START,
    }
}

pub async fn a_principal_keeps_its_policies_in_order(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let mut policies = Vec::new();
    for n in 0..3 {
        let policy = policy(&home.tenant, Millis(START.0 + n));
        assert_eq!(
            store.put_policy(&policy, vec![]).await.unwrap(),
            Created::New
        );
        policies.push(policy.id);
    }
    policies.reverse();
    let mut made = principal(&home.tenant, policies.clone(), START);
    assert_eq!(
        store.create_principal(&made, vec![]).await.unwrap(),
        Created::New
    );
    assert_eq!(
        store.create_principal(&made, vec![]).await.unwrap(),
        Created::Taken
    );
    assert_eq!(
        store.principal(&home.tenant, &made.id).await.unwrap(),
        Some(made.clone())
    );

    made.policies = vec![policies[2].clone(), policies[0].clone()];
    made.groups.clear();
    made.title = "Changed".parse().unwrap();
    assert!(store.update_principal(&made, vec![]).await.unwrap());
    assert_eq!(
        store.principal(&home.tenant, &made.id).await.unwrap(),
        Some(made.clone())
    );
    let other = super::fixture::home(&store, "other").await;
    assert_eq!(
        store.principal(&other.tenant, &made.id).await.unwrap(),
        None
    );
    let mut stolen = made.clone();
    stolen.tenant_id = other.tenant;
    assert!(!store.update_principal(&stolen, vec![]).await.unwrap());
    assert_eq!(
        store.principal(&home.tenant, &made.id).await.unwrap(),
        Some(made)
    );
}

pub async fn a_policy_of_another_tenant_is_not_attached(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let own = policy(&home.tenant, START);
    let foreign = policy(&other.tenant, START);
    let missing = policy(&home.tenant, START);
    for policy in [&own, &foreign] {
        store.put_policy(policy, vec![]).await.unwrap();
    }
    let wanted = vec![foreign.id.clone(), own.id.clone(), missing.id];
    let made = principal(&home.tenant, wanted, START);
    store.create_principal(&made, vec![]).await.unwrap();
    let stored = store
        .principal(&home.tenant, &made.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.policies, [own.id]);
}

pub async fn deleting_a_policy_detaches_it(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let policy = policy(&home.tenant, START);
    store.put_policy(&policy, vec![]).await.unwrap();
    let made = principal(&home.tenant, vec![policy.id.clone()], START);
    store.create_principal(&made, vec![]).await.unwrap();
    assert!(
        !store
            .delete_policy(&other.tenant, &policy.id, vec![])
            .await
            .unwrap()
    );
    assert!(
        store
            .delete_policy(&home.tenant, &policy.id, vec![])
            .await
            .unwrap()
    );
    assert!(
        !store
            .delete_policy(&home.tenant, &policy.id, vec![])
            .await
            .unwrap()
    );
    assert_eq!(store.policy(&home.tenant, &policy.id).await.unwrap(), None);
    let stored = store
        .principal(&home.tenant, &made.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(stored.policies, []);
}

pub async fn deleting_a_principal_deletes_its_tokens(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let made = principal(&home.tenant, vec![], START);
    store.create_principal(&made, vec![]).await.unwrap();
    store
        .create_token(&token(&made), "hash", vec![])
        .await
        .unwrap();
    assert!(
        !store
            .delete_principal(&other.tenant, &made.id, vec![])
            .await
            .unwrap()
    );
    assert!(store.token_by_hash("hash").await.unwrap().is_some());
    assert!(
        store
            .delete_principal(&home.tenant, &made.id, vec![])
            .await
            .unwrap()
    );
    assert!(
        !store
            .delete_principal(&home.tenant, &made.id, vec![])
            .await
            .unwrap()
    );
    assert_eq!(store.token_by_hash("hash").await.unwrap(), None);
    assert_eq!(
        store.tokens(&home.tenant, None, 10).await.unwrap().items,
        []
    );
}

pub async fn a_token_is_found_by_its_hash_with_its_principal(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let mut attached = Vec::new();
    for _ in 0..2 {
        let policy = policy(&home.tenant, START);
        store.put_policy(&policy, vec![]).await.unwrap();
        attached.push(policy.id);
    }
    let made = principal(&home.tenant, attached, START);
    store.create_principal(&made, vec![]).await.unwrap();
    let first = token(&made);
    let second = token(&made);
    assert_eq!(
        store.create_token(&first, "one", vec![]).await.unwrap(),
        Created::New
    );
    assert_eq!(
        store.create_token(&second, "one", vec![]).await.unwrap(),
        Created::Taken
    );
    assert_eq!(
        store.create_token(&first, "two", vec![]).await.unwrap(),
        Created::Taken
    );
    assert_eq!(
        store.create_token(&second, "two", vec![]).await.unwrap(),
        Created::New
    );
    assert_eq!(
        store.token_by_hash("one").await.unwrap(),
        Some((first.clone(), made.clone()))
    );
    assert_eq!(
        store.token_by_hash("two").await.unwrap(),
        Some((second.clone(), made.clone()))
    );
    assert_eq!(store.token_by_hash("three").await.unwrap(), None);

    let page = store.tokens(&home.tenant, None, 1).await.unwrap();
    assert_eq!(page.items, [first]);
    let page = store
        .tokens(&home.tenant, page.next.as_deref(), 1)
        .await
        .unwrap();
    assert_eq!((page.items, page.next), (vec![second.clone()], None));
    assert_eq!(
        store.tokens(&other.tenant, None, 1).await.unwrap().items,
        []
    );

    // A token can't be made to stand for a principal of another tenant.
    let mut crossing = token(&made);
    crossing.tenant_id = other.tenant;
    assert!(store.create_token(&crossing, "four", vec![]).await.is_err());
}

pub async fn revoking_twice_keeps_the_first_time(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let made = principal(&home.tenant, vec![], START);
    store.create_principal(&made, vec![]).await.unwrap();
    let token = token(&made);
    store.create_token(&token, "hash", vec![]).await.unwrap();
    assert!(
        !store
            .revoke_token(&other.tenant, &token.id, Millis(5), vec![])
            .await
            .unwrap()
    );
    assert!(
        store
            .revoke_token(&home.tenant, &token.id, Millis(6), vec![])
            .await
            .unwrap()
    );
    assert!(
        store
            .revoke_token(&home.tenant, &token.id, Millis(7), vec![])
            .await
            .unwrap()
    );
    let (stored, _) = store.token_by_hash("hash").await.unwrap().unwrap();
    assert_eq!(stored.revoked_at, Some(Millis(6)));
}

pub async fn a_policy_of_another_tenant_is_not_overwritten(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let first = policy(&home.tenant, START);
    store.put_policy(&first, vec![]).await.unwrap();
    let mut stolen = first.clone();
    stolen.tenant_id = other.tenant.clone();
    stolen.document = json!({"stolen": true});
    assert_eq!(
        store.put_policy(&stolen, vec![]).await.unwrap(),
        Created::Taken
    );
    assert_eq!(
        store.policy(&home.tenant, &first.id).await.unwrap(),
        Some(first.clone())
    );
    assert_eq!(store.policy(&other.tenant, &first.id).await.unwrap(), None);

    let mut changed = first.clone();
    changed.document = json!({"Version": "2012-10-17", "Statement": [1]});
    changed.updated_at = Millis(START.0 + 1);
    assert_eq!(
        store.put_policy(&changed, vec![]).await.unwrap(),
        Created::New
    );
    assert_eq!(
        store.policy(&home.tenant, &first.id).await.unwrap(),
        Some(changed.clone())
    );
    let second = policy(&home.tenant, Millis(START.0 + 2));
    store.put_policy(&second, vec![]).await.unwrap();
    let page = store.policies(&home.tenant, None, 1).await.unwrap();
    assert_eq!(page.items, [changed]);
    let page = store
        .policies(&home.tenant, page.next.as_deref(), 1)
        .await
        .unwrap();
    assert_eq!((page.items, page.next), (vec![second], None));
    assert_eq!(
        store.policies(&other.tenant, None, 1).await.unwrap().items,
        []
    );
}

pub async fn every_write_that_decisions_depend_on_moves_the_version(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let version = async || store.policy_version(&home.tenant).await.unwrap();
    assert_eq!(version().await, 0);
    let policy = policy(&home.tenant, START);
    store.put_policy(&policy, vec![]).await.unwrap();
    assert_eq!(version().await, 1);
    store.put_policy(&policy, vec![]).await.unwrap();
    assert_eq!(version().await, 2);
    let made = principal(&home.tenant, vec![policy.id.clone()], START);
    store.create_principal(&made, vec![]).await.unwrap();
    assert_eq!(version().await, 3);
    store.update_principal(&made, vec![]).await.unwrap();
    assert_eq!(version().await, 4);
    store
        .delete_policy(&home.tenant, &policy.id, vec![])
        .await
        .unwrap();
    assert_eq!(version().await, 5);
    store
        .delete_principal(&home.tenant, &made.id, vec![])
        .await
        .unwrap();
    assert_eq!(version().await, 6);
    // What did not happen moves nothing, and neither does another tenant's write.
    store
        .delete_principal(&home.tenant, &made.id, vec![])
        .await
        .unwrap();
    store.update_principal(&made, vec![]).await.unwrap();
    let foreign = principal(&other.tenant, vec![], START);
    store.create_principal(&foreign, vec![]).await.unwrap();
    assert_eq!(version().await, 6);
    assert_eq!(store.policy_version(&tenant_id("nobody")).await.unwrap(), 0);
}

pub async fn principals_are_paged_with_their_policies(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let mut policies = Vec::new();
    for _ in 0..3 {
        let policy = policy(&home.tenant, START);
        store.put_policy(&policy, vec![]).await.unwrap();
        policies.push(policy.id);
    }
    let mut made = Vec::new();
    for n in 0..4 {
        let attached = policies.iter().take(n).cloned().collect();
        let principal = principal(&home.tenant, attached, START);
        store.create_principal(&principal, vec![]).await.unwrap();
        made.push(principal);
    }
    let first = store.principals(&home.tenant, None, 3).await.unwrap();
    assert_eq!(first.items, made[..3]);
    assert_eq!(first.next.as_deref(), Some(made[2].id.as_str()));
    let second = store
        .principals(&home.tenant, first.next.as_deref(), 3)
        .await
        .unwrap();
    assert_eq!((second.items.as_slice(), second.next), (&made[3..], None));
}
