//! The deployment, the outbox, the journal, generations, and the store as a whole.

use std::sync::Arc;

use berth_domain::id::{EntryId, ResourceId, RunId};
use berth_domain::manifest::{CredentialType, Manifest};
use berth_domain::platform::GenerationRecord;
use berth_domain::time::Millis;
use berth_store::{
    Created, DeploymentInfo, EventFilter, JournalEntry, JournalOutcome, Store, StoreError,
};

use super::fixture::*;

fn at(offset: i64) -> Millis {
    Millis(START.0 + offset)
}

pub async fn a_deployment_keeps_its_first_id(store: Arc<dyn Store>) {
    let fresh = |offset| DeploymentInfo {
        id: deployment_id(),
        created_at: at(offset),
    };
    let first = fresh(1);
    assert_eq!(store.deployment(first.clone()).await.unwrap(), first);
    assert_eq!(store.deployment(fresh(2)).await.unwrap(), first);
    store.ping().await.unwrap();
}

pub async fn a_proof_of_writing_is_a_write_that_stays(store: Arc<dyn Store>) {
    for n in 1..=3 {
        assert_eq!(store.prove_writable(at(0)).await.unwrap(), n);
    }
}

pub async fn events_come_in_the_order_of_commits(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let other = super::fixture::home(&store, "other").await;
    let mut tasks = Vec::new();
    for n in 0..40 {
        let of = if n % 4 == 0 { &other } else { &home };
        let (store, change) = (store.clone(), creation(row(of, &format!("a{n}"))));
        tasks.push(tokio::spawn(
            async move { create(&store, change).await.row.id },
        ));
    }
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await.unwrap());
    }
    let all = store
        .events(&home.tenant, &EventFilter::default(), 100)
        .await
        .unwrap();
    assert_eq!(all.len(), 30);
    assert!(
        all.windows(2)
            .all(|pair| pair[0].sequence < pair[1].sequence)
    );
    assert!(
        all.iter()
            .all(|event| event.tenant == home.tenant && ids.contains(&event.resource))
    );

    let behind = EventFilter {
        resource: None,
        after: all[9].sequence,
    };
    assert_eq!(
        store.events(&home.tenant, &behind, 5).await.unwrap(),
        all[10..15]
    );
    let about = EventFilter {
        resource: Some(all[3].resource.clone()),
        after: 0,
    };
    assert_eq!(
        store.events(&home.tenant, &about, 5).await.unwrap(),
        all[3..4]
    );
    let nothing = EventFilter {
        after: u64::MAX,
        ..EventFilter::default()
    };
    assert_eq!(store.events(&home.tenant, &nothing, 5).await.unwrap(), []);
}

fn entry(resource: &ResourceId, home: &Home, offset: i64) -> JournalEntry {
    JournalEntry {
        id: EntryId::generate(at(offset), seed()),
        run: RunId::generate(START, seed()),
        resource: resource.clone(),
        account: home.account.clone(),
        operation: "create".to_owned(),
        method: "POST".to_owned(),
        target: "api.example.com/v2/disks".to_owned(),
        body: Some("{\"password\":\"secret://acme/db\"}".to_owned()),
        at: at(offset),
        outcome: None,
    }
}

pub async fn the_journal_tells_what_became_of_a_request(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let resource = row(&home, "a").id;
    let outcomes = [
        None,
        Some(JournalOutcome::Answered(201)),
        Some(JournalOutcome::NotSent),
        Some(JournalOutcome::Lost),
    ];
    let mut wanted = Vec::new();
    for (offset, outcome) in (0..).zip(outcomes) {
        let mut entry = entry(&resource, &home, offset);
        store.journal_open(&entry).await.unwrap();
        if let Some(outcome) = outcome {
            store
                .journal_close(&entry.id, outcome.clone(), at(offset + 1))
                .await
                .unwrap();
            entry.outcome = Some(outcome);
        }
        wanted.insert(0, entry);
    }
    store
        .journal_open(&entry(&row(&home, "b").id, &home, 0))
        .await
        .unwrap();
    assert_eq!(store.journal_of(&resource, 10).await.unwrap(), wanted);
    assert_eq!(store.journal_of(&resource, 2).await.unwrap(), wanted[..2]);
    let nobody = EntryId::generate(START, seed());
    assert!(
        store
            .journal_close(&nobody, JournalOutcome::Lost, START)
            .await
            .is_err()
    );
    // An entry is written once: its request is sent once.
    assert!(store.journal_open(&wanted[0]).await.is_err());
}

pub async fn only_closed_entries_of_the_journal_are_dropped(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let resource = row(&home, "a").id;
    for offset in 0..6 {
        let entry = entry(&resource, &home, offset);
        store.journal_open(&entry).await.unwrap();
        if offset != 2 {
            store
                .journal_close(&entry.id, JournalOutcome::Answered(200), at(50))
                .await
                .unwrap();
        }
    }
    assert_eq!(store.journal_prune(at(5), 2).await.unwrap(), 2);
    assert_eq!(store.journal_prune(at(5), 10).await.unwrap(), 2);
    assert_eq!(store.journal_prune(at(5), 10).await.unwrap(), 0);
    let left: Vec<_> = store
        .journal_of(&resource, 10)
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.at)
        .collect();
    assert_eq!(left, [at(5), at(2)]);
}

