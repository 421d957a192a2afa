//! A host: a reconciler over the world's store, on a clock of its own.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use berth_domain::id::ResourceId;
use berth_domain::resource::{Resource, Timing};
use berth_domain::time::{Millis, Span};
use berth_service::reconcile::run_with;
use berth_service::{Clock, Parts, ReconcileSettings, Service, Settings};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::cloud::Cloud;
use crate::harness::World;

/// Later than anything that the world's clock says.
const BASE: i64 = 1_900_000_000_000;
/// How long a test waits for something that must come.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct RealClock(tokio::time::Instant);

impl RealClock {
    /// All clocks of a test share the beginning of time.
    pub(crate) fn new() -> Self {
        static BEGINNING: OnceLock<tokio::time::Instant> = OnceLock::new();
        Self(*BEGINNING.get_or_init(tokio::time::Instant::now))
    }
}

impl Clock for RealClock {
    fn now(&self) -> Millis {
        Millis(BASE + i64::try_from(self.0.elapsed().as_millis()).unwrap())
    }
}

pub(crate) fn quick() -> ReconcileSettings {
    ReconcileSettings {
        timing: Timing {
            converging: Span(60),
            steady: Span(400),
            first_retry: Span(5),
            absence_grace: Span(200),
            absence_looks: 2,
            missing_grace: Span(200),
            ..Timing::default()
        },
        lease: Span(600),
        poll: Span(20),
        ..ReconcileSettings::default()
    }
}

pub(crate) struct Host {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
    /// Whether anything of it still runs.
    alive: Weak<Service>,
}

impl Host {
    pub(crate) fn start(world: &World, cloud: &Arc<Cloud>) -> Self {
        Self::start_with(world, cloud, quick())
    }

    pub(crate) fn start_with(
        world: &World,
        cloud: &Arc<Cloud>,
        reconcile: ReconcileSettings,
    ) -> Self {
        Self::start_on(world, cloud, reconcile, Arc::new(RealClock::new()))
    }

    /// The same on a clock of the test's.
    pub(crate) fn start_on(
        world: &World,
        cloud: &Arc<Cloud>,
        reconcile: ReconcileSettings,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let of = &world.service;
        let service = Arc::new(Service::new(Parts {
            store: of.store().clone(),
            runtime: of.runtime().clone(),
            registry: of.registry().clone(),
            vault: of.vault().cloned(),
            clock,
            entropy: of.entropy().clone(),
            deployment: of.deployment().clone(),
            settings: Settings {
                reconcile,
                ..Settings::default()
            },
        }));
        let (stop, stopped) = watch::channel(false);
        let alive = Arc::downgrade(&service);
        let task = tokio::spawn(run_with(service, cloud.clone(), stopped));
        Self { stop, task, alive }
    }

    /// Ends in good order.
    pub(crate) async fn stop(self) {
        self.stop.send(true).unwrap();
        tokio::time::timeout(PATIENCE, self.task)
            .await
            .expect("it ends")
            .unwrap();
    }

    /// Ends at once, in the middle of whatever it does. When this answers nothing of it writes any more: a run
    /// ends where it waits, and what it had handed to the store by then is stored.
    pub(crate) async fn kill(self) {
        let store = self.alive.upgrade().map(|service| service.store().clone());
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
        let gone = async {
            while self.alive.strong_count() > 0 {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(PATIENCE, gone)
            .await
            .expect("its runs end");
        if let Some(store) = store {
            // Writes take turns: this one comes after all that were handed in before.
            store.prove_writable(Millis(0)).await.unwrap();
        }
    }
}

/// Waits until a row is as it must become.
pub(crate) async fn until(
    world: &World,
    id: &ResourceId,
    what: impl Fn(&Resource) -> bool,
) -> Resource {
    let found = tokio::time::timeout(PATIENCE, async {
        loop {
            let row = world.row(id).await;
            if what(&row) {
                return row;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    match found.await {
        Ok(row) => row,
        Err(_) => panic!("it never came; {:?}", world.row(id).await),
    }
}

pub(crate) async fn until_state(world: &World, id: &ResourceId, state: &str) -> Resource {
    until(world, id, |row| row.state.as_str() == state).await
}

/// Waits until something is true of the provider.
pub(crate) async fn until_cloud(cloud: &Cloud, what: impl Fn(&Cloud) -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !what(cloud) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    assert!(
        waited.await.is_ok(),
        "it never came; {:?}",
        cloud.with(|state| state.calls.clone())
    );
}
