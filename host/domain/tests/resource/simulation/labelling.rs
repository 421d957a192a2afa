//! Labels at the provider: tags, so that two deployments' can be on an object at once.

use berth_domain::label::{self, Label};
use berth_domain::provider::{Observation, ProviderError};

use super::provider::{Answer, Mood, Provider, Wanted, not_found, observation, provider_says};
use super::random::Random;

/// What another deployment's objects carry.
pub(crate) const ANOTHER: &str = "dep-2";

pub(crate) fn anothers_label() -> Label {
    Label {
        key: label::MANAGED.to_owned(),
        value: ANOTHER.to_owned(),
    }
}

impl Provider {
    /// The plugin looks, and writes nothing where another deployment's label is; between the look and
    /// the write that one may come all the same.
    pub(crate) fn label(
        &mut self,
        wanted: &Wanted<'_>,
        id: &str,
        mood: Mood,
        random: &mut Random,
    ) -> Answer<Observation> {
        if let Some(error) = mood.before(true) {
            return Err(error);
        }
        let now = wanted.now;
        let at_the_same_moment = wanted.row.is_being_adopted() && random.percent(10);
        let cut_off = mood != Mood::Good && random.percent(50);
        let Some(object) = self
            .object_mut(id)
            .filter(|object| object.visible_at <= now)
        else {
            return Err(not_found());
        };
        if label::manager(&object.labels, wanted.deployment) == Some(label::Manager::Other) {
            let conflict = ProviderError::Conflict("another deployment's".to_owned());
            return Err(provider_says(conflict, false));
        }
        if at_the_same_moment {
            object.labels.push(anothers_label());
        }
        let ours = label::ownership(wanted.deployment, &wanted.row.id, &wanted.row.tenant);
        for wanted in ours.iter().take(if cut_off { 1 } else { 3 }) {
            let is_stale = |label: &Label| label.key == wanted.key && label.value != ANOTHER;
            object.labels.retain(|label| !is_stale(label));
            object.labels.push(wanted.clone());
        }
        let answer = observation(object, wanted);
        mood.after(answer, true)
    }

    /// Takes our labels off, the one that names us last. A refusal may come in the middle.
    pub(crate) fn unlabel(
        &mut self,
        wanted: &Wanted<'_>,
        id: &str,
        mood: Mood,
        random: &mut Random,
    ) -> Answer<()> {
        let error = mood.before(true);
        if error.is_some() && random.percent(50) {
            return error.map_or(Ok(()), Err);
        }
        let now = wanted.now;
        let Some(object) = self
            .object_mut(id)
            .filter(|object| object.visible_at <= now)
        else {
            return Err(not_found());
        };
        let ours = label::ownership(wanted.deployment, &wanted.row.id, &wanted.row.tenant);
        let off = if error.is_some() { 2 } else { 3 };
        for ours in ours.iter().rev().take(off) {
            object.labels.retain(|label| label != ours);
        }
        match error {
            Some(error) => Err(error),
            None => mood.after((), true),
        }
    }
}
