//! Spans of meters, prices, budgets.

use std::sync::Arc;

use berth_domain::id::{BudgetId, PriceId};
use berth_domain::metering::{HOURS, MeterSpan, Window};
use berth_domain::money::{Budget, Price, Ran};
use berth_domain::time::Millis;
use berth_store::{MeteredSpan, SpanFilter, SpanPlace, Store};

use super::fixture::{
    Home, START, claim_one, create, creation, home, project, reread, row, run_end, seed, update,
};

fn at(millis: i64) -> Millis {
    Millis(START.0 + millis)
}

fn window(from: i64, to: i64) -> Window {
    Window {
        from: at(from),
        to: at(to),
    }
}

fn span(meter: &str, rate: u64, from: i64, until: Option<i64>) -> MeterSpan {
    MeterSpan {
        meter: meter.to_owned(),
        rate,
        from: at(from),
        until: until.map(at),
    }
}

fn all(window: Window) -> SpanFilter {
    SpanFilter {
        tenant: None,
        resource: None,
        meter: None,
        window,
        after: None,
    }
}

async fn spans(store: &Arc<dyn Store>, filter: &SpanFilter) -> Vec<MeterSpan> {
    let spans = store.meter_spans(filter, 100).await.unwrap();
    spans.into_iter().map(|metered| metered.span).collect()
}

/// A row with these spans.
async fn metered(store: &Arc<dyn Store>, home: &Home, name: &str, spans: Vec<MeterSpan>) {
    let stored = create(store, creation(row(home, name))).await;
    let mut change = update(&stored);
    change.spans = spans;
    store.update_resources(vec![change]).await.unwrap();
}

pub async fn a_span_is_recorded_with_its_row_and_once(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let stored = create(&store, creation(row(&home, "a"))).await;
    let claim = claim_one(&store, START).await;
    let mut begin = run_end(&claim, START);
    begin.spans = vec![span(HOURS, 1, 5, None)];
    begin.keep_lease = true;
    // A lease that is another's stores no span either.
    let mut lost = begin.clone();
    lost.epoch += 1;
    store.commit_run(lost).await.unwrap();
    assert!(spans(&store, &all(window(0, 100))).await.is_empty());
    store.commit_run(begin).await.unwrap();
    assert_eq!(
        spans(&store, &all(window(0, 100))).await,
        [span(HOURS, 1, 5, None)]
    );
    for _ in 0..2 {
        let mut end = update(&reread(&store, &stored.row.id).await);
        end.spans = vec![span(HOURS, 1, 5, Some(60))];
        store.update_resources(vec![end]).await.unwrap();
    }
    let recorded = store.meter_spans(&all(window(0, 100)), 10).await.unwrap();
    let expected = MeteredSpan {
        resource: stored.row.id.clone(),
        tenant: home.tenant.clone(),
        project: None,
        pool: home.pool.clone(),
        kind: stored.row.kind.clone(),
        span: span(HOURS, 1, 5, Some(60)),
    };
    assert_eq!(recorded, [expected]);
}

pub async fn a_meter_runs_once_at_a_time(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let stored = create(&store, creation(row(&home, "a"))).await;
    let mut first = update(&stored);
    first.spans = vec![span("x.gb", 5, 0, None)];
    store.update_resources(vec![first]).await.unwrap();
    let mut twice = update(&reread(&store, &stored.row.id).await);
    twice.spans = vec![span("x.gb", 7, 10, None)];
    assert!(store.update_resources(vec![twice.clone()]).await.is_err());
    // At another rate it goes on where it ended; even in the same millisecond.
    twice.spans = vec![span("x.gb", 5, 0, Some(0)), span("x.gb", 7, 0, None)];
    store.update_resources(vec![twice]).await.unwrap();
    assert_eq!(
        spans(&store, &all(window(0, 100))).await,
        [span("x.gb", 7, 0, None)]
    );
}

pub async fn spans_are_read_by_window_place_and_owner(store: Arc<dyn Store>) {
    let acme = home(&store, "acme").await;
    let other = home(&store, "other").await;
    let runs = vec![
        span("a", 1, 0, Some(10)),
        span("a", 2, 10, Some(30)),
        span("b", 1, 5, None),
    ];
    metered(&store, &acme, "one", runs).await;
    metered(&store, &other, "two", vec![span("a", 1, 0, Some(100))]).await;
    let of_acme = SpanFilter {
        tenant: Some(acme.tenant.clone()),
        ..all(window(10, 40))
    };
    assert_eq!(
        spans(&store, &of_acme).await,
        [span("a", 2, 10, Some(30)), span("b", 1, 5, None)],
        "what ended when the window began is not in it"
    );
    let resource = row(&acme, "one").id;
    let behind = SpanFilter {
        after: Some(SpanPlace {
            resource: resource.clone(),
            meter: "a".parse().unwrap(),
            at: at(30),
        }),
        ..of_acme.clone()
    };
    assert_eq!(spans(&store, &behind).await, [span("b", 1, 5, None)]);
    let of_meter = SpanFilter {
        meter: Some("a".parse().unwrap()),
        ..all(window(0, 40))
    };
    assert_eq!(spans(&store, &of_meter).await.len(), 3);
    let of_resource = SpanFilter {
        resource: Some(resource),
        ..all(window(0, 40))
    };
    assert_eq!(spans(&store, &of_resource).await.len(), 3);
    assert_eq!(
        store
            .meter_spans(&all(window(0, 40)), 2)
            .await
            .unwrap()
            .len(),
        2
    );
    assert!(spans(&store, &all(window(0, 0))).await.is_empty());
}

