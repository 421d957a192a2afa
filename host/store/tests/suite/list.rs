//! Lists and counts.

use std::collections::BTreeSet;
use std::sync::Arc;

use berth_domain::id::ResourceId;
use berth_domain::manifest::Family;
use berth_domain::resource::{Resource, State};
use berth_domain::time::Millis;
use berth_store::{ListCursor, ListFilter, RecordedObject, Store, StoreError};

use super::fixture::*;

async fn all(
    store: &Arc<dyn Store>,
    home: &Home,
    filter: &ListFilter,
    limit: u32,
) -> Vec<Resource> {
    let mut rows = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = store
            .resources(&home.tenant, filter, after.as_deref(), limit)
            .await
            .unwrap();
        assert!(page.items.len() <= limit as usize);
        rows.extend(page.items);
        match page.next {
            Some(next) => after = Some(next),
            None => return rows,
        }
    }
}

pub async fn pages_show_every_row_once(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    for n in 0..25 {
        let mut row = row(&home, &format!("a{n}"));
        // Several are of one moment: the id decides between them.
        row.created_at = Millis(START.0 - n % 7);
        create(&store, creation(row)).await;
    }
    let whole = all(&store, &home, &ListFilter::default(), 1_000).await;
    let places: Vec<_> = whole
        .iter()
        .map(|row| (row.created_at, row.id.clone()))
        .collect();
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(places, sorted);
    assert_eq!(places.iter().collect::<BTreeSet<_>>().len(), 25);
    for limit in [1, 5, 24, 25, 26] {
        assert_eq!(
            all(&store, &home, &ListFilter::default(), limit).await,
            whole,
            "pages of {limit}"
        );
    }
    let first = store
        .resources(&home.tenant, &ListFilter::default(), None, 3)
        .await
        .unwrap();
    assert_eq!(
        first.next,
        Some(ListCursor::after(&first.items[2]).to_string())
    );
}

pub async fn filters_narrow_a_list(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let second = guest(&store, &home.tenant, &home.account).await;
    let project = project(&home.tenant, START);
    store.create_project(&project, vec![]).await.unwrap();
    let mut in_project = row(&home, "in-project");
    in_project.project = Some(project.id.clone());
    let mut cache = row(&home, "cache");
    cache.kind = kind("x.cache");
    cache.family = Family::Data;
    for row in [
        in_project,
        cache,
        row(&second, "second"),
        row(&home, "plain"),
    ] {
        create(&store, creation(row)).await;
    }
    let names = async |filter: ListFilter| -> BTreeSet<String> {
        all(&store, &home, &filter, 10)
            .await
            .iter()
            .map(|row| row.name.to_string())
            .collect()
    };
    let set =
        |names: &[&str]| -> BTreeSet<String> { names.iter().map(|n| (*n).to_owned()).collect() };
    let none = ListFilter::default;
    let found = names(ListFilter {
        pool: Some(second.pool.clone()),
        ..none()
    })
    .await;
    assert_eq!(found, set(&["second"]));
    let found = names(ListFilter {
        project: Some(project.id.clone()),
        ..none()
    })
    .await;
    assert_eq!(found, set(&["in-project"]));
    let found = names(ListFilter {
        kind: Some(kind("x.disk")),
        ..none()
    })
    .await;
    assert_eq!(found, set(&["in-project", "second", "plain"]));
    let found = names(ListFilter {
        family: Some(Family::Data),
        ..none()
    })
    .await;
    assert_eq!(found, set(&["cache"]));
    let both = ListFilter {
        family: Some(Family::Data),
        pool: Some(second.pool.clone()),
        ..none()
    };
    assert_eq!(names(both).await, set(&[]));
}

pub async fn ended_rows_are_listed_only_on_demand(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    for (name, state) in [
        ("a", State::Deleted),
        ("b", State::Released),
        ("c", State::Error),
        ("d", State::Deleting),
    ] {
        let mut row = row(&home, name);
        row.state = state;
        create(&store, creation(row)).await;
    }
    assert_eq!(
        all(&store, &home, &ListFilter::default(), 10).await.len(),
        2
    );
    let ended = ListFilter {
        include_ended: true,
        ..ListFilter::default()
    };
    assert_eq!(all(&store, &home, &ended, 10).await.len(), 4);
}

pub async fn a_cursor_that_is_none_is_refused(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    for junk in [
        "",
        ":",
        "x:y",
        "17",
        "17:",
        "17:pool_0123456789abcdefghjkmnpqrs",
        "'; --",
    ] {
        assert!(junk.parse::<ListCursor>().is_err(), "{junk}");
        let refused = store
            .resources(&home.tenant, &ListFilter::default(), Some(junk), 10)
            .await
            .unwrap_err();
        assert!(matches!(refused, StoreError::Failed(_)), "{refused}");
    }
}

