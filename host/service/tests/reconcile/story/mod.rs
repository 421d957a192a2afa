//! Stories of calls, a provider's troubles, crashes and steps of the clock, and what must hold in each.
//!
//! Whenever the host is dead, and at the end, everything is at rest and is judged.

mod judge;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use berth_domain::id::{AccountId, EventId, PoolId, ResourceId};
use berth_domain::linked::Named;
use berth_domain::resource::{
    Demand, Effect, Found, NewResource, Resource, State, adopted_resource,
};
use berth_domain::spec::Spec;
use berth_domain::time::Millis;
use berth_service::cloud_resources::release;
use berth_service::{Clock, quotas};
use berth_store::{CreateChange, ListFilter};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cloud::{Cloud, Fate, Object};
use crate::harness::{Tenant, World, input};
use crate::host::{Host, RealClock, quick, until};

/// Cranes that the tenant may have.
const CRANES: u64 = 12;
const CASES: u32 = 6;

#[derive(Debug, Clone)]
enum Act {
    Crane {
        name: u8,
        size: u64,
    },
    Cluster {
        name: u8,
    },
    User {
        name: u8,
    },
    Resize {
        pick: usize,
        size: u64,
    },
    Delete {
        pick: usize,
    },
    /// It is let go, and lives on without us.
    Release {
        pick: usize,
    },
    /// An object of nobody's is taken over.
    Adopt {
        name: u8,
        size: u64,
    },
    /// The next create goes wrong.
    Trouble(Fate),
    /// An object vanishes at the provider.
    Vanish {
        pick: usize,
    },
    /// The host dies where it stands, and another begins.
    Crash,
    /// The clock of the hosts is set, forwards or backwards.
    Step(i64),
    Pause(u64),
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => (0..4_u8, 1..6_u64).prop_map(|(name, size)| Act::Crane { name, size }),
        2 => (0..2_u8).prop_map(|name| Act::Cluster { name }),
        2 => (0..3_u8).prop_map(|name| Act::User { name }),
        4 => (any::<usize>(), 1..9_u64).prop_map(|(pick, size)| Act::Resize { pick, size }),
        3 => any::<usize>().prop_map(|pick| Act::Delete { pick }),
        2 => any::<usize>().prop_map(|pick| Act::Release { pick }),
        2 => (0..3_u8, 1..6_u64).prop_map(|(name, size)| Act::Adopt { name, size }),
        2 => prop_oneof![
            Just(Fate::AnswerLost),
            Just(Fate::Panic),
            Just(Fate::Refused(422)),
            Just(Fate::Refused(503)),
        ]
        .prop_map(Act::Trouble),
        1 => any::<usize>().prop_map(|pick| Act::Vanish { pick }),
        2 => Just(Act::Crash),
        2 => (-3_000..9_000_i64).prop_map(Act::Step),
        4 => (1..60_u64).prop_map(Act::Pause),
    ]
}

/// A clock that is set now and then.
struct SetClock {
    real: RealClock,
    offset: AtomicI64,
    /// The latest that it ever was ahead.
    furthest: AtomicI64,
}

impl SetClock {
    fn step(&self, by: i64) {
        let offset = self.offset.fetch_add(by, Ordering::SeqCst) + by;
        self.furthest.fetch_max(offset, Ordering::SeqCst);
    }

    /// Nobody waits for what is due only because the clock was set back.
    fn catch_up(&self) {
        let furthest = self.furthest.load(Ordering::SeqCst);
        self.offset.store(furthest, Ordering::SeqCst);
    }
}

impl Clock for SetClock {
    fn now(&self) -> Millis {
        Millis(self.real.now().0 + self.offset.load(Ordering::SeqCst))
    }
}

struct Story {
    world: World,
    acme: Tenant,
    yard: PoolId,
    account: AccountId,
    cloud: Arc<Cloud>,
    clock: Arc<SetClock>,
    host: Option<Host>,
    keys: u32,
}

