//! Does one step.

use berth_domain::id::RunId;
use berth_domain::label;
use berth_domain::provider::{Observation, ParentView, Phase, ProviderError, Wanted};
use berth_domain::resource::{CallError, CallFault, Outcome, Resource, State, Step, prove};
use berth_runtime::Priority;
use berth_store::StoreError;

use super::provider::ProviderCall;
use super::run::Tools;
use super::situation::Situation;

/// One run over one row.
pub(super) struct Running<'a> {
    pub(super) tools: &'a Tools,
    pub(super) situation: &'a Situation,
    pub(super) run: &'a RunId,
    pub(super) epoch: u64,
}

impl Running<'_> {
    /// Does a step and says what came of it.
    pub(super) async fn perform(&self, row: &Resource, step: &Step) -> Result<Outcome, StoreError> {
        let provider = &self.tools.provider;
        let call = self.call(row);
        Ok(match step {
            Step::Stop | Step::Wait(_) | Step::Condemn | Step::End | Step::OpenIntent => Outcome::Stored,
            Step::ProveParent => Outcome::ParentProven(self.prove_parent(row).await?),
            Step::Find => {
                let found = provider.find(&call, self.wanted(row)).await;
                match self.taken(row, found.as_ref().ok().and_then(Option::as_ref)).await? {
                    Some(taken) => taken,
                    None => Outcome::Found(found),
                }
            }
            Step::Observe => Outcome::Observed(provider.observe(&call, self.wanted(row)).await),
            Step::Create => {
                fail::fail_point!("reconcile::before-create");
                let created = provider.create(&call, self.wanted(row)).await;
                fail::fail_point!("reconcile::after-create-answer");
                match self.taken(row, created.as_ref().ok()).await? {
                    Some(taken) => taken,
                    None => Outcome::Observed(created),
                }
            }
            Step::Update(fields) => {
                fail::fail_point!("reconcile::before-update");
                let updated = provider.update(&call, self.wanted(row), fields.clone()).await;
                fail::fail_point!("reconcile::after-update-answer");
                Outcome::Observed(updated)
            }
            Step::Delete(proof) => {
                fail::fail_point!("reconcile::before-delete");
                let mut wanted = self.wanted(row);
                wanted.provider_id = Some(proof.provider_id().to_owned());
                let deleted = provider.delete(&call, wanted).await;
                fail::fail_point!("reconcile::after-delete-answer");
                Outcome::Accepted(deleted)
            }
        })
    }

    fn call<'b>(&'b self, row: &'b Resource) -> ProviderCall<'b> {
        let urgent = row.is_going() || !row.unapplied.is_empty() || !matches!(row.state, State::Ready | State::Error);
        ProviderCall {
            generation: &self.situation.generation,
            account: &self.situation.account,
            row,
            run: self.run,
            epoch: self.epoch,
            priority: if urgent { Priority::User } else { Priority::Refresh },
        }
    }

    fn wanted(&self, row: &Resource) -> Wanted {
        Wanted {
            id: row.id.clone(),
            kind: row.kind.to_string(),
            name: row.provider_name.clone(),
            spec: row.effective_spec(),
            labels: label::ownership(&self.tools.service.deployment().id, &row.id, &row.tenant),
            provider_id: row.provider_id.clone(),
            parent: self.situation.parent.as_ref().and_then(parent_view),
            instances: Vec::new(),
            networks: Vec::new(),
            memo: row.memo.clone(),
        }
    }

    /// Whether another live row has the object that was found or made.
    async fn taken(&self, row: &Resource, seen: Option<&Observation>) -> Result<Option<Outcome>, StoreError> {
        let Some(seen) = seen.filter(|seen| seen.phase != Phase::Gone) else { return Ok(None) };
        Ok(self.tools.service.store().provider_id_taken(row, &seen.provider_id).await?.map(Outcome::Taken))
    }

    /// Observes the parent in this run; what lives in something that is ours is ours.
    async fn prove_parent(&self, row: &Resource) -> Result<Result<Option<bool>, CallError>, StoreError> {
        let Some(parent) = self.situation.parent.as_ref().filter(|parent| parent.provider_id.is_some()) else { return Ok(Ok(Some(false))) };
        let above = match Situation::read(self.tools, parent).await? {
            Ok(above) => above,
            Err(_) => return Ok(Ok(Some(false))),
        };
        let running = Running { tools: self.tools, situation: &above, run: self.run, epoch: self.epoch };
        let above_proven = if above.parent.is_some() {
            match Box::pin(running.prove_parent(parent)).await? {
                Ok(Some(proven)) => proven,
                other => return Ok(other),
            }
        } else {
            false
        };
        // The call is the child's run, about the parent's object.
        let call = ProviderCall { row: parent, ..running.call(row) };
        Ok(match self.tools.provider.observe(&call, running.wanted(parent)).await {
            Ok(seen) if seen.phase == Phase::Gone => Ok(None),
            Ok(seen) => Ok(Some(prove(parent, &above.kind, &seen, &self.tools.service.deployment().id, above_proven).is_ok())),
            Err(CallError { fault: CallFault::Provider(ProviderError::NotFound(_)), .. }) => Ok(None),
            Err(error) => Err(error),
        })
    }
}

fn parent_view(parent: &Resource) -> Option<ParentView> {
    Some(ParentView {
        kind: parent.kind.to_string(),
        provider_id: parent.provider_id.clone()?,
        name: parent.provider_name.clone(),
        outputs: parent.outputs.clone(),
    })
}
