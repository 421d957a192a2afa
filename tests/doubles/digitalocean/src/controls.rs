//! What a test can do with a double, as methods. The control API mirrors them.

use std::sync::Arc;

use serde_json::Value;

use crate::apps::record::Phase;
use crate::config::Config;
use crate::error::ApiError;
use crate::faults::{ArmedFault, Fault};
use crate::log::Entry;
use crate::pattern::Pattern;
use crate::state::Saved;
use crate::sync::locked;
use crate::world::Shared;

/// The hand on a double. Clones hold the same one.
#[derive(Clone)]
pub struct Controls {
    pub(crate) shared: Arc<Shared>,
}

/// Why a control did nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refused(String);

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self(error.message)
    }
}

impl Refused {
    pub(crate) fn because(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl Controls {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared }
    }

    /// The token that the provider API accepts.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.shared.token
    }

    // ------------------------------------------------------------------ time

    /// Sets how many virtual milliseconds pass in a real one; 0 freezes time.
    pub fn set_speed(&self, speed: f64) {
        self.shared.clock.set_speed(speed.max(0.0));
    }

    /// Jumps ahead by so many virtual milliseconds.
    pub fn advance(&self, ms: u64) {
        self.shared.clock.advance(ms);
    }

    /// Virtual milliseconds since the double was first started.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.shared.clock.now()
    }

    // -------------------------------------------------------------- settings

    /// The settings as they are.
    #[must_use]
    pub fn config(&self) -> Config {
        (*self.shared.world().config).clone()
    }

    /// Changes settings. Token, seed and ports stay as they are.
    ///
    /// # Errors
    /// When the result is no valid configuration; nothing changed then.
    pub fn configure(&self, change: impl FnOnce(&mut Config)) -> Result<(), Refused> {
        let mut wanted = self.config();
        change(&mut wanted);
        let patch = serde_json::to_value(&wanted).map_err(|error| Refused(error.to_string()))?;
        self.patch_config(&patch)
    }

    /// Changes settings by a JSON merge patch.
    ///
    /// # Errors
    /// When the result is no valid configuration; nothing changed then.
    pub fn patch_config(&self, patch: &Value) -> Result<(), Refused> {
        let mut world = self.shared.world();
        let next = world.config.patched(patch).map_err(Refused)?;
        // Bit for bit, since an unchanged speed must not move the clock's base.
        if next.speed.to_bits() != world.config.speed.to_bits() {
            self.shared.clock.set_speed(next.speed);
        }
        locked(&self.shared.log).set_limits(next.log.clone());
        world.config = Arc::new(next);
        world.clusters.forget_rendered();
        Ok(())
    }

    /// Forgets all requests that count against the rate limits.
    pub fn clear_rate(&self) {
        locked(&self.shared.rate).clear();
    }

    // ------------------------------------------------------- faults and holds

    /// Arms a fault and tells its id.
    pub fn fault(&self, fault: Fault) -> u64 {
        let now = self.shared.clock.now();
        locked(&self.shared.faults).arm(fault, now)
    }

    /// Disarms a fault and lets go on what it holds; whether there was one.
    pub fn release(&self, fault: u64) -> bool {
        let known = locked(&self.shared.faults).disarm(fault);
        self.shared.holds.release(fault);
        known
    }

    /// Disarms all faults and lets go on what they hold.
    pub fn clear_faults(&self) {
        for armed in self.faults() {
            self.release(armed.id);
        }
        locked(&self.shared.faults).clear();
    }

    /// All faults that are armed.
    #[must_use]
    pub fn faults(&self) -> Vec<ArmedFault> {
        locked(&self.shared.faults).list()
    }

    /// How many requests a fault holds now.
    #[must_use]
    pub fn held(&self, fault: u64) -> usize {
        self.shared.holds.waiting(fault)
    }

    /// Waits until a fault holds a request.
    pub async fn wait_held(&self, fault: u64) {
        self.shared.holds.held(fault).await;
    }

    // ------------------------------------------------------------------- log

    /// All requests that the log still has.
    #[must_use]
    pub fn log(&self) -> Vec<Entry> {
        self.log_since(0)
    }

    /// Requests from that number on.
    #[must_use]
    pub fn log_since(&self, number: u64) -> Vec<Entry> {
        locked(&self.shared.log).since(number)
    }

    /// How many requests of a method and a path (see [`Pattern`]) the log has.
    #[must_use]
    pub fn count(&self, method: &str, path: &str) -> usize {
        locked(&self.shared.log).count(&Pattern::new(method, path))
    }

    /// Empties the log.
    pub fn clear_log(&self) {
        locked(&self.shared.log).clear();
    }

    // ----------------------------------------------------------------- users

    /// Removes a user of a cluster behind the client's back.
    ///
    /// # Errors
    /// When there is no such cluster or user.
    pub fn vanish_user(&self, cluster: &str, name: &str) -> Result<(), Refused> {
        let mut guard = self.shared.world();
        let world = &mut *guard;
        let record = world
            .clusters
            .any_mut(cluster)
            .ok_or_else(|| no_such(cluster))?;
        record.users.remove(name).ok_or_else(|| no_such(name))?;
        record.rendered = None;
        world.totals.users_gone += 1;
        Ok(())
    }

    // ------------------------------------------------------------------ apps

    /// The next `count` deployments fail at the end of their build.
    pub fn fail_next_deployments(&self, count: u32) {
        self.shared.world().apps.failing = count;
    }

    /// The newest deployment of an app fails now.
    ///
    /// # Errors
    /// When there is no such app.
    pub fn fail_deployment(&self, app: &str) -> Result<(), Refused> {
        let mut world = self.shared.world();
        let record = world.apps.any_mut(app).ok_or_else(|| no_such(app))?;
        let last = record.deployments.last_mut().ok_or_else(|| no_such(app))?;
        last.phase = Phase::Error;
        Ok(())
    }

    /// The plain value that an app's secret variable was last given, which the provider API never
    /// shows.
    #[must_use]
    pub fn app_secret(&self, app: &str, key: &str) -> Option<String> {
        let world = self.shared.world();
        let record = world.apps.any(app)?;
        crate::apps::secrets::open(&record.spec, &record.sealed, key)
    }

    /// Jumps far enough ahead that everything under way is done.
    pub fn finish_everything(&self) {
        let times = self.config().times;
        let longest = [
            times.create.saturating_add(times.first_backup),
            times.replica,
            times.inference_new.saturating_add(times.inference),
            times.status_lag.saturating_add(times.inference_update),
            times.inference_delete,
            times.session,
            times.session_destroy,
            times.status_lag.saturating_add(times.resize),
            times.status_lag.saturating_add(times.migrate),
            times.status_lag.saturating_add(times.upgrade),
            times
                .pending
                .saturating_add(times.build)
                .saturating_add(times.deploy),
        ];
        self.advance(longest.into_iter().max().unwrap_or_default());
    }

    // ------------------------------------------------------------------ state

    /// The account as JSON text, which [`Saved`] reads.
    #[must_use]
    pub fn saved(&self) -> String {
        let now = self.shared.clock.now();
        Saved::write(now, &self.shared.world())
    }
}

pub(crate) fn no_such(what: &str) -> Refused {
    Refused(format!("there is no `{what}`"))
}