impl Story {
    async fn begin() -> Self {
        let world = World::new().await;
        world.install("guest-yard.wasm").await;
        let account = world
            .account_of("root", json!({"provider": "yard", "regions": []}))
            .await;
        let yard = world.pool_on("root", &account).await;
        let acme = world.tenant("acme").await;
        let offer = json!({"poolId": yard, "tenantId": acme.id});
        berth_service::offers::create::handle(&world.service, &world.root, input(offer))
            .await
            .unwrap();
        let quota = json!({"tenantId": acme.id, "poolId": yard, "capacity": "yard.cranes", "amount": CRANES});
        quotas::put::handle(&world.service, &world.root, input(quota))
            .await
            .unwrap();
        let cloud = Cloud::new(world.service.store().clone());
        let mut story = Self {
            world,
            acme,
            yard,
            account,
            cloud,
            clock: Arc::new(SetClock {
                real: RealClock::new(),
                offset: AtomicI64::new(0),
                furthest: AtomicI64::new(0),
            }),
            host: None,
            keys: 0,
        };
        story.start();
        story
    }

    fn start(&mut self) {
        let clock = self.clock.clone();
        self.host = Some(Host::start_on(&self.world, &self.cloud, quick(), clock));
    }

    async fn die(&mut self) {
        self.host.take().unwrap().kill().await;
    }

    async fn rows(&self) -> Vec<Resource> {
        let filter = ListFilter {
            include_ended: true,
            ..ListFilter::default()
        };
        let store = self.world.service.store();
        let page = store.resources(&self.acme.id, &filter, None, 500).await;
        page.unwrap().items
    }

    async fn pick(&self, pick: usize, of: impl Fn(&Resource) -> bool) -> Option<Resource> {
        let mut rows = self.rows().await;
        rows.retain(|row| row.is_live() && of(row));
        (!rows.is_empty()).then(|| rows.swap_remove(pick % rows.len()))
    }

    /// Refusals are part of the story.
    async fn create(&mut self, mut body: Value) {
        self.keys += 1;
        body["idempotencyKey"] = json!(format!("key-{}", self.keys));
        let _ = self.world.create(&self.acme.admin, &body).await;
    }

    async fn act(&mut self, act: Act) -> Result<(), TestCaseError> {
        let (admin, tenant) = (&self.acme.admin, &self.acme.id);
        match act {
            Act::Crane { name, size } => {
                let body = json!({
                    "tenantId": tenant, "poolId": self.yard, "kind": "yard.crane",
                    "name": format!("crane-{name}"), "spec": {"size": size},
                });
                self.create(body).await;
            }
            Act::Cluster { name } => {
                let body = self.world.pg(tenant, &format!("cluster-{name}"));
                self.create(body).await;
            }
            Act::User { name } => {
                let is_cluster = |row: &Resource| row.kind.as_str() == "do.database.pg";
                if let Some(parent) = self.pick(0, is_cluster).await {
                    let body = self.world.user(tenant, &parent.id, &format!("user-{name}"));
                    self.create(body).await;
                }
            }
            Act::Resize { pick, size } => {
                let is_crane = |row: &Resource| row.kind.as_str() == "yard.crane";
                if let Some(row) = self.pick(pick, is_crane).await {
                    let more = json!({"spec": {"size": size}});
                    let _ = self.world.update(admin, tenant, &row.id, more).await;
                }
            }
            Act::Delete { pick } => {
                if let Some(row) = self.pick(pick, |_| true).await {
                    let _ = self.world.delete(admin, tenant, &row.id).await;
                }
            }
            Act::Release { pick } => {
                if let Some(row) = self.pick(pick, |_| true).await {
                    let body = json!({"tenantId": tenant, "resourceId": row.id});
                    let service = &self.world.service;
                    let _ = release::handle(service, admin, input(body)).await;
                }
            }
            Act::Adopt { name, size } => self.adopt(name, size).await,
            Act::Trouble(fate) => self.cloud.fate(fate),
            Act::Vanish { pick } => self.cloud.with(|state| {
                let ids: Vec<String> = state.objects.keys().cloned().collect();
                if !ids.is_empty() {
                    state.objects.remove(&ids[pick % ids.len()]);
                }
            }),
            Act::Crash => {
                self.die().await;
                self.judge().await?;
                self.start();
            }
            Act::Step(by) => self.clock.step(by),
            Act::Pause(millis) => tokio::time::sleep(Duration::from_millis(millis)).await,
        }
        Ok(())
    }

