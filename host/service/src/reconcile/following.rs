//! What goes with a spec that follows its provider: who reported it, and what it takes.

use berth_domain::resource::{Adoption, Demand, Resource};

use super::situation::Means;
use crate::Service;
use crate::place::account_view;

/// Notes with a row whose spec follows the provider which generation reported it and which of the kind's own
/// meters it runs. Those of a spec that changed bill from the next look on.
pub(super) async fn note(service: &Service, row: &mut Resource, before: &Resource, means: &Means) {
    if row.adoption != Some(Adoption::Following) {
        return;
    }
    row.spec_generation = means.generation.digest().to_string();
    let runs_meters = means
        .generation
        .kind(row.kind.as_str())
        .is_some_and(|kind| !kind.meters.is_empty());
    let is_noted = row.spec == before.spec && row.demand != Demand::default();
    if !runs_meters || is_noted {
        return;
    }
    let account = account_view(&means.account);
    let checked = service.runtime().check(
        &means.generation,
        &account,
        row.kind.as_str(),
        &row.spec,
        None,
    );
    match checked.await {
        // Nothing was booked for what existed before.
        Ok(checked) => row.demand.meters = Demand::from(&checked).meters,
        Err(error) => {
            tracing::warn!(resource = %row.id, %error, "what an adopted resource takes can't be told; its own meters bill as before, and it is asked again at the next look");
        }
    }
}
