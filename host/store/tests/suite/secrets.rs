//! Sealed secrets.

use std::sync::Arc;

use berth_domain::id::TenantId;
use berth_domain::platform::SecretInfo;
use berth_domain::secret::{SecretName, SecretRef};
use berth_domain::time::Millis;
use berth_store::{NewSecret, SecretChange, Store};

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
