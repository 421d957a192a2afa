//! Taking over what existed before us.

use super::{Asked, CallError, CallFault, Next};
use crate::label;
use crate::provider::{Observation, ProviderError};
use crate::resource::adopt::region;
use crate::resource::ownership::{Claim, Standing, standing};
use crate::resource::row::{Adoption, Message, Reason, State};
use crate::spec::Spec;

impl Next<'_, '_> {
    /// The object of a takeover was seen. It is labelled only where nobody manages it, and it is ours
    /// only where an observation shows our labels.
    pub(super) fn seen_before_takeover(&mut self, observation: Observation) {
        if self.is_condemned() {
            return self.look_anew();
        }
        let was_labelled = self.progress.labelled;
        match standing(&self.row, &observation, self.facts.deployment) {
            Standing::Ours(claim) if !was_labelled && self.lacks_labels(&observation) => {
                self.note_to_label(Some(claim));
            }
            Standing::Ours(_) => self.taken_over(observation),
            Standing::Free(_) if was_labelled => self.retry(
                "its ownership labels were written, and the provider does not show them yet",
                None,
            ),
            Standing::Free(claim) => self.note_to_label(Some(claim)),
            Standing::Anothers => self.anothers(),
            // Whoever sees both yields, so that the one that was there first keeps it.
            Standing::Contested => {
                self.progress.to_yield = true;
                self.schedule_a_look();
            }
        }
    }

    /// Labels come next. That is stored, so that a wish that landed under the look is seen before.
    pub(super) fn note_to_label(&mut self, claim: Option<Claim>) {
        self.progress.to_label = claim;
        self.schedule_a_look();
    }

    fn schedule_a_look(&mut self) {
        self.row
            .look_soon(self.facts.now, self.facts.timing, self.jitter, None);
    }

    pub(super) fn lacks_labels(&self, observation: &Observation) -> bool {
        let wanted = label::ownership(self.facts.deployment, &self.row.id, &self.row.tenant);
        label::lacks(&observation.labels, &wanted)
    }

    fn taken_over(&mut self, observation: Observation) {
        let Some(spec) = observation.spec else {
            return self.fail(Message::new(
                Reason::Plugin,
                "the plugin reports no spec of it that its own schema takes, so it can't be adopted; delete this resource, which leaves the object as it is",
            ));
        };
        self.row.adoption = Some(Adoption::Following);
        self.follow(&spec);
        if matches!(self.row.state, State::Pending | State::Error) {
            self.row.state = State::Provisioning;
            self.row.message = None;
        }
        // With a spec the plugin shows all there is to show.
        self.look_anew();
    }

    /// The spec follows the provider until the tenant changes it for the first time.
    pub(super) fn follow(&mut self, found: &Spec) {
        if self.row.adoption != Some(Adoption::Following) {
            return;
        }
        let fields = self.kind().spec_schema.get("properties");
        let is_known = |field: &String| fields.is_some_and(|fields| fields.get(field).is_some());
        let followed: Spec = found
            .iter()
            .filter(|(field, _)| is_known(field))
            .map(|(field, value)| (field.clone(), value.clone()))
            .collect();
        self.row.region = region(self.kind(), &followed);
        self.row.spec = followed;
    }

    fn anothers(&mut self) {
        self.fail(Message::new(
            Reason::ManagedByAnother,
            "another deployment manages the object, and nothing was written on it; release it there, or delete this resource, which leaves the object as it is",
        ));
    }

    pub(super) fn labelled(&mut self, result: Result<Observation, CallError>) {
        self.progress.to_label = None;
        self.progress.labelled = true;
        if !self.row.is_being_adopted() {
            return self.labels_restored(result.map(drop));
        }
        match result {
            Ok(observation) => self.saw(observation, Asked::Look),
            Err(_) if self.is_condemned() => self.look_anew(),
            Err(error) if error.is_not_found() => self.missing(),
            Err(CallError {
                fault: CallFault::Provider(ProviderError::Conflict(_)),
                ..
            }) => self.anothers(),
            Err(error) => self.call_failed(error),
        }
    }

    /// Our labels were taken off an object that another deployment took at the same time.
    pub(super) fn yielded(&mut self, result: Result<(), CallError>) {
        self.progress.to_yield = false;
        match result {
            _ if self.is_condemned() => self.look_anew(),
            Ok(()) => self.anothers(),
            Err(error) if error.is_not_found() => self.missing(),
            Err(error) => self.call_failed(error),
        }
    }
}
