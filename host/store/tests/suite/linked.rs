//! Instances and networks.

use std::sync::Arc;

use berth_domain::id::{InstanceId, NetworkId};
use berth_domain::linked::{Draft, LinkedId, LinkedRow, Refusal, Registration, Sort};
use berth_domain::time::Millis;
use berth_store::{LinkedFilter, Store};

use super::fixture::*;

fn draft(sort: Sort, objects: &[(&str, &str)]) -> Draft {
    Draft {
        id: None,
        fresh: match sort {
            Sort::Instance => LinkedId::Instance(InstanceId::generate(START, seed())),
            Sort::Network => LinkedId::Network(NetworkId::generate(START, seed())),
        },
        title: None,
        objects: objects
            .iter()
            .map(|(region, id)| ((*region).to_owned(), (*id).to_owned()))
            .collect(),
    }
}

fn registration(home: &Home, sort: Sort, drafts: Vec<Draft>, whole: bool) -> Registration {
    Registration {
        tenant: home.tenant.clone(),
        account: home.account.clone(),
        sort,
        drafts,
        whole,
        at: START,
    }
}

async fn register(store: &Arc<dyn Store>, registration: Registration) -> Vec<LinkedRow> {
    let audited = audit(&registration.tenant, "compute:instances:write");
    let plan = store.register_linked(registration, audited).await.unwrap();
    plan.unwrap().rows
}

fn filter(sort: Sort) -> LinkedFilter {
    LinkedFilter {
        sort,
        account: None,
        include_gone: false,
    }
}

pub async fn what_is_recorded_reads_back_and_pages(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let drafts = (0..5).map(|n| draft(Sort::Instance, &[("nyc3", &format!("m-{n}"))]));
    let machines = register(
        &store,
        registration(&home, Sort::Instance, drafts.collect(), true),
    )
    .await;
    let vpcs = draft(
        Sort::Network,
        &[("nyc3", "v-1"), ("ams3", "v-2"), ("fra1", "v-3")],
    );
    let networks = register(
        &store,
        registration(&home, Sort::Network, vec![vpcs], false),
    )
    .await;
    let ids: Vec<LinkedId> = machines
        .iter()
        .chain(&networks)
        .map(|row| row.id.clone())
        .collect();
    let mut read = store.linked(&ids).await.unwrap();
    read.sort_by_key(|row| ids.iter().position(|id| *id == row.id));
    assert_eq!(read, [machines.clone(), networks.clone()].concat());

    let mut paged = Vec::new();
    let mut after = None;
    loop {
        let page = store
            .linked_of(&home.tenant, &filter(Sort::Instance), after.as_deref(), 2)
            .await
            .unwrap();
        paged.extend(page.items);
        match page.next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    let mut by_id = machines;
    by_id.sort_by(|a, b| a.id.as_str().cmp(b.id.as_str()));
    assert_eq!(paged, by_id);
    let page = store
        .linked_of(&home.tenant, &filter(Sort::Network), None, 1)
        .await
        .unwrap();
    assert_eq!((page.items, page.next), (networks, None));
    let page = store
        .linked_of(&other.tenant, &filter(Sort::Instance), None, 9)
        .await
        .unwrap();
    assert_eq!(page.items, []);
}

pub async fn what_is_missing_from_a_whole_set_is_gone_with_the_same_write(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let one = |object| vec![draft(Sort::Instance, &[("nyc3", object)])];
    let old = register(
        &store,
        registration(&home, Sort::Instance, one("m-1"), true),
    )
    .await;
    let audited = audit(&home.tenant, "compute:instances:write");
    let next = registration(&home, Sort::Instance, one("m-2"), true);
    let plan = store.register_linked(next, audited).await.unwrap().unwrap();
    assert_eq!(plan.gone[0].id, old[0].id);
    assert_eq!(store.linked(&[old[0].id.clone()]).await.unwrap(), plan.gone);
    let page = store
        .linked_of(&home.tenant, &filter(Sort::Instance), None, 9)
        .await
        .unwrap();
    assert_eq!(page.items, plan.rows);
    let detail = store.list_audit(None, 1).await.unwrap().remove(0).detail;
    assert_eq!(
        (&detail["changed"], &detail["gone"]),
        (&1.into(), &1.into())
    );
    // Its object may be another's now.
    let other = super::fixture::home(&store, "other").await;
    let guest = super::fixture::guest(&store, &other.tenant, &home.account).await;
    register(
        &store,
        registration(&guest, Sort::Instance, one("m-1"), false),
    )
    .await;
}

pub async fn objects_that_rows_exchange_are_written_together(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let both = |a: &str, b: &str| {
        vec![
            draft(Sort::Network, &[("nyc3", a)]),
            draft(Sort::Network, &[("nyc3", b)]),
        ]
    };
    let rows = register(
        &store,
        registration(&home, Sort::Network, both("a", "b"), true),
    )
    .await;
    let mut exchanged = both("b", "a");
    for (draft, row) in exchanged.iter_mut().zip(&rows) {
        draft.id = Some(row.id.clone());
    }
    let after = register(&store, registration(&home, Sort::Network, exchanged, true)).await;
    assert_eq!(after[0].objects["nyc3"], "b");
    let ids: Vec<LinkedId> = rows.into_iter().map(|row| row.id).collect();
    assert_eq!(store.linked(&ids).await.unwrap().len(), 2);
}

pub async fn of_two_that_record_one_object_one_wins(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let guest = super::fixture::guest(&store, &other.tenant, &home.account).await;
    let put = |of: &Home| {
        let drafts = vec![draft(Sort::Instance, &[("nyc3", "m-1")])];
        let audited = audit(&of.tenant, "compute:instances:write");
        store.register_linked(registration(of, Sort::Instance, drafts, false), audited)
    };
    let (one, two) = tokio::join!(put(&home), put(&guest));
    let outcomes = [one.unwrap(), two.unwrap()];
    assert_eq!(outcomes.iter().filter(|outcome| outcome.is_ok()).count(), 1);
    let refused = outcomes.into_iter().find_map(Result::err);
    assert!(
        matches!(refused, Some(Refusal::ObjectTaken { .. })),
        "{refused:?}"
    );
}

pub async fn what_ended_once_stays_as_it_was(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let drafts = vec![draft(Sort::Instance, &[("nyc3", "m-1")])];
    let row = register(&store, registration(&home, Sort::Instance, drafts, false))
        .await
        .remove(0);
    let end = |tenant: &berth_domain::id::TenantId, at: i64| {
        let (store, tenant, id) = (store.clone(), tenant.clone(), row.id.clone());
        async move {
            let audited = vec![audit(&tenant, "compute:instances:write")];
            store
                .end_linked(&tenant, &id, Millis(at), audited)
                .await
                .unwrap()
        }
    };
    assert_eq!(end(&other.tenant, 5).await, None, "a stranger's");
    let ended = end(&home.tenant, 7).await.unwrap();
    assert_eq!(
        (ended.gone_at, ended.updated_at),
        (Some(Millis(7)), Millis(7))
    );
    assert_eq!(end(&home.tenant, 9).await, Some(ended));
    assert_eq!(
        store.list_audit(None, 100).await.unwrap().len(),
        2,
        "the registration and the end"
    );
}
