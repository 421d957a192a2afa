//! How far an app is, by its deployments.

use berth_sdk::Call;
use berth_sdk::types::{Error, Phase};

use super::memo::Memo;
use super::spec::Spec;
use super::wire::{self, App, Deployment, DeploymentAnswer, Deployments};
use crate::api::api;

/// How long after a write its deployment may stay invisible: a change that needs none has none.
const PATIENCE: u64 = 2 * 60 * 1000;
/// How many of the newest deployments are looked at.
const NEWEST: &str = "20";

/// The phase, and the deployment that it is of.
pub(super) struct Progress {
    pub(super) phase: Phase,
    pub(super) deployment: Option<String>,
}

/// Pending goes before in progress, and that before active. A deployment that another superseded
/// says nothing; one that vanished from the app is looked up, since it may have failed.
pub(super) fn progress(app: &App, call: &Call<'_, Spec>, memo: &Memo) -> Result<Progress, Error> {
    if let Some(deployment) = app.going_on().filter(|going_on| is_new(going_on, memo)) {
        return Ok(of(deployment));
    }
    match (&memo.deployment, app.active()) {
        (Some(wanted), Some(active)) if *wanted == active.id => Ok(ready(active)),
        (Some(wanted), active) => {
            let found = deployment(call, &app.id, wanted)?;
            match (
                found.filter(|found| found.phase != wire::Phase::Superseded),
                active,
            ) {
                (Some(found), _) => Ok(of(&found)),
                (None, Some(active)) => Ok(ready(active)),
                (None, None) => newest(app, call, memo),
            }
        }
        (None, Some(active)) if Some(&active.id) != memo.before.as_ref() => Ok(ready(active)),
        (None, _) => newest(app, call, memo),
    }
}

/// An item of a list, of which nothing is remembered.
pub(super) fn glance(app: &App) -> Phase {
    match (app.going_on(), app.active()) {
        (Some(deployment), _) => of(deployment).phase,
        (None, Some(_)) => Phase::Ready,
        (None, None) => Phase::Converging,
    }
}

/// The write's deployment is not known: it is the newest that was not there before.
fn newest(app: &App, call: &Call<'_, Spec>, memo: &Memo) -> Result<Progress, Error> {
    let deployments: Deployments = api(call.host())
        .get(&["v2", "apps", &app.id, "deployments"])
        .query("page", "1")
        .query("per_page", NEWEST)
        .send()?
        .json()?;
    let new = deployments
        .deployments
        .into_iter()
        .flatten()
        .take_while(|deployment| Some(&deployment.id) != memo.before.as_ref())
        .find(|deployment| deployment.phase != wire::Phase::Superseded);
    if let Some(deployment) = new {
        return Ok(of(&deployment));
    }
    let waited = call.now().saturating_sub(memo.at) >= PATIENCE;
    match app.active().filter(|_| waited) {
        Some(active) => Ok(ready(active)),
        None => Ok(Progress {
            phase: Phase::Converging,
            deployment: None,
        }),
    }
}

fn is_new(deployment: &Deployment, memo: &Memo) -> bool {
    // The one before the last write goes on until the API stops it.
    Some(&deployment.id) != memo.before.as_ref()
}

fn ready(active: &Deployment) -> Progress {
    Progress {
        phase: Phase::Ready,
        deployment: Some(active.id.clone()),
    }
}

fn of(deployment: &Deployment) -> Progress {
    let phase = if deployment.has_failed() {
        Phase::Failed(deployment.failure())
    } else if deployment.phase == wire::Phase::Active {
        Phase::Ready
    } else {
        Phase::Converging
    };
    Progress {
        phase,
        deployment: Some(deployment.id.clone()),
    }
}

fn deployment(call: &Call<'_, Spec>, app: &str, id: &str) -> Result<Option<Deployment>, Error> {
    let answer = api(call.host())
        .get(&["v2", "apps", app, "deployments", id])
        .send()
        .and_then(|answer| answer.json::<DeploymentAnswer>());
    match answer {
        Ok(answer) => Ok(Some(answer.deployment)),
        Err(Error::NotFound(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
