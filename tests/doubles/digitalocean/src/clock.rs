//! Virtual time: real time multiplied by a speed that a test can change, plus jumps.

use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::Notify;

use crate::sync::locked;

/// Microseconds since the epoch, by the machine's clock.
#[expect(
    clippy::disallowed_methods,
    reason = "the double is a process of its own beside the host: this is the one place where it reads real time"
)]
pub(crate) fn wall_micros() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}

/// Milliseconds since the epoch, by the machine's clock.
pub(crate) fn wall_ms() -> u64 {
    wall_micros() / 1000
}

struct Rate {
    since_micros: u64,
    virtual_ms: f64,
    speed: f64,
}

impl Rate {
    fn now(&self, wall: u64) -> f64 {
        let passed = wall.saturating_sub(self.since_micros) as f64 / 1000.0;
        self.virtual_ms + passed * self.speed
    }
}

/// The double's clock, in virtual milliseconds since the double was first started.
pub(crate) struct Clock {
    rate: Mutex<Rate>,
    changed: Notify,
}

impl Clock {
    pub(crate) fn starting_at(virtual_ms: u64, speed: f64) -> Self {
        let virtual_ms = virtual_ms as f64;
        Self {
            rate: Mutex::new(Rate {
                since_micros: wall_micros(),
                virtual_ms,
                speed,
            }),
            changed: Notify::new(),
        }
    }

    /// Now, in virtual milliseconds.
    pub(crate) fn now(&self) -> u64 {
        locked(&self.rate).now(wall_micros()) as u64
    }

    pub(crate) fn set_speed(&self, speed: f64) {
        {
            let mut rate = locked(&self.rate);
            let wall = wall_micros();
            *rate = Rate {
                since_micros: wall,
                virtual_ms: rate.now(wall),
                speed,
            };
        }
        self.changed.notify_waiters();
    }

    /// Jumps ahead by `ms` virtual milliseconds.
    pub(crate) fn advance(&self, ms: u64) {
        let ms = ms as f64;
        locked(&self.rate).virtual_ms += ms;
        self.changed.notify_waiters();
    }

    /// Waits until virtual time is `due`, through changes of speed and jumps.
    pub(crate) async fn until(&self, due: u64) {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let wait = {
                let rate = locked(&self.rate);
                let left = due as f64 - rate.now(wall_micros());
                if left <= 0.0 {
                    return;
                }
                (rate.speed > 0.0).then(|| (left / rate.speed).clamp(0.05, 60_000.0))
            };
            match wait {
                None => changed.await,
                Some(ms) => {
                    tokio::select! {
                        () = changed => {}
                        () = tokio::time::sleep(Duration::from_secs_f64(ms / 1000.0)) => {}
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn a_frozen_clock_moves_by_jumps_only() {
        let clock = Clock::starting_at(100, 0.0);
        assert_eq!(clock.now(), 100);
        clock.advance(50);
        assert_eq!(clock.now(), 150);
    }

    #[tokio::test]
    async fn a_jump_wakes_whoever_waits() {
        let clock = Clock::starting_at(0, 0.0);
        tokio::join!(clock.until(1000), async {
            tokio::task::yield_now().await;
            clock.advance(1000);
        });
        assert_eq!(clock.now(), 1000);
    }

    #[test]
    fn changing_the_speed_loses_no_time() {
        let clock = Clock::starting_at(5000, 1.0);
        clock.set_speed(0.0);
        assert!(clock.now() >= 5000);
        let then = clock.now();
        clock.set_speed(0.0);
        assert_eq!(clock.now(), then);
    }
}
