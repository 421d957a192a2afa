//! Sealed secrets.

use std::sync::Arc;

use berth_domain::id::TenantId;
use berth_domain::platform::SecretInfo;
use berth_domain::secret::{SecretName, SecretRef};
use berth_domain::time::Millis;
use berth_store::{AccountChange, NewSecret, Resealed, SealedSecret, SecretChange, Store};

use super::fixture::*;

fn secret(tenant: &TenantId, name: &str, version: u64) -> NewSecret {
    NewSecret {
        tenant: tenant.clone(),
        name: name.parse().unwrap(),
        version,
        sealed: vec![u8::try_from(version).unwrap(), 0, 255],
        resource: None,
        at: Millis(START.0 + i64::try_from(version).unwrap()),
    }
}

fn name(text: &str) -> SecretName {
    text.parse().unwrap()
}

pub async fn versions_are_stored_one_after_another(store: Arc<dyn Store>) {
    let tenant = home(&store, "acme").await.tenant;
    let put = async |version| {
        store
            .put_secret(secret(&tenant, "a/b", version), vec![])
            .await
            .unwrap()
    };
    assert_eq!(store.secret(&tenant, &name("a/b")).await.unwrap(), None);
    assert_eq!(put(2).await, SecretChange::Stale(0));
    assert_eq!(put(1).await, SecretChange::Stored);
    assert_eq!(put(1).await, SecretChange::Stale(1));
    assert_eq!(put(3).await, SecretChange::Stale(1));
    assert_eq!(put(2).await, SecretChange::Stored);
    let stored = store.secret(&tenant, &name("a/b")).await.unwrap().unwrap();
    assert_eq!(stored.sealed, [2, 0, 255]);
    let wanted = SecretInfo {
        reference: SecretRef::new(tenant.clone(), name("a/b")),
        version: 2,
        resource_id: None,
        created_at: Millis(START.0 + 1),
        updated_at: Millis(START.0 + 2),
    };
    assert_eq!(stored.info, wanted);
}

pub async fn of_two_writers_of_one_version_one_is_stale(store: Arc<dyn Store>) {
    let tenant = home(&store, "acme").await.tenant;
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let (store, tenant) = (store.clone(), tenant.clone());
            tokio::spawn(async move {
                let audit = vec![audit(&tenant, "compute:secrets:put")];
                store
                    .put_secret(secret(&tenant, "a", 1), audit)
                    .await
                    .unwrap()
            })
        })
        .collect();
    let mut stored = 0;
    for task in tasks {
        match task.await.unwrap() {
            SecretChange::Stored => stored += 1,
            SecretChange::Stale(version) => assert_eq!(version, 1),
            SecretChange::KeyRetired => panic!("no key is retired"),
        }
    }
    assert_eq!(stored, 1);
    assert_eq!(store.list_audit(None, 100).await.unwrap().len(), 1);
}

pub async fn secrets_are_listed_by_name_without_their_bytes(store: Arc<dyn Store>) {
    let tenant = home(&store, "acme").await.tenant;
    for name in ["c", "a", "b/x", "b"] {
        store
            .put_secret(secret(&tenant, name, 1), vec![])
            .await
            .unwrap();
    }
    let names = |items: &[SecretInfo]| -> Vec<String> {
        items
            .iter()
            .map(|info| info.reference.name().to_string())
            .collect()
    };
    let first = store.secrets(&tenant, None, 3).await.unwrap();
    assert_eq!(names(&first.items), ["a", "b", "b/x"]);
    let second = store
        .secrets(&tenant, first.next.as_deref(), 3)
        .await
        .unwrap();
    assert_eq!(names(&second.items), ["c"]);
    assert_eq!(second.next, None);
}

pub async fn a_deleted_secret_is_gone_and_starts_anew(store: Arc<dyn Store>) {
    let tenant = home(&store, "acme").await.tenant;
    store
        .put_secret(secret(&tenant, "a", 1), vec![])
        .await
        .unwrap();
    assert!(
        store
            .delete_secret(&tenant, &name("a"), vec![])
            .await
            .unwrap()
    );
    assert!(
        !store
            .delete_secret(&tenant, &name("a"), vec![])
            .await
            .unwrap()
    );
    assert_eq!(store.secret(&tenant, &name("a")).await.unwrap(), None);
    assert_eq!(
        store
            .put_secret(secret(&tenant, "a", 2), vec![])
            .await
            .unwrap(),
        SecretChange::Stale(0)
    );
    assert_eq!(
        store
            .put_secret(secret(&tenant, "a", 1), vec![])
            .await
            .unwrap(),
        SecretChange::Stored
    );
}

