//! How long a call has computed: the processor time of its thread over the polls of its future. So
//! waiting costs nothing, and neither does a processor that others hold.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Processor time that this thread has used, in nanoseconds.
fn of_thread() -> u64 {
    let used = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(used.tv_sec).unwrap_or(0);
    let nanos = u64::try_from(used.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(nanos)
}

/// Time spent in polls so far, and when the running one began.
#[derive(Debug)]
pub(crate) struct CpuMeter {
    spent: AtomicU64,
    /// What the polling thread had used when the running poll began, plus one; nothing runs while it
    /// is 0.
    running_since: AtomicU64,
}

impl CpuMeter {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            spent: AtomicU64::new(0),
            running_since: AtomicU64::new(0),
        })
    }

    /// Time computed until now, the running poll included. Must be asked within that poll: each
    /// thread has a clock of its own.
    pub(crate) fn spent(&self) -> Duration {
        let running = match self.running_since.load(Ordering::Relaxed) {
            0 => 0,
            since => of_thread().saturating_sub(since - 1),
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
        // A poll stays on one thread from its beginning to its end.
        let since = of_thread();
        self.meter.running_since.store(since + 1, Ordering::Relaxed);
        let polled = self.inner.as_mut().poll(context);
        self.meter.running_since.store(0, Ordering::Relaxed);
        self.meter
            .spent
            .fetch_add(of_thread().saturating_sub(since), Ordering::Relaxed);
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    const WHILE: Duration = Duration::from_millis(300);

    #[test]
    fn a_thread_that_is_kept_from_its_processor_has_not_computed() {
        let meter = CpuMeter::new();
        let inside = meter.clone();
        let kept_off = async move {
            std::thread::sleep(WHILE);
            inside.spent()
        };
        let within = Metered::new(kept_off, meter.clone())
            .now_or_never()
            .unwrap();
        assert!(
            within < WHILE && meter.spent() < WHILE,
            "{within:?} {meter:?}"
        );
    }

    #[test]
    fn computing_counts_within_the_poll_and_after_it() {
        let meter = CpuMeter::new();
        let inside = meter.clone();
        let spinning = async move {
            while inside.spent() < WHILE {
                std::hint::spin_loop();
            }
        };
        Metered::new(spinning, meter.clone())
            .now_or_never()
            .unwrap();
        assert!(meter.spent() >= WHILE);
    }
}
