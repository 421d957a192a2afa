//! The audit and its seals.

use std::sync::Arc;

use berth_domain::audit::AuditOutcome;
use berth_domain::audit::chain::{RawRow, SealHash, Sealing};
use berth_domain::id::{PrincipalId, RequestId};
use berth_store::{AuditFilter, Store};

use super::fixture::*;

pub async fn the_audit_is_appended_and_read_newest_first(store: Arc<dyn Store>) {
    let one = tenant_id("one");
    let two = tenant_id("two");
    let rows = [audit(&one, "a"), audit(&two, "b"), audit(&one, "c")];
    store.append_audit(rows[..2].to_vec()).await.unwrap();
    store.append_audit(vec![]).await.unwrap();
    store.append_audit(rows[2..].to_vec()).await.unwrap();
    let reversed = [rows[2].clone(), rows[1].clone(), rows[0].clone()];
    assert_eq!(store.list_audit(None, 10).await.unwrap(), reversed);
    assert_eq!(store.list_audit(None, 2).await.unwrap(), reversed[..2]);
    assert_eq!(
        store.list_audit(Some(&one), 10).await.unwrap(),
        [rows[2].clone(), rows[0].clone()]
    );
}

pub async fn the_audit_is_narrowed_by_each_filter(store: Arc<dyn Store>) {
    let one = tenant_id("one");
    let mut odd = audit(&tenant_id("two"), "odd");
    odd.resource = "compute-secret/key".to_owned();
    odd.outcome = AuditOutcome::Refused;
    odd.request_id = Some(RequestId::generate(START, seed()));
    odd.principal_id = Some(PrincipalId::generate(START, seed()));
    store
        .append_audit(vec![audit(&one, "a"), odd.clone(), audit(&one, "b")])
        .await
        .unwrap();
    let nothing = AuditFilter::default();
    for filter in [
        AuditFilter {
            tenant: Some(odd.tenant_id.clone()),
            ..nothing.clone()
        },
        AuditFilter {
            resource: Some(odd.resource.clone()),
            ..nothing.clone()
        },
        AuditFilter {
            action: Some(odd.action.clone()),
            ..nothing.clone()
        },
        AuditFilter {
            principal: odd.principal_id.clone(),
            ..nothing.clone()
        },
        AuditFilter {
            request: odd.request_id.clone(),
            ..nothing.clone()
        },
        AuditFilter {
            outcome: Some(AuditOutcome::Refused),
            ..nothing.clone()
        },
        AuditFilter {
            before: Some(3),
            from: Some(2),
            ..nothing.clone()
        },
    ] {
        let found = store.find_audit(&filter, 10).await.unwrap();
        assert_eq!(found.len(), 1, "{filter:?}");
        assert_eq!((found[0].sequence, &found[0].row), (2, &odd), "{filter:?}");
    }
    let both = AuditFilter {
        tenant: Some(one),
        outcome: Some(AuditOutcome::Refused),
        ..nothing
    };
    assert_eq!(store.find_audit(&both, 10).await.unwrap(), []);
}

pub async fn a_seal_is_stored_only_if_it_follows_the_newest(store: Arc<dyn Store>) {
    let rows: Vec<_> = (0..4)
        .map(|n| audit(&tenant_id("acme"), &n.to_string()))
        .collect();
    store.append_audit(rows).await.unwrap();
    assert_eq!(store.last_seal().await.unwrap(), None);
    let seal = |sequence, rows: &[RawRow]| {
        let mut sealing = Sealing::new(sequence, SealHash::genesis(&deployment_id()), START);
        rows.iter().for_each(|row| sealing.add(row));
        sealing.finish().unwrap()
    };
    let raw = store.raw_audit(0, u64::MAX, 10).await.unwrap();
    assert_eq!(store.raw_audit(1, 3, 10).await.unwrap(), raw[1..3]);
    let first = seal(1, &raw[..2]);
    assert!(!store.put_seal(&seal(2, &raw[..2])).await.unwrap());
    assert!(store.put_seal(&first).await.unwrap());
    assert!(!store.put_seal(&seal(1, &raw[..3])).await.unwrap());
    let second = seal(2, &raw[2..]);
    assert!(store.put_seal(&second).await.unwrap());
    assert_eq!(store.last_seal().await.unwrap(), Some(second.clone()));
    assert_eq!(store.seals(0, 10).await.unwrap(), [first, second.clone()]);
    assert_eq!(store.seals(1, 10).await.unwrap(), [second]);
    let marks = store.audit_marks().await.unwrap();
    assert_eq!((marks.row, marks.seal), (4, 2));
}

pub async fn a_change_that_did_not_happen_is_not_audited(store: Arc<dyn Store>) {
    let tenant = tenant("acme", START);
    let audited = |action| vec![audit(&tenant_id("acme"), action)];
    store
        .create_tenant(&tenant, audited("first"))
        .await
        .unwrap();
    store
        .create_tenant(&tenant, audited("again"))
        .await
        .unwrap();
    let nobody = super::fixture::tenant("nobody", START);
    store
        .update_tenant(&nobody, audited("missing"))
        .await
        .unwrap();
    let actions: Vec<_> = store
        .list_audit(None, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|row| row.action)
        .collect();
    assert_eq!(actions, ["first"]);
}
