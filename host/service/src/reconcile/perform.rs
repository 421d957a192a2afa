//! Does one step.

use berth_domain::id::RunId;
use berth_domain::label;
use berth_domain::linked::Sort;
use berth_domain::provider::{Observation, ParentView, Phase, ProviderError, Wanted};
use berth_domain::resource::{
    Adoption, CallError, CallFault, Outcome, Resource, State, Step, prove,
};
use berth_runtime::Priority;
use berth_store::StoreError;

use super::arrivals;
use super::provider::ProviderCall;
use super::run::Tools;
use super::seal::drop_without_vault;
use super::situation::{Means, Situation};
use crate::cloud_resources::labelled_row;

/// The calls of one run about one row.
pub(super) struct Calls<'a> {
    pub(super) tools: &'a Tools,
    pub(super) situation: &'a Situation,
    pub(super) means: &'a Means,
    pub(super) run: &'a RunId,
    pub(super) epoch: u64,
}

impl Calls<'_> {
    /// Does a step that asks the provider, and says what came of it.
    pub(super) async fn perform(&self, row: &Resource, step: &Step) -> Result<Outcome, StoreError> {
        let outcome = match step {
            Step::Stop | Step::Wait(_) | Step::Condemn | Step::End | Step::OpenIntent => {
                Outcome::Stored
            }
            Step::ProveParent => Outcome::ParentProven(self.prove_parent(row).await?),
            Step::Find => self.find(row).await?,
            Step::Observe if row.is_being_adopted() => {
                let seen = self.observe(row).await;
                self.to_be_taken_over(row, seen).await?
            }
            Step::Observe => Outcome::Observed(self.as_specs_are(row, self.observe(row).await)),
            Step::Create => self.create(row).await?,
            Step::Update(fields) => Outcome::Observed(self.update(row, fields).await),
            Step::Delete(proof) => {
                fail::fail_point!("reconcile::before-delete");
                let wanted = Wanted {
                    provider_id: Some(proof.provider_id().to_owned()),
                    ..self.wanted(row)
                };
                let deleted = self.tools.provider.delete(&self.call(row), wanted).await;
                fail::fail_point!("reconcile::after-delete-answer");
                Outcome::Accepted(deleted)
            }
            Step::Label(claim) => {
                let labelled = self.label(row, claim.provider_id()).await;
                self.to_be_taken_over(row, labelled).await?
            }
            Step::Unlabel => {
                fail::fail_point!("reconcile::before-unlabel");
                let provider = &self.tools.provider;
                let let_go = provider.unlabel(&self.call(row), self.wanted(row)).await;
                fail::fail_point!("reconcile::after-unlabel-answer");
                Outcome::Accepted(let_go)
            }
        };
        Ok(self.without_secrets_that_have_no_place(outcome))
    }

    async fn label(&self, row: &Resource, provider_id: &str) -> Result<Observation, CallError> {
        fail::fail_point!("reconcile::before-label");
        let wanted = Wanted {
            provider_id: Some(provider_id.to_owned()),
            ..self.wanted(row)
        };
        let labelled = self.tools.provider.label(&self.call(row), wanted).await;
        fail::fail_point!("reconcile::after-label-answer");
        labelled
    }

    /// An object of a takeover. One whose labels name a live row of this deployment is that row's, whether
    /// or not it knows the object already: its create may be under way.
    async fn to_be_taken_over(
        &self,
        row: &Resource,
        seen: Result<Observation, CallError>,
    ) -> Result<Outcome, StoreError> {
        if let Ok(seen) = &seen {
            let service = &self.tools.service;
            let holder = labelled_row(service, &seen.labels).await?;
            if let Some(holder) = holder.filter(|holder| *holder != row.id) {
                return Ok(Outcome::Taken(holder));
            }
        }
        Ok(Outcome::Observed(self.as_specs_are(row, seen)))
    }

    /// What is reported of an object whose spec follows it, as a spec may be.
    fn as_specs_are(
        &self,
        row: &Resource,
        mut seen: Result<Observation, CallError>,
    ) -> Result<Observation, CallError> {
        let follows = matches!(row.adoption, Some(Adoption::Begun | Adoption::Following));
        if let Ok(seen) = &mut seen
            && follows
        {
            let schema = self.means.generation.schema(row.kind.as_str());
            seen.spec = seen
                .spec
                .take()
                .zip(schema)
                .and_then(|(spec, schema)| schema.reported(&spec).ok());
        }
        seen
    }

    async fn find(&self, row: &Resource) -> Result<Outcome, StoreError> {
        let provider = &self.tools.provider;
        let found = provider.find(&self.call(row), self.wanted(row)).await;
        let seen = found.as_ref().ok().and_then(Option::as_ref);
        let taken = self.taken(row, seen).await?;
        Ok(taken.unwrap_or(Outcome::Found(found)))
    }

    async fn update(&self, row: &Resource, fields: &[String]) -> Result<Observation, CallError> {
        let is_written = |field: &str| fields.iter().any(|written| written == field);
        if let Some(missing) = self.situation.missing_secret(row, is_written) {
            return Err(missing);
        }
        if let Some(missing) = self.situation.missing_network(row) {
            return Err(missing);
        }
        fail::fail_point!("reconcile::before-update");
        let provider = &self.tools.provider;
        let updated = provider
            .update(&self.call(row), self.wanted(row), fields.to_vec())
            .await;
        fail::fail_point!("reconcile::after-update-answer");
        updated
    }

    async fn create(&self, row: &Resource) -> Result<Outcome, StoreError> {
        if let Some(missing) = self.situation.missing_secret(row, |_| true) {
            return Ok(Outcome::Observed(Err(missing)));
        }
        if let Some(missing) = self.situation.missing_network(row) {
            return Ok(Outcome::Observed(Err(missing)));
        }
        fail::fail_point!("reconcile::before-create");
        let provider = &self.tools.provider;
        let created = provider.create(&self.call(row), self.wanted(row)).await;
        fail::fail_point!("reconcile::after-create-answer");
        let created = match created {
            Ok(seen) => Ok(seen),
            Err(error) => {
                let store = self.tools.service.store();
                Err(arrivals::weigh(store.as_ref(), &row.id, self.run, error).await?)
            }
        };
        let taken = self.taken(row, created.as_ref().ok()).await?;
        Ok(taken.unwrap_or(Outcome::Observed(created)))
    }

    async fn observe(&self, row: &Resource) -> Result<Observation, CallError> {
        if let Some(listed) = self.tools.refresh.look(self, row).await {
            return listed;
        }
        let provider = &self.tools.provider;
        provider.observe(&self.call(row), self.wanted(row)).await
    }

    /// For whom, and how urgently: what a tenant waits for goes before a refresh.
    pub(super) fn call<'b>(&'b self, row: &'b Resource) -> ProviderCall<'b> {
        let rests = matches!(row.state, State::Ready | State::Error);
        let is_awaited = row.is_going() || !row.unapplied.is_empty() || !rests;
        ProviderCall {
            generation: &self.means.generation,
            account: &self.means.account,
            row: Some(row),
            run: self.run,
            epoch: self.epoch,
            priority: if is_awaited {
                Priority::User
            } else {
                Priority::Refresh
            },
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
            instances: self.situation.linked(row, Sort::Instance),
            networks: self.situation.linked(row, Sort::Network),
            memo: row.memo.clone(),
        }
    }

    /// Whether another live row has the object that was found or made.
    async fn taken(
        &self,
        row: &Resource,
        seen: Option<&Observation>,
    ) -> Result<Option<Outcome>, StoreError> {
        let Some(seen) = seen.filter(|seen| seen.phase != Phase::Gone) else {
            return Ok(None);
        };
        let store = self.tools.service.store();
        let by = store.provider_id_taken(row, &seen.provider_id).await?;
        Ok(by.map(Outcome::Taken))
    }

    /// Observes the parent in this run, and its own parent before: what lives in something that is
    /// ours is ours. `None`: it is gone.
    async fn prove_parent(
        &self,
        row: &Resource,
    ) -> Result<Result<Option<bool>, CallError>, StoreError> {
        let service = &self.tools.service;
        let parent = match &self.situation.parent {
            Some(parent) if parent.provider_id.is_some() => parent,
            _ => return Ok(Ok(Some(false))),
        };
        let Some(above) = Situation::read(service, parent).await? else {
            return Ok(Ok(Some(false)));
        };
        let Ok(means) = &above.means else {
            return Ok(Ok(Some(false)));
        };
        let calls = Calls {
            tools: self.tools,
            situation: &above,
            means,
            run: self.run,
            epoch: self.epoch,
        };
        let above_proven = if above.parent.is_some() {
            match Box::pin(calls.prove_parent(parent)).await? {
                Ok(Some(proven)) => proven,
                other => return Ok(other),
            }
        } else {
            false
        };
        let call = ProviderCall {
            priority: calls.call(row).priority,
            ..calls.call(parent)
        };
        let seen = self
            .tools
            .provider
            .observe(&call, calls.wanted(parent))
            .await;
        let deployment = &service.deployment().id;
        Ok(match seen {
            Ok(seen) if seen.phase == Phase::Gone => Ok(None),
            Ok(seen) => Ok(Some(
                prove(parent, &above.kind, &seen, deployment, above_proven).is_ok(),
            )),
            Err(CallError {
                fault: CallFault::Provider(ProviderError::NotFound(_)),
                ..
            }) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn without_secrets_that_have_no_place(&self, mut outcome: Outcome) -> Outcome {
        if let Outcome::Observed(Ok(seen)) | Outcome::Found(Ok(Some(seen))) = &mut outcome {
            drop_without_vault(&self.tools.service, seen);
        }
        outcome
    }
}

pub(super) fn parent_view(parent: &Resource) -> Option<ParentView> {
    Some(ParentView {
        kind: parent.kind.to_string(),
        provider_id: parent.provider_id.clone()?,
        name: parent.provider_name.clone(),
        outputs: parent.outputs.clone(),
    })
}
