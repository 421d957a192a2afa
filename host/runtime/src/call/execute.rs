//! Runs one function of a component in an instance of its own, under every limit.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use wasmtime::{Engine, Store, UpdateDeadline};

use super::cpu::{CpuMeter, Metered};
use super::failure::{CallFailure, LimitHit};
use super::held_log::{HeldLog, Sink};
use super::limiter::Limiter;
use super::state::CallState;
use super::trap::classify;
use crate::bindings::{Provider, ProviderPre};
use crate::egress::Egress;
use crate::limits::Limits;
use crate::ports::Ports;

/// Slots for calls, and how many wait for one.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    limits: Limits,
}

impl Slots {
    pub(crate) fn new(limits: &Limits) -> Self {
        let calls = usize::try_from(limits.concurrent_calls).unwrap_or(usize::MAX);
        Self {
            free: Arc::new(Semaphore::new(calls)),
            waiting: AtomicUsize::new(0),
            limits: limits.clone(),
        }
    }

    /// Waits for a slot of the plugin's share and one of the pool, in this order, so that a plugin
    /// whose share is used up holds nothing that others wait for.
    async fn take(&self, share: &Arc<Semaphore>) -> Result<[OwnedSemaphorePermit; 2], CallFailure> {
        if let (Ok(of_plugin), Ok(of_pool)) = (
            share.clone().try_acquire_owned(),
            self.free.clone().try_acquire_owned(),
        ) {
            return Ok([of_plugin, of_pool]);
        }
        let _waiting = self.queue()?;
        let both = async {
            let of_plugin = share.clone().acquire_owned().await?;
            let of_pool = self.free.clone().acquire_owned().await?;
            Ok::<_, tokio::sync::AcquireError>([of_plugin, of_pool])
        };
        match tokio::time::timeout(self.limits.wait(), both).await {
            Ok(Ok(permits)) => Ok(permits),
            Ok(Err(_closed)) => Err(CallFailure::Busy("the host is shutting down".to_owned())),
            Err(_elapsed) => Err(CallFailure::Busy(format!(
                "no slot came free within {} ms (`runtime.limits.waitMs`); {} calls run at once, {} of one plugin (`runtime.limits.concurrentCalls`, `concurrentCallsPerPlugin`)",
                self.limits.wait_ms,
                self.limits.concurrent_calls,
                self.limits.concurrent_calls_per_plugin
            ))),
        }
    }

    fn queue(&self) -> Result<Waiting<'_>, CallFailure> {
        let place = Waiting(&self.waiting);
        if self.waiting.fetch_add(1, Ordering::Relaxed) >= self.limits.waiting_calls {
            return Err(CallFailure::Busy(format!(
                "{} calls wait for a slot already (`runtime.limits.waitingCalls`); try again later",
                self.limits.waiting_calls
            )));
        }
        Ok(place)
    }
}

struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a call runs with.
pub(crate) struct Granted {
    /// The way out, if it has one.
    pub(crate) http: Option<Arc<Egress>>,
    /// Where its log is held.
    pub(crate) log: Sink,
    /// Its time by the wall clock, and the setting that says so.
    pub(crate) wall: (Duration, &'static str),
}

/// Where calls run.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) engine: Engine,
    pub(crate) guests: Handle,
    pub(crate) slots: Arc<Slots>,
    pub(crate) limits: Arc<Limits>,
    pub(crate) ports: Ports,
}

impl Stage {
    /// Runs `entry` in a fresh instance and waits for it.
    pub(crate) async fn run<T, F, Fut>(
        &self,
        share: &Arc<Semaphore>,
        pre: ProviderPre<CallState>,
        granted: Granted,
        entry: F,
    ) -> Result<T, CallFailure>
    where
        T: Send + 'static,
        F: FnOnce(Provider, Store<CallState>) -> Fut + Send + 'static,
        Fut: Future<Output = wasmtime::Result<T>> + Send,
    {
        debug_assert!(
            !self.ports.transactions.holds_one(),
            "a plugin is called inside of a transaction of the store, which would wait for it"
        );
        let permits = self.slots.take(share).await?;
        let log = granted.log.clone();
        let (wall, setting) = granted.wall;
        let stage = self.clone();
        let task = self.guests.spawn(async move {
            let _permits = permits;
            let meter = CpuMeter::new();
            let mut store = stage.store(granted, &meter);
            let run = async move {
                let provider = pre.instantiate_async(&mut store).await?;
                entry(provider, store).await
            };
            // A panic in a host function must not take the host down, nor pass for the guest's.
            let run = std::panic::AssertUnwindSafe(Metered::new(run, meter)).catch_unwind();
            match tokio::time::timeout(wall, run).await {
                Ok(Ok(Ok(answer))) => Ok(answer),
                Ok(Ok(Err(error))) => {
                    Err(classify(&error, &stage.limits, HeldLog::last_error(&log)))
                }
                Ok(Err(_panic)) => Err(CallFailure::Host(
                    "a capability of the host panicked".to_owned(),
                )),
                Err(_elapsed) => {
                    let millis = u64::try_from(wall.as_millis()).unwrap_or(u64::MAX);
                    Err(LimitHit::Wall { millis, setting }.into())
                }
            }
        });
        let mut task = AbortOnDrop(task);
        match (&mut task.0).await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "the task of a call failed");
                Err(CallFailure::Host(
                    "the call was cut off; the operator finds the cause in the host's log"
                        .to_owned(),
                ))
            }
        }
    }

    fn store(&self, granted: Granted, meter: &Arc<CpuMeter>) -> Store<CallState> {
        let limits = &self.limits;
        let state = CallState {
            limiter: Limiter::new(limits.memory_bytes, limits.table_elements),
            cpu: meter.clone(),
            log: granted.log,
            clock: self.ports.clock.clone(),
            entropy: self.ports.entropy.clone(),
            random_left: limits.random_bytes,
            random_limit: limits.random_bytes,
            http: granted.http,
            wasi: None,
        };
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.limiter);
        store.set_hostcall_fuel(limits.output_bytes);
        store.set_epoch_deadline(1);
        let (cpu, millis) = (limits.cpu(), limits.cpu_ms);
        store.epoch_deadline_callback(move |store| {
            if store.data().cpu.spent() > cpu {
                return Err(LimitHit::Cpu { millis }.into());
            }
            // Back to the scheduler, so that timeouts fire and other guests get their turn.
            Ok(UpdateDeadline::Yield(1))
        });
        store
    }
}

/// A task that ends when nobody waits for it any more.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