fn generation(plugin: &str, digest: &str, offset: i64) -> GenerationRecord {
    GenerationRecord {
        digest: digest.repeat(32),
        plugin: plugin.to_owned(),
        version: "1.2.3".to_owned(),
        manifest: Manifest {
            provider: plugin.to_owned(),
            version: "1.2.3".to_owned(),
            title: "A plugin".to_owned(),
            endpoints: Vec::new(),
            credential: CredentialType::Bearer,
            kinds: Vec::new(),
            has_catalog: true,
            signals: None,
        },
        active: false,
        size: 5,
        installed_at: at(offset),
        activated_at: None,
    }
}

pub async fn a_generation_is_stored_once_with_its_component(store: Arc<dyn Store>) {
    let component = b"\0asm\xff".to_vec();
    let one = generation("x", "01", 1);
    let two = generation("x", "02", 2);
    let other = generation("y", "03", 3);
    for record in [&one, &two, &other] {
        let outcome = store
            .put_generation(record, component.clone(), vec![])
            .await
            .unwrap();
        assert_eq!(outcome, Created::New);
    }
    let again = store
        .put_generation(&one, b"other".to_vec(), vec![])
        .await
        .unwrap();
    assert_eq!(again, Created::Taken);
    assert_eq!(store.component(&one.digest).await.unwrap(), Some(component));
    assert_eq!(store.component("none").await.unwrap(), None);
    assert_eq!(
        store.generation(&two.digest).await.unwrap(),
        Some(two.clone())
    );
    assert_eq!(store.generation("none").await.unwrap(), None);
    assert_eq!(
        store.generations(Some("x")).await.unwrap(),
        [two.clone(), one.clone()]
    );
    assert_eq!(store.generations(None).await.unwrap(), [other, two, one]);
}

pub async fn one_generation_of_a_plugin_is_active(store: Arc<dyn Store>) {
    let one = generation("x", "01", 1);
    let two = generation("x", "02", 2);
    let other = generation("y", "03", 3);
    for record in [&one, &two, &other] {
        store.put_generation(record, vec![0], vec![]).await.unwrap();
    }
    let activate = async |plugin: &str, record: &GenerationRecord, offset| {
        store
            .activate_generation(plugin, &record.digest, at(offset), vec![])
            .await
            .unwrap()
    };
    assert!(activate("x", &one, 10).await);
    assert!(activate("y", &other, 11).await);
    assert!(activate("x", &two, 12).await);
    assert!(
        !activate("y", &one, 13).await,
        "another plugin's generation"
    );
    let active: Vec<_> = store
        .generations(None)
        .await
        .unwrap()
        .into_iter()
        .filter(|record| record.active)
        .map(|record| (record.digest, record.activated_at))
        .collect();
    assert_eq!(
        active,
        [
            (other.digest, Some(at(11))),
            (two.digest.clone(), Some(at(12)))
        ]
    );
    // And back.
    assert!(activate("x", &one, 14).await);
    let back = store.generation(&one.digest).await.unwrap().unwrap();
    assert_eq!((back.active, back.activated_at), (true, Some(at(14))));
    assert!(!store.generation(&two.digest).await.unwrap().unwrap().active);
}

pub async fn what_hangs_on_nothing_is_refused(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let nobody = tenant_id("nobody");
    let project = project(&nobody, START);
    let refused = store.create_project(&project, vec![]).await.unwrap_err();
    assert!(matches!(refused, StoreError::Failed(_)), "{refused}");
    let mut row = row(&home, "a");
    row.tenant = nobody;
    let refused = store.create_resource(creation(row)).await.unwrap_err();
    assert!(matches!(refused, StoreError::Failed(_)), "{refused}");
    assert_eq!(store.list_audit(None, 10).await.unwrap(), []);
}

pub async fn a_closed_store_is_unavailable(store: Arc<dyn Store>) {
    let home = home(&store, "acme").await;
    let tasks: Vec<_> = (0..20)
        .map(|n| {
            let (store, change) = (store.clone(), creation(row(&home, &format!("a{n}"))));
            tokio::spawn(async move { store.create_resource(change).await })
        })
        .collect();
    store.close().await;
    store.close().await;
    for task in tasks {
        // Taken in before the close, or refused after it; never left without an answer.
        if let Err(error) = task.await.unwrap() {
            assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
        }
    }
    let refused = store
        .create_tenant(&tenant("late", START), vec![])
        .await
        .unwrap_err();
    assert!(matches!(refused, StoreError::Unavailable(_)), "{refused}");
    let refused = store.tenant(&home.tenant).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unavailable(_)), "{refused}");
    assert!(matches!(
        store.ping().await,
        Err(StoreError::Unavailable(_))
    ));
}