pub async fn another_tenants_secret_is_out_of_reach(store: Arc<dyn Store>) {
    let one = home(&store, "one").await.tenant;
    let two = home(&store, "two").await.tenant;
    store
        .put_secret(secret(&one, "a", 1), vec![])
        .await
        .unwrap();
    assert_eq!(store.secret(&two, &name("a")).await.unwrap(), None);
    assert!(!store.delete_secret(&two, &name("a"), vec![]).await.unwrap());
    assert_eq!(store.secrets(&two, None, 10).await.unwrap().items, []);
    let own = store
        .put_secret(secret(&two, "a", 1), vec![])
        .await
        .unwrap();
    assert_eq!(own, SecretChange::Stored);
    assert!(store.delete_secret(&two, &name("a"), vec![]).await.unwrap());
    assert!(store.secret(&one, &name("a")).await.unwrap().is_some());
}

/// Sealed with a key, as the vault writes it: the layout, the key, and what nobody reads here.
fn sealed_with(key: u8, text: &str) -> Vec<u8> {
    [&[1], [key; 8].as_slice(), text.as_bytes()].concat()
}

pub async fn what_a_retired_key_sealed_is_not_stored(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let with = |key, version| NewSecret {
        sealed: sealed_with(key, "x"),
        ..secret(&home.tenant, "a", version)
    };
    let put = async |key, version| store.put_secret(with(key, version), vec![]).await.unwrap();
    assert_eq!(put(1, 1).await, SecretChange::Stored);
    assert!(!store.is_retired([1; 8]).await.unwrap());
    for _ in 0..2 {
        let audit = vec![audit(&home.tenant, "retire")];
        store.retire_keys(vec![[1; 8]], START, audit).await.unwrap();
    }
    assert!(store.is_retired([1; 8]).await.unwrap());
    assert_eq!(put(1, 2).await, SecretChange::KeyRetired);
    assert_eq!(put(2, 3).await, SecretChange::Stale(1));
    assert_eq!(put(2, 2).await, SecretChange::Stored);
    let fresh = NewSecret {
        sealed: sealed_with(1, "x"),
        ..secret(&home.tenant, "b", 1)
    };
    assert_eq!(
        store.put_secret(fresh, vec![]).await.unwrap(),
        SecretChange::KeyRetired
    );
    let account = store.account(&home.account).await.unwrap().unwrap();
    let change = store.update_account(&account, Some(with(1, 3)), vec![]);
    assert_eq!(
        change.await.unwrap(),
        AccountChange::Unsealed(SecretChange::KeyRetired)
    );
}

pub async fn secrets_are_sealed_again_unless_they_changed(store: Arc<dyn Store>) {
    let one = home(&store, "one").await.tenant;
    let two = home(&store, "two").await.tenant;
    for (tenant, name, key) in [
        (&one, "a", 1),
        (&one, "b", 2),
        (&one, "c", 1),
        (&two, "a", 1),
    ] {
        let secret = NewSecret {
            sealed: sealed_with(key, name),
            ..secret(tenant, name, 1)
        };
        store.put_secret(secret, vec![]).await.unwrap();
    }
    let usage = store.key_usage().await.unwrap();
    assert_eq!(usage, [([1; 8], 3), ([2; 8], 1)]);
    let first = store.sealed_otherwise([2; 8], None, 2).await.unwrap();
    let references = |found: &[SealedSecret]| -> Vec<String> {
        let written = found.iter().map(|found| found.info.reference.to_string());
        written.collect()
    };
    assert_eq!(references(&first), ["secret://one/a", "secret://one/c"]);
    let rest = store
        .sealed_otherwise([2; 8], Some(&first[1].info.reference), 2)
        .await
        .unwrap();
    assert_eq!(references(&rest), ["secret://two/a"]);
    // One of them is written meanwhile.
    let written = NewSecret {
        sealed: sealed_with(2, "newer"),
        ..secret(&one, "c", 2)
    };
    store.put_secret(written, vec![]).await.unwrap();
    let again = |found: &SealedSecret| Resealed {
        reference: found.info.reference.clone(),
        was: found.sealed.clone(),
        sealed: sealed_with(2, "again"),
    };
    let all = first.iter().chain(&rest).map(again).collect();
    assert_eq!(store.reseal(all).await.unwrap(), 2);
    assert_eq!(store.key_usage().await.unwrap(), [([2; 8], 4)]);
    let of = async |name| store.secret(&one, &name).await.unwrap().unwrap();
    let (resealed, newer) = (of(name("a")).await, of(name("c")).await);
    assert_eq!(
        (resealed.info, resealed.sealed),
        (first[0].info.clone(), sealed_with(2, "again"))
    );
    assert_eq!(
        (newer.info.version, newer.sealed),
        (2, sealed_with(2, "newer"))
    );
}
