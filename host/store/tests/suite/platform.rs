//! Tenants, projects, accounts, pools, offers.

use std::sync::Arc;

use berth_domain::id::OfferId;
use berth_domain::platform::{Offer, Tenant};
use berth_domain::time::Millis;
use berth_store::{AccountChange, Created, Store};

use super::fixture::*;

pub async fn tenants_are_stored_and_paged_by_age(store: Arc<dyn Store>) {
    let mut made = Vec::new();
    for (name, age) in [("zoe", 1), ("amy", 2), ("bob", 2), ("root", 3)] {
        let tenant = tenant(name, Millis(START.0 + age));
        assert_eq!(
            store.create_tenant(&tenant, vec![]).await.unwrap(),
            Created::New
        );
        made.push(tenant);
    }
    let mut again = made[0].clone();
    again.title = "Another".parse().unwrap();
    assert_eq!(
        store.create_tenant(&again, vec![]).await.unwrap(),
        Created::Taken
    );
    assert_eq!(
        store.tenant(&made[0].id).await.unwrap(),
        Some(made[0].clone())
    );

    let mut seen = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = store.tenants(after.as_deref(), 3).await.unwrap();
        seen.extend(page.items);
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(seen, made);

    again.quotas.clear();
    assert!(store.update_tenant(&again, vec![]).await.unwrap());
    let wanted = Tenant {
        created_at: made[0].created_at,
        ..again
    };
    assert_eq!(store.tenant(&wanted.id).await.unwrap(), Some(wanted));
    assert!(
        !store
            .update_tenant(&tenant("nobody", START), vec![])
            .await
            .unwrap()
    );
    assert_eq!(store.tenant(&tenant_id("nobody")).await.unwrap(), None);
}

pub async fn projects_stay_with_their_tenant(store: Arc<dyn Store>) {
    let one = home(&store, "one").await;
    let two = home(&store, "two").await;
    let mut made = Vec::new();
    for n in 0..5 {
        let project = project(&one.tenant, Millis(START.0 + n));
        assert_eq!(
            store.create_project(&project, vec![]).await.unwrap(),
            Created::New
        );
        made.push(project);
    }
    let foreign = project(&two.tenant, START);
    store.create_project(&foreign, vec![]).await.unwrap();
    assert_eq!(
        store.create_project(&made[0], vec![]).await.unwrap(),
        Created::Taken
    );

    let first = store.projects(&one.tenant, None, 3).await.unwrap();
    let second = store
        .projects(&one.tenant, first.next.as_deref(), 3)
        .await
        .unwrap();
    assert_eq!([first.items, second.items].concat(), made);
    assert_eq!(second.next, None);
    assert_eq!(
        store.project(&one.tenant, &made[1].id).await.unwrap(),
        Some(made[1].clone())
    );
    assert_eq!(store.project(&one.tenant, &foreign.id).await.unwrap(), None);

    // A resource can't be put into another tenant's project.
    let mut row = row(&one, "a");
    row.project = Some(foreign.id);
    assert!(store.create_resource(creation(row)).await.is_err());
}

pub async fn accounts_are_updated_by_their_owner_only(store: Arc<dyn Store>) {
    let one = home(&store, "one").await;
    let two = home(&store, "two").await;
    let account = store.account(&one.account).await.unwrap().unwrap();
    let mut changed = account.clone();
    changed.title = "Changed".parse().unwrap();
    changed.regions.clear();
    changed.previews = false;
    changed.egress.plain_http = true;
    changed.egress.base_urls = [("https://a".to_owned(), "http://b".to_owned())].into();
    assert_eq!(
        store.update_account(&changed, None, vec![]).await.unwrap(),
        AccountChange::Stored
    );
    assert_eq!(
        store.account(&account.id).await.unwrap(),
        Some(changed.clone())
    );

    let mut stolen = changed.clone();
    stolen.tenant_id = two.tenant.clone();
    stolen.title = "Stolen".parse().unwrap();
    assert_eq!(
        store.update_account(&stolen, None, vec![]).await.unwrap(),
        AccountChange::Missing
    );
    assert_eq!(
        store.account(&account.id).await.unwrap(),
        Some(changed.clone())
    );
    assert_eq!(
        store.create_account(&stolen, vec![]).await.unwrap(),
        Created::Taken
    );

    assert_eq!(
        store
            .accounts(Some(&one.tenant), None, 10)
            .await
            .unwrap()
            .items,
        [changed]
    );
    let first = store.accounts(None, None, 1).await.unwrap();
    let second = store
        .accounts(None, first.next.as_deref(), 1)
        .await
        .unwrap();
    assert_eq!(
        [first.items, second.items]
            .concat()
            .iter()
            .map(|a| a.id.clone())
            .collect::<Vec<_>>(),
        [one.account, two.account]
    );
    assert_eq!(second.next, None);
}