    /// Records a takeover as the method does once its provider has shown the object.
    async fn adopt(&mut self, name: u8, size: u64) {
        self.keys += 1;
        let (service, provider_id) = (&self.world.service, format!("shed-{}", self.keys));
        let spec = Spec::from_iter([("size".to_owned(), json!(size))]);
        let object = Object {
            kind: "yard.shed".to_owned(),
            name: provider_id.clone(),
            parent: None,
            labels: Vec::new(),
            spec: spec.clone(),
            password: "of a shed".to_owned(),
            converging: 1,
        };
        self.cloud
            .with(|state| state.objects.insert(provider_id.clone(), object));
        let generation = service.registry().active("yard").unwrap();
        let kind = generation.manifest().kind("yard.shed").unwrap().clone();
        let owner = self.acme.admin.principal.id.clone();
        let new = NewResource {
            id: ResourceId::derive(&self.acme.id, &owner, &provider_id),
            tenant: self.acme.id.clone(),
            project: None,
            pool: self.yard.clone(),
            account: self.account.clone(),
            provider: "yard".to_owned(),
            kind: kind.id.parse().unwrap(),
            name: format!("shed-{name}").parse().unwrap(),
            description: None,
            parent: None,
            owner,
            spec: Spec::new(),
            defaults: Spec::new(),
            named: Named::default(),
            demand: Demand::default(),
            generation: generation.digest().to_string(),
            input_digest: provider_id.clone(),
        };
        let found = Found {
            provider_id,
            name: None,
            spec,
        };
        let now = service.now();
        let made = adopted_resource(new, found, &kind, now);
        let events = made.effects.into_iter().filter_map(|effect| match effect {
            Effect::Publish(draft) => {
                let id = EventId::generate(now, service.entropy().id_seed());
                Some((id, draft))
            }
            _ => None,
        });
        let change = CreateChange {
            row: made.row,
            events: events.collect(),
            quota: 20,
            default_capacity: 0,
            parent_kinds: Vec::new(),
            audit: Vec::new(),
        };
        // A name that is taken is part of the story, too.
        let _ = service.store().create_resource(change).await.unwrap();
    }

    /// Everything is deleted, and what can't be says why.
    async fn end(&mut self) -> Result<(), TestCaseError> {
        self.cloud.with(|state| state.fates.clear());
        self.clock.catch_up();
        for row in self.rows().await {
            if row.is_live() {
                let deleted = self.world.delete(&self.acme.admin, &self.acme.id, &row.id);
                deleted.await.unwrap();
            }
        }
        for row in self.rows().await {
            until(&self.world, &row.id, |row| {
                !row.is_live() || row.state == State::Error
            })
            .await;
        }
        self.die().await;
        self.judge().await
    }
}

/// rule: CR-023, CR-095, CR-096, CR-127, CR-134, CR-192, CR-202
#[test]
fn whatever_happens_the_books_are_right() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let config = ProptestConfig {
        cases: CASES,
        // Real time passes in a story, so that it is not told the same way twice.
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let acts = prop::collection::vec(act(), 20..50);
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let told = runner.run(&acts, |acts| {
        runtime.block_on(async {
            let mut story = Story::begin().await;
            for act in acts {
                story.act(act).await?;
            }
            story.end().await
        })
    });
    if let Err(broken) = told {
        panic!("{broken}");
    }
}
