//! One run over one row: step by step, each stored before the next.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use berth_domain::id::RunId;
use berth_domain::resource::{
    Outcome, Progress, Resource, Step, Transition, absorb, hold_back, next_step, postpone,
};
use berth_domain::time::Millis;
use berth_store::{Claim, Committed, SecretChange, StoreError, StoredResource};
use futures_util::FutureExt;
use tracing::Instrument;

use super::commit::{self, Learnt};
use super::following;
use super::leases::{Hold, Leases};
use super::perform::Calls;
use super::provider::Provider;
use super::refresh::Refresh;
use super::situation::{Situation, Stuck};
use crate::Service;
use crate::vault_rotation::take_newer_key;

/// How often an outcome is absorbed again because the row was written meanwhile.
const ABSORB_TRIES: u32 = 32;
/// Most steps of a run: a run that goes in circles ends here and is looked at again later.
const STEPS_MAX: u32 = 64;

/// What every run works with.
pub(super) struct Tools {
    pub(super) service: Arc<Service>,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) leases: Leases,
    pub(super) refresh: Refresh,
    /// The host stops: runs end after the step that they are in.
    pub(super) stopping: AtomicBool,
}

/// Works on a claimed row until there is nothing more to do now. Whatever happens to the run, the
/// host goes on: a run that breaks leaves its lease to expire.
pub(super) async fn reconcile(tools: &Tools, claim: Claim, leased_until: Millis) {
    let service = &tools.service;
    let id = RunId::generate(service.now(), service.entropy().id_seed());
    let row = &claim.stored.row;
    let span = tracing::info_span!("run", id = %id, resource = %row.id, tenant = %row.tenant, kind = %row.kind);
    let run = Run {
        tools,
        id,
        epoch: claim.epoch,
        hold: tools.leases.hold(&row.id, claim.epoch, leased_until),
    };
    let work = AssertUnwindSafe(run.work(claim.stored)).catch_unwind();
    async {
        if work.await.is_err() {
            tracing::error!(
                "the run panicked; its row is looked at again when its lease has ended"
            );
        }
    }
    .instrument(span)
    .await;
}

/// One run.
struct Run<'a> {
    tools: &'a Tools,
    id: RunId,
    epoch: u64,
    hold: Hold<'a>,
}

/// What became of a step.
enum Stored {
    /// It was stored; the run goes on with this row.
    Next(Box<StoredResource>),
    /// It was stored, and the lease given up.
    Last,
    /// Another host has the row.
    Lost,
}

