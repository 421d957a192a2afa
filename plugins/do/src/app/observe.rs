//! An app as an observation.

use berth_sdk::types::{Error, Phase};
use berth_sdk::{Call, Observed, polling};
use serde_json::json;

use super::deployment;
use super::memo::Memo;
use super::spec::Spec;
use super::wire::{self, App, Outputs};

/// The call's own app.
pub(super) fn observed(
    app: &App,
    call: &Call<'_, Spec>,
    mut memo: Memo,
) -> Result<Observed<Outputs>, Error> {
    let progress = deployment::progress(app, call, &memo)?;
    if progress.deployment.is_some() {
        memo.deployment = progress.deployment;
    }
    Ok(with_phase(app, call, &memo, progress.phase))
}

/// The call's own app, right after its spec was written: a deployment is to come.
pub(super) fn written(app: &App, call: &Call<'_, Spec>, memo: &Memo) -> Observed<Outputs> {
    with_phase(app, call, memo, Phase::Converging)
}

/// The call's own app, found by its name. Its deployments may be read once its id is recorded.
pub(super) fn found(app: &App, call: &Call<'_, Spec>, memo: &Memo) -> Observed<Outputs> {
    with_phase(app, call, memo, deployment::glance(app))
}

/// An item of a list.
pub(super) fn listed(app: &App) -> Observed<Outputs> {
    bare(app, deployment::glance(app))
}

fn with_phase(app: &App, call: &Call<'_, Spec>, memo: &Memo, phase: Phase) -> Observed<Outputs> {
    let mut observed = bare(app, phase);
    observed.pending = memo.pending(call);
    if matches!(observed.phase, Phase::Converging) {
        observed.poll_after = Some(polling::after(memo.at, call.now()));
    }
    observed.memo = Some(json!(memo));
    observed
}

fn bare(app: &App, phase: Phase) -> Observed<Outputs> {
    let mut observed = Observed::new(&app.id, phase, Outputs::from(app));
    observed.name = app.name().map(str::to_owned);
    observed.spec = Some(wire::shown(&app.spec));
    observed
}