pub async fn what_ran_is_summed_up_by_its_price(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let project = project(&home.tenant, START);
    store.create_project(&project, vec![]).await.unwrap();
    metered(
        &store,
        &home,
        "one",
        vec![span("a", 1, 0, Some(10)), span("a", 1, 50, None)],
    )
    .await;
    metered(
        &store,
        &home,
        "two",
        vec![span("a", 1, 5, Some(20)), span("b", 3, 0, None)],
    )
    .await;
    let mut of_project = row(&home, "three");
    of_project.project = Some(project.id.clone());
    let stored = create(&store, creation(of_project)).await;
    let mut change = update(&stored);
    change.spans = vec![span("a", 1, 0, None)];
    store.update_resources(vec![change]).await.unwrap();

    let ran = async |project, window| -> Vec<(String, u64, u64)> {
        let ran = store.ran(&home.tenant, project, window).await.unwrap();
        let told = |ran: Ran| (ran.meter, ran.rate, ran.millis);
        ran.into_iter().map(told).collect()
    };
    // One 2 and 40, two 12, three 92; b 92.
    assert_eq!(
        ran(None, window(8, 100)).await,
        [
            ("a".to_owned(), 1, 2 + 50 + 12 + 92),
            ("b".to_owned(), 3, 92)
        ]
    );
    assert_eq!(
        ran(Some(&project.id), window(8, 100)).await,
        [("a".to_owned(), 1, 92)]
    );
    assert!(ran(None, window(0, 0)).await.is_empty());
}

fn price(home: &Home, of_pool: bool, micros: u64, from: i64) -> Price {
    Price {
        id: PriceId::generate(at(from), seed()),
        meter: HOURS.parse().unwrap(),
        kind: None,
        pool_id: of_pool.then(|| home.pool.clone()),
        currency: "EUR".parse().unwrap(),
        micros,
        valid_from: at(from),
        created_at: START,
    }
}

pub async fn prices_are_added_and_those_in_force_are_found(store: Arc<dyn Store>) {
    let acme = home(&store, "acme").await;
    let other = home(&store, "other").await;
    let book = [
        price(&acme, false, 1, 0),
        price(&acme, false, 2, 10),
        price(&acme, false, 3, 20),
        price(&acme, true, 4, 5),
        price(&acme, false, 5, 900),
    ];
    for price in &book {
        store.create_price(price, vec![]).await.unwrap();
    }
    let euros = "EUR".parse().unwrap();
    let in_force = async |from, to| -> Vec<u64> {
        let prices = store
            .prices_in_force(&euros, at(from), at(to), 100)
            .await
            .unwrap();
        let mut micros: Vec<u64> = prices.into_iter().map(|price| price.micros).collect();
        micros.sort_unstable();
        micros
    };
    assert_eq!(in_force(12, 30).await, [2, 3, 4]);
    assert_eq!(in_force(20, 30).await, [3, 4]);
    assert_eq!(in_force(0, 5).await, [1]);
    assert!(in_force(-9, 0).await.is_empty());
    let seen = async |home: &Home| {
        let page = store
            .prices(Some(&home.tenant), None, None, 100)
            .await
            .unwrap();
        page.items.len()
    };
    assert_eq!((seen(&acme).await, seen(&other).await), (5, 4));
    let first = store
        .prices(None, Some(&HOURS.parse().unwrap()), None, 3)
        .await
        .unwrap();
    assert!(first.next.is_some());
}

pub async fn a_budget_is_one_for_a_tenant_project_and_currency(store: Arc<dyn Store>) {
    let acme = home(&store, "acme").await;
    let other = home(&store, "other").await;
    let project = project(&acme.tenant, START);
    store.create_project(&project, vec![]).await.unwrap();
    let budget = |micros, project| Budget {
        id: BudgetId::generate(START, seed()),
        tenant_id: acme.tenant.clone(),
        project_id: project,
        currency: "EUR".parse().unwrap(),
        micros,
        created_at: START,
        updated_at: START,
    };
    let first = store.put_budget(&budget(5, None), vec![]).await.unwrap();
    let again = store.put_budget(&budget(7, None), vec![]).await.unwrap();
    assert_eq!((&again.id, again.micros), (&first.id, 7));
    let of_project = budget(9, Some(project.id.clone()));
    store.put_budget(&of_project, vec![]).await.unwrap();
    let page = store.budgets(&acme.tenant, None, 1).await.unwrap();
    let rest = store
        .budgets(&acme.tenant, page.next.as_deref(), 5)
        .await
        .unwrap();
    assert_eq!((page.items.len(), rest.items.len()), (1, 1));
    assert!(
        store
            .budgets(&other.tenant, None, 5)
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert!(
        !store
            .delete_budget(&other.tenant, &first.id, vec![])
            .await
            .unwrap()
    );
    assert!(
        store
            .delete_budget(&acme.tenant, &first.id, vec![])
            .await
            .unwrap()
    );
}