impl Run<'_> {
    async fn work(&self, claimed: StoredResource) {
        let id = claimed.row.id.clone();
        if let Err(error) = self.steps(claimed).await {
            tracing::warn!(%error, "the run ends early; the row is looked at again");
            if let Err(error) = self.put_off(&id).await {
                tracing::warn!(%error, "the row is looked at again when its lease has ended");
            }
        }
    }

    async fn steps(&self, mut stored: StoredResource) -> Result<(), StoreError> {
        let service = &self.tools.service;
        let Some(mut situation) = Situation::read(service, &stored.row).await? else {
            return self.hold_back(stored, Stuck::NoPlugin).await;
        };
        let mut progress = Progress::default();
        for count in 0..STEPS_MAX {
            if count > 0 {
                situation.refresh(service, &stored.row).await?;
                situation.read_secret_versions(service, &stored.row).await?;
            }
            let now = service.now();
            let step = next_step(
                &stored.row,
                &progress,
                &situation.facts(service, &stored.row, now),
            );
            tracing::debug!(step = step.name(), "step");
            let outcome = if step.is_call() {
                let means = match &situation.means {
                    Ok(means) => means,
                    Err(stuck) => return self.hold_back(stored, *stuck).await,
                };
                if self.tools.stopping.load(Ordering::Relaxed) {
                    return service.store().give_up(&stored.row.id, self.epoch).await;
                }
                if !self.hold.is_good(now) {
                    tracing::info!("the lease has ended: no further call is made");
                    return Ok(());
                }
                let calls = Calls {
                    tools: self.tools,
                    situation: &situation,
                    means,
                    run: &self.id,
                    epoch: self.epoch,
                };
                let outcome = calls.perform(&stored.row, &step).await?;
                situation.read_accepted_create(service, &stored.row).await?;
                outcome
            } else {
                Outcome::Stored
            };
            match self
                .store(stored, &mut situation, &mut progress, &step, outcome)
                .await?
            {
                Stored::Next(next) => stored = *next,
                Stored::Last => return Ok(()),
                Stored::Lost => {
                    tracing::info!(
                        "another host has the row; what this run learnt last is not stored"
                    );
                    return Ok(());
                }
            }
        }
        Err(StoreError::Failed(format!(
            "a run of {STEPS_MAX} steps found no end"
        )))
    }

    /// Absorbs an outcome on the row as it is now, and stores the result.
    async fn store(
        &self,
        stored: StoredResource,
        situation: &mut Situation,
        progress: &mut Progress,
        step: &Step,
        outcome: Outcome,
    ) -> Result<Stored, StoreError> {
        let service = &self.tools.service;
        let asked = stored.row.clone();
        let mut current = stored;
        for _ in 0..ABSORB_TRIES {
            let mut after = progress.clone();
            let facts = situation.facts(service, &current.row, service.now());
            let mut transition = absorb(
                current.row.clone(),
                &asked,
                &mut after,
                step,
                outcome.clone(),
                &facts,
                service.entropy().jitter(),
            );
            let keep_lease = !after.is_done();
            if keep_lease && transition.effects.is_empty() && transition.row == current.row {
                *progress = after;
                return Ok(Stored::Next(Box::new(current)));
            }
            if let Ok(means) = &situation.means {
                following::note(service, &mut transition.row, &current.row, means).await;
            }
            let learnt = self.learnt(transition, situation, step, &outcome, keep_lease);
            match self.commit(&current, learnt, step).await? {
                (Committed::Stored(revision), row) => {
                    announce(step, &current.row, &row);
                    *progress = after;
                    return Ok(if keep_lease {
                        Stored::Next(Box::new(StoredResource { row, revision }))
                    } else {
                        Stored::Last
                    });
                }
                (Committed::LeaseLost, _) => return Ok(Stored::Lost),
                // What the provider handed out may never be shown again: it is sealed anew at once.
                (Committed::Unsealed(refusal), _) => self.seal_anew(&refusal).await?,
                // Nobody was asked: decide anew about the row as it is.
                (Committed::Changed(fresh), _) if outcome == Outcome::Stored => {
                    return Ok(Stored::Next(fresh));
                }
                (Committed::Changed(fresh), _) => {
                    current = *fresh;
                    situation.refresh(service, &current.row).await?;
                }
            }
        }
        Err(StoreError::Busy(format!(
            "{} was written {ABSORB_TRIES} times while an outcome was stored",
            current.row.id
        )))
    }

    fn learnt(
        &self,
        transition: Transition,
        situation: &Situation,
        step: &Step,
        outcome: &Outcome,
        keep_lease: bool,
    ) -> Learnt {
        let Transition { mut row, effects } = transition;
        row.last_run = Some(self.id.clone());
        if let Ok(means) = &situation.means {
            row.last_digest = Some(means.generation.digest().to_string());
        }
        Learnt {
            audit: commit::audit(&self.tools.service, &row, step, outcome),
            row,
            effects,
            keep_lease,
        }
    }

    async fn commit(
        &self,
        before: &StoredResource,
        learnt: Learnt,
        step: &Step,
    ) -> Result<(Committed, Resource), StoreError> {
        let service = &self.tools.service;
        let change = commit::change(service, before, self.epoch, learnt).await?;
        let row = change.row.clone();
        before_commit(step);
        let committed = service.store().commit_run(change).await?;
        after_commit(step);
        Ok((committed, row))
    }

    /// Makes ready for sealing again what was refused: another version came first, which is read with the next
    /// try, or the key was retired.
    async fn seal_anew(&self, refusal: &SecretChange) -> Result<(), StoreError> {
        let service = &self.tools.service;
        match (refusal, service.vault()) {
            (SecretChange::KeyRetired, Some(vault)) => {
                take_newer_key(service.store().as_ref(), vault).await
            }
            _ => Ok(()),
        }
    }

    /// The row can't be worked on as this host is set up.
    async fn hold_back(&self, stored: StoredResource, stuck: Stuck) -> Result<(), StoreError> {
        tracing::warn!(?stuck, "the row waits for an operator");
        self.end_with(stored, |row, service| {
            let why = stuck.text(&row);
            let timing = &service.settings().reconcile.timing;
            hold_back(row, why, service.now(), timing, service.entropy().jitter())
        })
        .await
    }

    /// Something of the host failed: looked at again with growing waits, never at once.
    async fn put_off(&self, id: &berth_domain::id::ResourceId) -> Result<(), StoreError> {
        let Some(stored) = self.tools.service.store().resource(id).await? else {
            return Ok(());
        };
        self.end_with(stored, |row, service| {
            let timing = &service.settings().reconcile.timing;
            postpone(row, service.now(), timing, service.entropy().jitter())
        })
        .await
    }

    async fn end_with(
        &self,
        stored: StoredResource,
        change: impl Fn(Resource, &Service) -> Resource,
    ) -> Result<(), StoreError> {
        let service = &self.tools.service;
        let mut row = change(stored.row.clone(), service);
        row.last_run = Some(self.id.clone());
        let learnt = Learnt {
            row,
            effects: Vec::new(),
            audit: Vec::new(),
            keep_lease: false,
        };
        match self.commit(&stored, learnt, &Step::Stop).await? {
            // Somebody wrote the row and scheduled it anew.
            (Committed::Changed(fresh), _) => {
                service.store().give_up(&fresh.row.id, self.epoch).await
            }
            (Committed::Stored(_) | Committed::LeaseLost, _) => Ok(()),
            (Committed::Unsealed(refusal), _) => self.seal_anew(&refusal).await,
        }
    }
}

