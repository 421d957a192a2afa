//! How long a call has computed: the sum of the polls of its future, so that waiting costs nothing.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

/// Time spent in polls so far, and when the running one began.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    start: Instant,
    spent: AtomicU64,
    /// Nanoseconds after `start`, plus one; nothing runs while it is 0.
    running_since: AtomicU64,
}

impl CpuMeter {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            start: Instant::now(),
            spent: AtomicU64::new(0),
            running_since: AtomicU64::new(0),
        })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX - 1)
    }

    /// Time computed until now, the running poll included.
    pub(crate) fn spent(&self) -> Duration {
        let running = match self.running_since.load(Ordering::Relaxed) {
            0 => 0,
            since => self.now().saturating_sub(since - 1),
        };
        Duration::from_nanos(self.spent.load(Ordering::Relaxed).saturating_add(running))
    }
}

/// A future whose polls are measured.
pub(crate) struct Metered<F> {
    inner: Pin<Box<F>>,
    meter: Arc<CpuMeter>,
}

impl<F: Future> Metered<F> {
    pub(crate) fn new(inner: F, meter: Arc<CpuMeter>) -> Self {
        Self {
            inner: Box::pin(inner),
            meter,
        }
    }
}

impl<F: Future> Future for Metered<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let since = self.meter.now();
        self.meter.running_since.store(since + 1, Ordering::Relaxed);
        let polled = self.inner.as_mut().poll(context);
        self.meter.running_since.store(0, Ordering::Relaxed);
        self.meter
            .spent
            .fetch_add(self.meter.now().saturating_sub(since), Ordering::Relaxed);
        polled
    }
}