fn offer(to: &Home, of: &Home) -> Offer {
    Offer {
        id: OfferId::generate(START, seed()),
        pool_id: of.pool.clone(),
        tenant_id: to.tenant.clone(),
        suspended: false,
        excluded_regions: vec!["south".to_owned()],
        created_at: Millis(START.0 + 9),
    }
}

pub async fn a_pool_is_seen_by_its_owner_and_those_it_is_offered_to(store: Arc<dyn Store>) {
    let owner = home(&store, "owner").await;
    let guest = home(&store, "guest").await;
    let stranger = home(&store, "stranger").await;
    let offer = offer(&guest, &owner);
    assert_eq!(
        store.create_offer(&offer, vec![]).await.unwrap(),
        Created::New
    );
    let pool = store.pool(&owner.pool).await.unwrap().unwrap();
    assert_eq!(pool.account_id, Some(owner.account.clone()));

    let visible = async |home: &Home| store.visible_pool(&home.tenant, &owner.pool).await.unwrap();
    assert_eq!(visible(&owner).await, Some((pool.clone(), None)));
    assert_eq!(
        visible(&guest).await,
        Some((pool.clone(), Some(offer.clone())))
    );
    assert_eq!(visible(&stranger).await, None);

    let pools = async |home: &Home| -> Vec<_> {
        let mut ids = Vec::new();
        let mut after: Option<String> = None;
        loop {
            let page = store
                .visible_pools(&home.tenant, after.as_deref(), 1)
                .await
                .unwrap();
            ids.extend(page.items.into_iter().map(|pool| pool.id));
            after = page.next;
            if after.is_none() {
                return ids;
            }
        }
    };
    assert_eq!(pools(&owner).await, [owner.pool.clone()]);
    assert_eq!(
        pools(&guest).await,
        [owner.pool.clone(), guest.pool.clone()]
    );
    assert_eq!(pools(&stranger).await, [stranger.pool.clone()]);

    assert!(store.delete_offer(&offer.id, vec![]).await.unwrap());
    assert!(!store.delete_offer(&offer.id, vec![]).await.unwrap());
    assert_eq!(visible(&guest).await, None);
    assert_eq!(pools(&guest).await, [guest.pool.clone()]);
}

pub async fn a_pool_is_offered_to_a_tenant_once(store: Arc<dyn Store>) {
    let owner = home(&store, "owner").await;
    let one = home(&store, "one").await;
    let two = home(&store, "two").await;
    let first = offer(&one, &owner);
    let second = offer(&two, &owner);
    assert_eq!(
        store.create_offer(&first, vec![]).await.unwrap(),
        Created::New
    );
    assert_eq!(
        store
            .create_offer(&offer(&one, &owner), vec![])
            .await
            .unwrap(),
        Created::Taken
    );
    assert_eq!(
        store.create_offer(&second, vec![]).await.unwrap(),
        Created::New
    );
    let offers = async |pool: Option<&Home>, to: Option<&Home>| {
        store
            .offers(
                pool.map(|home| &home.pool),
                to.map(|home| &home.tenant),
                None,
                10,
            )
            .await
            .unwrap()
            .items
    };
    assert_eq!(
        offers(Some(&owner), None).await,
        [first.clone(), second.clone()]
    );
    assert_eq!(offers(None, Some(&two)).await, [second.clone()]);
    assert_eq!(offers(Some(&one), None).await, []);
    let page = store.offers(None, None, None, 1).await.unwrap();
    assert_eq!(page.items, [first]);
    let page = store
        .offers(None, None, page.next.as_deref(), 1)
        .await
        .unwrap();
    assert_eq!((page.items, page.next), (vec![second], None));
}