/// Points at which tests stop, delay or kill a run, between an outcome and its row.
fn before_commit(step: &Step) {
    match step {
        Step::OpenIntent => fail::fail_point!("reconcile::before-intent-commit"),
        Step::Create => fail::fail_point!("reconcile::before-create-commit"),
        Step::Update(_) => fail::fail_point!("reconcile::before-update-commit"),
        Step::Delete(_) => fail::fail_point!("reconcile::before-delete-commit"),
        Step::Label(_) => fail::fail_point!("reconcile::before-label-commit"),
        Step::Unlabel => fail::fail_point!("reconcile::before-unlabel-commit"),
        _ => fail::fail_point!("reconcile::before-commit"),
    }
}

/// The same, between a row and the next step.
fn after_commit(step: &Step) {
    match step {
        Step::OpenIntent => fail::fail_point!("reconcile::after-intent-commit"),
        Step::Create => fail::fail_point!("reconcile::after-create-commit"),
        Step::Update(_) => fail::fail_point!("reconcile::after-update-commit"),
        Step::Delete(_) => fail::fail_point!("reconcile::after-delete-commit"),
        Step::Label(_) => fail::fail_point!("reconcile::after-label-commit"),
        Step::Unlabel => fail::fail_point!("reconcile::after-unlabel-commit"),
        _ => fail::fail_point!("reconcile::after-commit"),
    }
}

/// One line for a step that changed what the tenant sees.
fn announce(step: &Step, before: &Resource, after: &Resource) {
    if before.state != after.state || before.message != after.message {
        let reason = after.message.as_ref().map(|message| message.reason);
        tracing::info!(step = step.name(), from = %before.state, to = %after.state, ?reason, "moved");
    }
}