pub async fn a_tenant_never_sees_anothers_rows(store: Arc<dyn Store>) {
    let one = home(&store, "one").await;
    let two = guest(&store, &home(&store, "two").await.tenant, &one.account).await;
    let first = create(&store, creation(row(&one, "a"))).await.row;
    let second = create(&store, creation(row(&two, "a"))).await.row;
    for (home, own, foreign) in [(&one, &first, &second), (&two, &second, &first)] {
        assert_eq!(
            all(&store, home, &ListFilter::default(), 10).await,
            [own.clone()]
        );
        // Not by another's cursor, pool or event either.
        let behind = store
            .resources(
                &home.tenant,
                &ListFilter::default(),
                Some(&format!("0:{}", foreign.id)),
                10,
            )
            .await
            .unwrap();
        assert_eq!(behind.items, [own.clone()]);
        let in_foreign_pool = ListFilter {
            pool: Some(foreign.pool.clone()),
            ..ListFilter::default()
        };
        assert_eq!(all(&store, home, &in_foreign_pool, 10).await, []);
        let about = berth_store::EventFilter {
            resource: Some(foreign.id.clone()),
            after: 0,
        };
        assert_eq!(store.events(&home.tenant, &about, 10).await.unwrap(), []);
        assert_eq!(
            store.count_by_kind(&home.tenant).await.unwrap(),
            [(kind("x.disk"), 1)]
        );
    }
}

pub async fn counts_count_live_rows(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let parent = create(&store, creation(row(&home, "parent"))).await;
    create(&store, child_creation(row(&home, "one"), &parent.row)).await;
    let two = create(&store, child_creation(row(&home, "two"), &parent.row)).await;
    create(&store, creation(row(&other, "a"))).await;
    let mut of_another_provider = row(&other, "b");
    of_another_provider.provider = "y".to_owned();
    create(&store, creation(of_another_provider)).await;

    assert_eq!(store.count_children(&parent.row.id).await.unwrap(), 2);
    assert_eq!(
        store.count_by_kind(&home.tenant).await.unwrap(),
        [(kind("x.disk"), 1), (kind("x.snapshot"), 2)]
    );
    assert_eq!(
        store.count_live_by_provider("x").await.unwrap(),
        [(kind("x.disk"), 2), (kind("x.snapshot"), 2)]
    );
    let mut gone = update(&two);
    gone.row.state = State::Deleted;
    store.update_resources(vec![gone]).await.unwrap();
    assert_eq!(store.count_children(&parent.row.id).await.unwrap(), 1);
    assert_eq!(
        store.count_live_by_provider("x").await.unwrap(),
        [(kind("x.disk"), 2), (kind("x.snapshot"), 1)]
    );
    assert_eq!(store.count_live_by_provider("z").await.unwrap(), []);
    assert_eq!(store.count_by_kind(&tenant_id("nobody")).await.unwrap(), []);
}

pub async fn a_providers_objects_are_told_with_the_live_rows_that_record_them(
    store: Arc<dyn Store>,
) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let neighbour = super::fixture::guest(&store, &other.tenant, &home.account).await;
    let elsewhere = super::fixture::home(&store, "elsewhere").await;
    let with_id = |home: &Home, name: &str, id: &str| {
        let mut row = row(home, name);
        row.provider_id = Some(id.to_owned());
        creation(row)
    };
    let mine = create(&store, with_id(&home, "mine", "id-1")).await;
    let theirs = create(&store, with_id(&neighbour, "theirs", "id-2")).await;
    let gone = create(&store, with_id(&home, "gone", "id-3")).await;
    create(&store, with_id(&elsewhere, "elsewhere", "id-4")).await;
    create(&store, creation(row(&home, "unaccepted"))).await;
    let mut deletion = update(&gone);
    deletion.row.state = State::Deleted;
    store.update_resources(vec![deletion]).await.unwrap();

    let asked = ["id-1", "id-2", "id-3", "id-4", "id-'5\""].map(str::to_owned);
    let mut told = store.recorded_objects(&home.account, &asked).await.unwrap();
    told.sort_by(|a, b| a.provider_id.cmp(&b.provider_id));
    let expected = [&mine, &theirs].map(|stored| RecordedObject {
        resource: stored.row.id.clone(),
        tenant: stored.row.tenant.clone(),
        kind: stored.row.kind.clone(),
        provider_id: stored.row.provider_id.clone().unwrap(),
    });
    assert_eq!(told, expected);
    assert_eq!(
        store.recorded_objects(&home.account, &[]).await.unwrap(),
        []
    );
}

pub async fn children_are_the_live_ones(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let parent = create(&store, creation(row(&home, "parent"))).await;
    let one = create(&store, child_creation(row(&home, "one"), &parent.row)).await;
    let two = create(&store, child_creation(row(&home, "two"), &parent.row)).await;
    let mut gone = update(&one);
    gone.row.state = State::Released;
    store.update_resources(vec![gone]).await.unwrap();
    assert_eq!(store.children(&parent.row.id).await.unwrap(), [two.clone()]);
    assert_eq!(store.children(&two.row.id).await.unwrap(), []);
    let missing = ResourceId::derive(&home.tenant, &home.owner, "nobody");
    assert_eq!(store.count_children(&missing).await.unwrap(), 0);
}
