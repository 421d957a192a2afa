//! An app and its deployments, and how they move through time.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::secrets::Sealed;
use crate::clusters::record::Origin;
use crate::config::Times;
use crate::hiding::Hiding;

/// The phases of a deployment that this double has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Phase {
    /// It waits for its build.
    PendingBuild,
    /// It is being built.
    Building,
    /// It waits for being deployed.
    PendingDeploy,
    /// It is being deployed.
    Deploying,
    /// It runs.
    Active,
    /// A later one took its place.
    Superseded,
    /// It failed.
    Error,
    /// Someone stopped it.
    Canceled,
}

impl Phase {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::PendingBuild => "PENDING_BUILD",
            Self::Building => "BUILDING",
            Self::PendingDeploy => "PENDING_DEPLOY",
            Self::Deploying => "DEPLOYING",
            Self::Active => "ACTIVE",
            Self::Superseded => "SUPERSEDED",
            Self::Error => "ERROR",
            Self::Canceled => "CANCELED",
        }
    }

    /// Whether it still moves by itself.
    pub(crate) fn is_moving(self) -> bool {
        matches!(
            self,
            Self::PendingBuild | Self::Building | Self::PendingDeploy | Self::Deploying
        )
    }
}

/// A deployment of an app.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Deployment {
    pub(crate) id: String,
    pub(crate) spec: Value,
    pub(crate) cause: String,
    pub(crate) phase: Phase,
    /// It is going to fail at the end of its build.
    pub(crate) fails: bool,
    /// Virtual milliseconds.
    pub(crate) begun: u64,
    /// Not to be seen before, in virtual milliseconds.
    pub(crate) shown_at: u64,
    /// Milliseconds since the epoch.
    pub(crate) created_at: u64,
}

impl Deployment {
    /// The phase of a deployment that nobody touched, `age` after its beginning.
    fn phase_at(&self, age: u64, times: &Times) -> Phase {
        let built = times.pending.saturating_add(times.build);
        let half = times.deploy / 2;
        if age < times.pending {
            Phase::PendingBuild
        } else if age < built {
            Phase::Building
        } else if self.fails {
            Phase::Error
        } else if age < built.saturating_add(half / 4) {
            Phase::PendingDeploy
        } else if age < built.saturating_add(times.deploy) {
            Phase::Deploying
        } else {
            Phase::Active
        }
    }
}

/// An app.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct App {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) spec: Value,
    pub(crate) project_id: String,
    pub(crate) sealed: Sealed,
    /// Oldest first.
    pub(crate) deployments: Vec<Deployment>,
    /// Milliseconds since the epoch.
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
    pub(crate) hiding: Hiding,
    pub(crate) origin: Origin,
    pub(crate) order: u64,
}

impl App {
    /// Brings its deployments up to `now`. Only the last one can still be moving.
    pub(crate) fn settle(&mut self, now: u64, times: &Times) {
        let Some((last, earlier)) = self.deployments.split_last_mut() else {
            return;
        };
        if !last.phase.is_moving() {
            return;
        }
        last.phase = last.phase_at(now.saturating_sub(last.begun), times);
        if last.phase == Phase::Active {
            for deployment in earlier.iter_mut().filter(|one| one.phase == Phase::Active) {
                deployment.phase = Phase::Superseded;
            }
        }
    }

    /// Adds a deployment, which ends the one that is under way.
    pub(crate) fn deploy(&mut self, deployment: Deployment) {
        if let Some(last) = self.deployments.last_mut()
            && last.phase.is_moving()
        {
            last.phase = Phase::Superseded;
        }
        self.updated_at = deployment.created_at;
        self.deployments.push(deployment);
    }

    /// Deployments that can be seen, newest first.
    pub(crate) fn shown(&self, now: u64) -> impl Iterator<Item = &Deployment> {
        self.deployments
            .iter()
            .rev()
            .filter(move |one| now >= one.shown_at)
    }
}
