//! Random histories, told to the store and to a model of a few maps: both must say the same.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use berth_domain::id::ResourceId;
use berth_domain::resource::{Desired, Resource, State};
use berth_domain::time::{Millis, Span};
use berth_store::{
    ClaimRequest, Committed, CreateChange, CreateOutcome, EventFilter, RunChange, Store,
    StoredResource, UpdateOutcome,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

use super::fixture::*;

const HISTORIES: u32 = 64;
const STEPS: usize = 60;

/// One thing that happens. Numbers pick among what there is.
#[derive(Debug, Clone)]
enum Step {
    Create {
        home: usize,
        key: u8,
        name: u8,
        parent: Option<usize>,
        identity: Option<u8>,
        quota: u32,
    },
    Update {
        pick: usize,
        stale: bool,
        condemn: bool,
        due_in: Option<i64>,
    },
    Claim {
        limit: u32,
        per_account: u32,
    },
    Commit {
        pick: usize,
        stale: bool,
        old_epoch: bool,
        keep_lease: bool,
        end: bool,
        provider_id: Option<u8>,
        due_in: Option<i64>,
        wake_children: bool,
        wake_parent: bool,
    },
    Renew {
        pick: usize,
    },
    GiveUp {
        pick: usize,
    },
    Wait {
        millis: i64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let due_in = || proptest::option::weighted(0.9, 0_i64..40_000);
    let create = (
        0_usize..3,
        0_u8..12,
        0_u8..6,
        proptest::option::weighted(0.4, any::<usize>()),
        proptest::option::weighted(0.4, 0_u8..2),
        1_u32..6,
    )
        .prop_map(|(home, key, name, parent, identity, quota)| Step::Create {
            home,
            key,
            name,
            parent,
            identity,
            quota,
        });
    let update = (
        any::<usize>(),
        proptest::bool::weighted(0.2),
        proptest::bool::weighted(0.3),
        due_in(),
    )
        .prop_map(|(pick, stale, condemn, due_in)| Step::Update {
            pick,
            stale,
            condemn,
            due_in,
        });
    let claim =
        (0_u32..5, 1_u32..4).prop_map(|(limit, per_account)| Step::Claim { limit, per_account });
    let commit = (
        (
            any::<usize>(),
            proptest::bool::weighted(0.1),
            proptest::bool::weighted(0.1),
        ),
        (any::<bool>(), proptest::bool::weighted(0.2)),
        proptest::option::weighted(0.4, 0_u8..3),
        due_in(),
        (proptest::bool::weighted(0.3), proptest::bool::weighted(0.3)),
    )
        .prop_map(
            |(
                (pick, stale, old_epoch),
                (keep_lease, end),
                provider_id,
                due_in,
                (wake_children, wake_parent),
            )| {
                Step::Commit {
                    pick,
                    stale,
                    old_epoch,
                    keep_lease,
                    end,
                    provider_id,
                    due_in,
                    wake_children,
                    wake_parent,
                }
            },
        );
    let step = prop_oneof![
        4 => create,
        3 => update,
        3 => claim,
        5 => commit,
        1 => any::<usize>().prop_map(|pick| Step::Renew { pick }),
        1 => any::<usize>().prop_map(|pick| Step::GiveUp { pick }),
        2 => (0_i64..50_000).prop_map(|millis| Step::Wait { millis }),
    ];
    proptest::collection::vec(step, 1..STEPS)
}

/// A row as the model keeps it.
#[derive(Debug, Clone)]
struct Kept {
    row: Resource,
    revision: u64,
    epoch: u64,
    /// Until when somebody works on it.
    lease: Option<Millis>,
    woken: bool,
}

impl Kept {
    fn stored(&self) -> StoredResource {
        StoredResource {
            row: self.row.clone(),
            revision: self.revision,
        }
    }

    /// Takes a write in; a wake that nobody answered holds the time when it is due.
    fn write(&mut self, mut row: Resource) {
        let (open, due) = (self.woken, self.row.schedule.next_run_at);
        if open
            && row.is_live()
            && due.is_some()
            && row.schedule.next_run_at.is_none_or(|at| Some(at) > due)
        {
            row.schedule.next_run_at = due;
        }
        self.row = row;
        self.revision += 1;
    }

    fn wake(&mut self, now: Millis) {
        self.woken = true;
        let due = self.row.schedule.next_run_at;
        self.row.schedule.next_run_at = Some(due.map_or(now, |at| at.min(now)));
    }

    fn is_free(&self, now: Millis) -> bool {
        self.lease.is_none_or(|until| until <= now)
    }
}

struct Model {
    store: Arc<dyn Store>,
    homes: Vec<Home>,
    rows: BTreeMap<ResourceId, Kept>,
    now: Millis,
    events: BTreeMap<String, usize>,
}

impl Model {
    async fn start(store: Arc<dyn Store>) -> Self {
        let one = home(&store, "one").await;
        let two = home(&store, "two").await;
        // Two tenants on one account.
        let shared = guest(&store, &two.tenant, &one.account).await;
        Self {
            store,
            homes: vec![one, two, shared],
            rows: BTreeMap::new(),
            now: START,
            events: BTreeMap::new(),
        }
    }

    fn pick(&self, number: usize) -> Option<ResourceId> {
        let at = number.checked_rem(self.rows.len())?;
        self.rows.keys().nth(at).cloned()
    }

    fn published(&mut self, row: &Resource) {
        *self.events.entry(row.tenant.to_string()).or_default() += 1;
    }

    fn expected_of_create(&self, change: &CreateChange) -> Option<CreateOutcome> {
        let row = &change.row;
        if let Some(kept) = self.rows.get(&row.id) {
            return Some(CreateOutcome::Exists(Box::new(kept.stored())));
        }
        if let Some(parent) = &row.parent {
            let parent = self.rows.get(parent).map(|kept| &kept.row);
            match parent {
                Some(parent)
                    if parent.tenant == row.tenant
                        && parent.account == row.account
                        && change.parent_kinds.contains(&parent.kind) =>
                {
                    if !parent.is_live() {
                        return Some(CreateOutcome::ParentGoing(parent.state));
                    }
                    if parent.is_going() {
                        return Some(CreateOutcome::ParentGoing(State::Deleting));
                    }
                }
                _ => return Some(CreateOutcome::NoParent),
            }
        }
        let live = || {
            self.rows
                .values()
                .map(|kept| &kept.row)
                .filter(|other| other.is_live())
        };
        let same_identity = live().find(|other| {
            other.kind == row.kind
                && row.identity.is_some()
                && other.identity == row.identity
                && other.parent == row.parent
                && (row.parent.is_some() || other.account == row.account)
        });
        if let Some(other) = same_identity {
            return Some(CreateOutcome::IdentityTaken(other.id.clone()));
        }
        let mine = || live().filter(|other| other.tenant == row.tenant && other.kind == row.kind);
        if let Some(other) = mine().find(|other| other.name == row.name) {
            return Some(CreateOutcome::NameTaken(other.id.clone()));
        }
        (mine().count() >= change.quota as usize).then_some(CreateOutcome::QuotaExceeded {
            limit: change.quota,
        })
    }

    async fn create(&mut self, change: CreateChange) -> Result<(), TestCaseError> {
        let expected = self.expected_of_create(&change);
        let row = change.row.clone();
        let outcome = self.store.create_resource(change).await.unwrap();
        match expected {
            Some(expected) => prop_assert_eq!(outcome, expected),
            None => {
                let kept = Kept {
                    row: row.clone(),
                    revision: 1,
                    epoch: 0,
                    lease: None,
                    woken: false,
                };
                prop_assert_eq!(outcome, CreateOutcome::Created(Box::new(kept.stored())));
                self.rows.insert(row.id.clone(), kept);
                self.published(&row);
            }
        }
        Ok(())
    }

    async fn update(
        &mut self,
        id: &ResourceId,
        stale: bool,
        condemn: bool,
        due: Option<Millis>,
    ) -> Result<(), TestCaseError> {
        let kept = self.rows.get(id).unwrap().clone();
        let mut change = if condemn {
            condemnation(&kept.stored(), self.now)
        } else {
            update(&kept.stored())
        };
        if !condemn && change.row.is_live() {
            change.row.schedule.next_run_at = due;
            change.row.version += 1;
        }
        change.revision -= u64::from(stale);
        let (row, published) = (change.row.clone(), !change.events.is_empty());
        let outcome = self.store.update_resources(vec![change]).await.unwrap();
        if stale {
            prop_assert_eq!(outcome, UpdateOutcome::Changed(Box::new(kept.stored())));
            return Ok(());
        }
        prop_assert_eq!(outcome, UpdateOutcome::Stored(kept.revision + 1));
        if published {
            self.published(&row);
        }
        let kept = self.rows.get_mut(id).unwrap();
        kept.write(row);
        kept.woken |= kept.lease.is_some();
        Ok(())
    }

    /// A claim is checked by its rules, not by its order among equals, and then taken in.
    async fn claim(&mut self, limit: u32, per_account: u32) -> Result<(), TestCaseError> {
        let request = ClaimRequest {
            limit,
            per_account,
            lease: Span(30_000),
            ..claim_all(self.now)
        };
        let claims = self.store.claim(request).await.unwrap();
        let is_due = |kept: &&Kept| {
            kept.row
                .schedule
                .next_run_at
                .is_some_and(|at| at <= self.now)
                && kept.is_free(self.now)
        };
        let mut room: BTreeMap<_, (usize, usize)> = BTreeMap::new();
        for kept in self.rows.values() {
            let (due, running) = room.entry(kept.row.account.clone()).or_default();
            *due += usize::from(is_due(&kept));
            *running += usize::from(!kept.is_free(self.now));
        }
        let possible: usize = room
            .values()
            .map(|(due, running)| (*due).min((per_account as usize).saturating_sub(*running)))
            .sum();
        prop_assert_eq!(
            claims.len(),
            possible.min(limit as usize),
            "as many as may be"
        );

        for claim in &claims {
            let id = &claim.stored.row.id;
            let kept = self.rows.get(id).unwrap();
            prop_assert!(is_due(&kept), "{} was not due", id);
            prop_assert_eq!(&claim.stored, &kept.stored());
            prop_assert_eq!(claim.epoch, kept.epoch + 1);
            // Nothing alike (same tenant and account, as urgent) that was due before it was passed over.
            let rests = |row: &Resource| matches!(row.state, State::Ready | State::Error);
            let passed_over = self.rows.values().filter(is_due).find(|other| {
                other.row.tenant == kept.row.tenant
                    && other.row.account == kept.row.account
                    && rests(&other.row) == rests(&kept.row)
                    && other.row.schedule.next_run_at < kept.row.schedule.next_run_at
                    && !claims
                        .iter()
                        .any(|claim| claim.stored.row.id == other.row.id)
            });
            prop_assert!(passed_over.is_none(), "{passed_over:?} was due before {id}");
        }
        for claim in &claims {
            let kept = self.rows.get_mut(&claim.stored.row.id).unwrap();
            kept.epoch += 1;
            kept.lease = Some(self.now + Span(30_000));
            kept.woken = false;
        }
        Ok(())
    }

    async fn commit(&mut self, change: RunChange) -> Result<(), TestCaseError> {
        let kept = self.rows.get(&change.row.id).unwrap().clone();
        let taken = self.rows.values().any(|other| {
            other.row.id != change.row.id
                && other.row.is_live()
                && change.row.is_live()
                && change.row.provider_id.is_some()
                && other.row.provider_id == change.row.provider_id
                && other.row.account == change.row.account
                && other.row.kind == change.row.kind
                && other.row.parent == change.row.parent
        });
        let outcome = self.store.commit_run(change.clone()).await;
        if kept.lease.is_none() || change.epoch != kept.epoch {
            prop_assert_eq!(outcome, Ok(Committed::LeaseLost));
            return Ok(());
        }
        if change.revision != kept.revision {
            prop_assert_eq!(outcome, Ok(Committed::Changed(Box::new(kept.stored()))));
            return Ok(());
        }
        if taken {
            prop_assert!(outcome.is_err());
            return Ok(());
        }
        prop_assert_eq!(outcome, Ok(Committed::Stored(kept.revision + 1)));
        let kept = self.rows.get_mut(&change.row.id).unwrap();
        kept.write(change.row.clone());
        if !change.keep_lease {
            kept.lease = None;
        }
        for other in self.rows.values_mut().filter(|other| other.row.is_live()) {
            let child = change.wake_children && other.row.parent.as_ref() == Some(&change.row.id);
            let parent = change.wake_parent && change.row.parent.as_ref() == Some(&other.row.id);
            if child || parent {
                other.wake(change.now);
            }
        }
        Ok(())
    }

    async fn take(&mut self, step: Step) -> Result<(), TestCaseError> {
        match step {
            Step::Create {
                home,
                key,
                name,
                parent,
                identity,
                quota,
            } => {
                let parent = parent.and_then(|pick| self.pick(pick));
                let mut row = row(&self.homes[home], &format!("k{key}"));
                row.name = format!("n{name}").parse().unwrap();
                row.identity = identity.map(|n| format!("{{\"name\":\"i{n}\"}}"));
                row.created_at = self.now;
                row.schedule.next_run_at = Some(self.now);
                let mut change = creation(row);
                change.quota = quota;
                if let Some(parent) = parent {
                    change = CreateChange {
                        quota,
                        ..child_creation(change.row, &self.rows[&parent].row)
                    };
                    change.parent_kinds = vec![kind("x.disk")];
                }
                self.create(change).await
            }
            Step::Update {
                pick,
                stale,
                condemn,
                due_in,
            } => match self.pick(pick) {
                Some(id) => {
                    let due = due_in.map(|millis| Millis(self.now.0 + millis));
                    self.update(&id, stale, condemn, due).await
                }
                None => Ok(()),
            },
            Step::Claim { limit, per_account } => self.claim(limit, per_account).await,
            Step::Commit {
                pick,
                stale,
                old_epoch,
                keep_lease,
                end,
                provider_id,
                due_in,
                wake_children,
                wake_parent,
            } => {
                // Mostly of a row that is being worked on.
                let leased: Vec<_> = self
                    .rows
                    .values()
                    .filter(|kept| kept.lease.is_some())
                    .collect();
                let id = match pick.checked_rem(leased.len()) {
                    Some(at) if !pick.is_multiple_of(10) => Some(leased[at].row.id.clone()),
                    _ => self.pick(pick),
                };
                let Some(kept) = id.and_then(|id| self.rows.get(&id)) else {
                    return Ok(());
                };
                let mut row = kept.row.clone();
                if row.is_live() {
                    row.state = State::Ready;
                    row.schedule.next_run_at = due_in.map(|millis| Millis(self.now.0 + millis));
                    row.provider_id = provider_id.map(|n| n.to_string()).or(row.provider_id);
                    if row.desired == Desired::Deleted && end {
                        row.state = State::Deleted;
                        row.schedule.next_run_at = None;
                    }
                }
                let change = RunChange {
                    row,
                    revision: kept.revision - u64::from(stale),
                    epoch: kept.epoch.saturating_sub(u64::from(old_epoch)),
                    keep_lease,
                    events: Vec::new(),
                    spans: Vec::new(),
                    secrets: Vec::new(),
                    destroy_secrets: false,
                    children: Vec::new(),
                    wake_children,
                    wake_parent,
                    now: self.now,
                    audit: Vec::new(),
                };
                self.commit(change).await
            }
            Step::Renew { pick } => match self.pick(pick) {
                Some(id) => {
                    let until = Millis(self.now.0 + 45_000);
                    let kept = self.rows.get_mut(&id).unwrap();
                    let lost = self
                        .store
                        .renew("host-1", &[(id.clone(), kept.epoch)], until)
                        .await
                        .unwrap();
                    prop_assert_eq!(lost.is_empty(), kept.lease.is_some());
                    kept.lease = kept.lease.map(|_| until);
                    Ok(())
                }
                None => Ok(()),
            },
            Step::GiveUp { pick } => match self.pick(pick) {
                Some(id) => {
                    let kept = self.rows.get_mut(&id).unwrap();
                    self.store.give_up(&id, kept.epoch).await.unwrap();
                    kept.lease = None;
                    Ok(())
                }
                None => Ok(()),
            },
            Step::Wait { millis } => {
                self.now = Millis(self.now.0 + millis);
                Ok(())
            }
        }
    }

    async fn compare(&self) -> Result<(), TestCaseError> {
        for (id, kept) in &self.rows {
            prop_assert_eq!(self.store.resource(id).await.unwrap(), Some(kept.stored()));
        }
        let due = self
            .rows
            .values()
            .filter_map(|kept| {
                let due = kept.row.schedule.next_run_at?;
                Some(kept.lease.map_or(due, |until| until.max(due)))
            })
            .min();
        prop_assert_eq!(self.store.next_due().await.unwrap(), due);
        for (tenant, count) in &self.events {
            let tenant = tenant_id(tenant);
            let events = self
                .store
                .events(&tenant, &EventFilter::default(), 1_000)
                .await
                .unwrap();
            prop_assert_eq!(events.len(), *count);
        }
        Ok(())
    }
}

/// Tells random histories to stores that `open` makes.
pub fn agrees<F, G>(open: impl Fn() -> F)
where
    F: Future<Output = (Arc<dyn Store>, G)>,
{
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let mut runner = TestRunner::new(Config {
        cases: HISTORIES,
        failure_persistence: None,
        ..Config::default()
    });
    runner
        .run(&steps(), |history| {
            runtime.block_on(async {
                let (store, guard) = open().await;
                let mut model = Model::start(store.clone()).await;
                for step in history {
                    model.take(step).await?;
                }
                model.compare().await?;
                store.close().await;
                drop(guard);
                Ok(())
            })
        })
        .unwrap();
}
