//! Leases.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use berth_domain::id::ResourceId;
use berth_domain::resource::State;
use berth_domain::time::{Millis, Span};
use berth_store::{Claim, ClaimRequest, Committed, Store};

use super::fixture::*;

fn at(offset: i64) -> Millis {
    Millis(START.0 + offset)
}

/// Stores a row that is due at an offset from the start.
async fn due(store: &Arc<dyn Store>, home: &Home, name: &str, offset: i64) -> ResourceId {
    let mut row = row(home, name);
    row.schedule.next_run_at = Some(at(offset));
    create(store, creation(row)).await.row.id
}

fn ids(claims: &[Claim]) -> Vec<ResourceId> {
    claims
        .iter()
        .map(|claim| claim.stored.row.id.clone())
        .collect()
}

pub async fn due_work_is_claimed_oldest_first(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let late = due(&store, &home, "late", 300).await;
    let early = due(&store, &home, "early", 100).await;
    let middle = due(&store, &home, "middle", 200).await;
    due(&store, &home, "not-yet", 401).await;
    let mut never = row(&home, "never");
    never.schedule.next_run_at = None;
    create(&store, creation(never)).await;

    let two = ClaimRequest {
        limit: 2,
        ..claim_all(at(400))
    };
    let first = store.claim(two.clone()).await.unwrap();
    assert_eq!(ids(&first), [early, middle]);
    let second = store.claim(two.clone()).await.unwrap();
    assert_eq!(ids(&second), [late]);
    assert_eq!(store.claim(two).await.unwrap(), []);
}

pub async fn a_row_is_never_claimed_twice_while_its_lease_holds(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    due(&store, &home, "a", 0).await;
    claim_one(&store, at(0)).await;
    assert_eq!(store.claim(claim_all(at(59_999))).await.unwrap(), []);
    let again = claim_one(&store, at(60_000)).await;
    assert_eq!(again.epoch, 2);
}

pub async fn many_hosts_at_once_never_share_a_row(store: Arc<dyn Store>) {
    const ROWS: usize = 60;
    let home = home(&store, "acme").await;
    for n in 0..ROWS {
        due(&store, &home, &format!("a{n}"), 0).await;
    }
    let tasks: Vec<_> = (0..30)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                let request = ClaimRequest {
                    host: format!("host-{n}"),
                    limit: 7,
                    ..claim_all(at(0))
                };
                store.claim(request).await.unwrap()
            })
        })
        .collect();
    let mut seen = Vec::new();
    for task in tasks {
        seen.extend(ids(&task.await.unwrap()));
    }
    assert_eq!(seen.len(), ROWS);
    assert_eq!(seen.into_iter().collect::<BTreeSet<_>>().len(), ROWS);
}

pub async fn a_lease_that_ran_out_is_claimed_again_under_a_higher_epoch(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    due(&store, &home, "a", 0).await;
    let mut epochs = Vec::new();
    for n in 0..4 {
        epochs.push(claim_one(&store, at(n * 60_000)).await.epoch);
    }
    assert_eq!(epochs, [1, 2, 3, 4]);
}

pub async fn an_account_has_no_more_leases_than_its_cap(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    for n in 0..5 {
        due(&store, &home, &format!("a{n}"), n).await;
    }
    let capped = |now| ClaimRequest {
        per_account: 2,
        ..claim_all(now)
    };
    let first = store.claim(capped(at(10))).await.unwrap();
    assert_eq!(first.len(), 2);
    assert_eq!(store.claim(capped(at(20))).await.unwrap(), []);
    store.commit_run(run_end(&first[0], at(20))).await.unwrap();
    // The row that ended is due again (its run changed nothing) and is the oldest.
    assert_eq!(
        ids(&store.claim(capped(at(30))).await.unwrap()),
        ids(&first[..1])
    );
    // Leases that ran out are not counted.
    assert_eq!(store.claim(capped(at(100_000))).await.unwrap().len(), 2);
}

pub async fn accounts_take_turns(store: Arc<dyn Store>) {
    let busy = home(&store, "busy").await;
    let quiet = home(&store, "quiet").await;
    for n in 0..10 {
        due(&store, &busy, &format!("a{n}"), n).await;
    }
    let waiting = due(&store, &quiet, "b", 500).await;
    let request = ClaimRequest {
        limit: 3,
        ..claim_all(at(1_000))
    };
    let claims = store.claim(request.clone()).await.unwrap();
    assert_eq!(claims.len(), 3);
    assert!(
        ids(&claims).contains(&waiting),
        "the backlog of one account holds up no other"
    );

    // Runs under way count: who has two of them waits behind who has none.
    let next = due(&store, &quiet, "c", 900).await;
    store
        .commit_run(run_end(
            claims.iter().find(|c| c.stored.row.id == waiting).unwrap(),
            at(1_000),
        ))
        .await
        .unwrap();
    let claims = store
        .claim(ClaimRequest {
            limit: 2,
            ..request
        })
        .await
        .unwrap();
    assert_eq!(ids(&claims), [waiting, next]);
}

pub async fn tenants_of_an_account_take_turns(store: Arc<dyn Store>) {
    let busy = home(&store, "busy").await;
    store
        .create_tenant(&tenant("quiet", START), vec![])
        .await
        .unwrap();
    let quiet = guest(&store, &tenant_id("quiet"), &busy.account).await;
    for n in 0..10 {
        due(&store, &busy, &format!("a{n}"), n).await;
    }
    let waiting = due(&store, &quiet, "b", 500).await;
    let request = ClaimRequest {
        limit: 8,
        per_account: 2,
        ..claim_all(at(1_000))
    };
    let claims = store.claim(request).await.unwrap();
    assert_eq!(claims.len(), 2);
    assert!(ids(&claims).contains(&waiting));
}

pub async fn what_somebody_waits_for_goes_before_a_refresh(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let resting = async |name: &str, state: State, offset: i64| {
        let mut row = row(&home, name);
        row.state = state;
        row.schedule.next_run_at = Some(at(offset));
        create(&store, creation(row)).await.row.id
    };
    let ready = resting("ready", State::Ready, 0).await;
    let failed = resting("failed", State::Error, 1).await;
    let fresh = due(&store, &home, "fresh", 50_000).await;
    let overdue = resting("overdue", State::Ready, -60_000).await;
    let one = ClaimRequest {
        limit: 1,
        ..claim_all(at(55_000))
    };
    let mut order = Vec::new();
    for _ in 0..4 {
        order.extend(ids(&store.claim(one.clone()).await.unwrap()));
    }
    // A refresh yields for a minute, and no longer.
    assert_eq!(order, [overdue, fresh, ready, failed]);
}

pub async fn a_claim_changes_no_revision(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let id = due(&store, &home, "a", 0).await;
    let before = reread(&store, &id).await;
    let claim = claim_one(&store, at(0)).await;
    assert_eq!(claim.stored, before);
    store
        .renew("host-1", &[(id.clone(), claim.epoch)], at(90_000))
        .await
        .unwrap();
    store.give_up(&id, claim.epoch).await.unwrap();
    assert_eq!(reread(&store, &id).await, before);
}

pub async fn renewing_tells_which_leases_were_lost(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    for name in ["a", "b", "c"] {
        due(&store, &home, name, 0).await;
    }
    let claims = store.claim(claim_all(at(0))).await.unwrap();
    let leases: Vec<_> = claims
        .iter()
        .map(|c| (c.stored.row.id.clone(), c.epoch))
        .collect();
    store.give_up(&leases[0].0, leases[0].1).await.unwrap();
    assert_eq!(
        store.renew("host-1", &leases, at(120_000)).await.unwrap(),
        [leases[0].0.clone()]
    );
    assert_eq!(
        store
            .renew("host-2", &leases, at(120_000))
            .await
            .unwrap()
            .len(),
        3
    );
    // What was given up is due; what was renewed holds for longer than it was claimed for.
    let taken = claim_one(&store, at(100_000)).await;
    assert_eq!(taken.stored.row.id, leases[0].0);
    assert_eq!(
        store
            .renew("host-1", &leases[..1], at(200_000))
            .await
            .unwrap(),
        [leases[0].0.clone()],
        "an old epoch renews nothing, though the host is the same"
    );
    assert_eq!(store.renew("host-1", &[], at(0)).await.unwrap(), []);
}

pub async fn giving_up_keeps_the_row_due(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let id = due(&store, &home, "a", 0).await;
    let first = claim_one(&store, at(10)).await;
    store.give_up(&id, first.epoch).await.unwrap();
    assert_eq!(
        reread(&store, &id).await.row.schedule.next_run_at,
        Some(at(0))
    );
    let second = claim_one(&store, at(10)).await;
    assert!(second.epoch > first.epoch);
    store.give_up(&id, first.epoch).await.unwrap();
    assert_eq!(
        store.claim(claim_all(at(20))).await.unwrap(),
        [],
        "the lease of another is not given up"
    );
}

pub async fn the_next_due_row_is_not_one_that_is_being_worked_on(store: Arc<dyn Store>) {
    assert_eq!(store.next_due().await.unwrap(), None);
    let home = home(&store, "acme").await;
    due(&store, &home, "a", 100).await;
    due(&store, &home, "b", 500_000).await;
    assert_eq!(store.next_due().await.unwrap(), Some(at(100)));
    let claim = claim_one(&store, at(200)).await;
    assert_eq!(
        store.next_due().await.unwrap(),
        Some(at(60_200)),
        "when the lease runs out"
    );
    let mut end = run_end(&claim, at(300));
    end.row.schedule.next_run_at = None;
    assert_eq!(store.commit_run(end).await.unwrap(), Committed::Stored(2));
    assert_eq!(store.next_due().await.unwrap(), Some(at(500_000)));
}

pub async fn rows_due_for_refresh_are_told_by_account_and_kind(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let mut expected = BTreeMap::new();
    for (name, offset) in [("a", 30), ("b", 10), ("c", 20), ("d", 40)] {
        expected.insert(offset, due(&store, &home, name, offset).await);
    }
    due(&store, &other, "e", 0).await;
    let mut of_another_kind = row(&home, "f");
    of_another_kind.kind = kind("x.cache");
    create(&store, creation(of_another_kind)).await;

    let disk = kind("x.disk");
    let ids = store
        .due_for_refresh(&home.account, &disk, at(30), 10)
        .await
        .unwrap();
    assert_eq!(ids, [10, 20, 30].map(|offset| expected[&offset].clone()));
    let ids = store
        .due_for_refresh(&home.account, &disk, at(30), 1)
        .await
        .unwrap();
    assert_eq!(ids, [expected[&10].clone()]);
    let request = ClaimRequest {
        limit: 1,
        lease: Span::minutes(1),
        ..claim_all(at(10))
    };
    // The other account's row and the row of the other kind are due too; only one of ours is claimed.
    let claimed = store
        .claim(ClaimRequest {
            limit: 3,
            ..request
        })
        .await
        .unwrap();
    assert!(
        claimed
            .iter()
            .any(|claim| claim.stored.row.id == expected[&10])
    );
    let ids = store
        .due_for_refresh(&home.account, &disk, at(30), 10)
        .await
        .unwrap();
    assert_eq!(
        ids,
        [20, 30].map(|offset| expected[&offset].clone()),
        "leased rows are left out"
    );
}
