//! One run over one row: step by step, each stored before the next.

use std::sync::Arc;

use berth_domain::id::{ResourceId, RunId};
use berth_domain::resource::{Desired, Message, Outcome, Progress, Reason, Resource, Schedule, State, Step, Transition, absorb, next_step};
use berth_store::{Claim, Committed, StoreError, StoredResource};
use tracing::Instrument;

use super::commit;
use super::leases::Leases;
use super::perform::Running;
use super::provider::Provider;
use super::situation::{Situation, Stuck};
use crate::Service;

/// How often an outcome is absorbed again because the row was written meanwhile.
const ABSORB_TRIES: u32 = 32;
/// Most steps of a run: a run that goes in circles ends here and is looked at again later.
const STEPS_MAX: u32 = 64;

/// What every run works with.
pub(super) struct Tools {
    pub(super) service: Arc<Service>,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) leases: Leases,
}

/// Ends the renewal of a lease however the run ends.
struct Hold<'a> {
    tools: &'a Tools,
    id: ResourceId,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.tools.leases.drop_hold(&self.id);
    }
}

/// Works on a claimed row until there is nothing more to do now.
pub(super) async fn reconcile(tools: &Tools, claim: Claim) {
    let service = &tools.service;
    let run = RunId::generate(service.now(), service.entropy().id_seed());
    let row = &claim.stored.row;
    let span = tracing::info_span!("run", id = %run, resource = %row.id, tenant = %row.tenant, kind = %row.kind);
    let hold = Hold { tools, id: row.id.clone() };
    let epoch = claim.epoch;
    async {
        if let Err(error) = steps(tools, &run, claim).await {
            tracing::warn!(%error, "the run ends early; the row is looked at again");
            if let Err(error) = service.store().give_up(&hold.id, epoch).await {
                tracing::warn!(%error, "the lease was not given up; it expires");
            }
        }
    }
    .instrument(span)
    .await;
}

async fn steps(tools: &Tools, run: &RunId, claim: Claim) -> Result<(), StoreError> {
    let Claim { mut stored, epoch } = claim;
    let mut situation = match Situation::read(tools, &stored.row).await? {
        Ok(situation) => situation,
        Err(stuck) => return wait_for_mending(tools, run, stored, epoch, &stuck).await,
    };
    let mut progress = Progress::default();
    for count in 0..STEPS_MAX {
        if tools.leases.is_lost(&stored.row.id) {
            tracing::info!("another host has the row");
            return Ok(());
        }
        if count > 0 {
            situation.refresh(tools, &stored.row).await?;
        }
        let step = next_step(&stored.row, &progress, &situation.facts(tools, &stored.row));
        tracing::debug!(step = name(&step), "step");
        let running = Running { tools, situation: &situation, run, epoch };
        let outcome = running.perform(&stored.row, &step).await?;
        let last = Step::Stop == step;
        match store(tools, run, epoch, stored, &mut situation, &mut progress, &step, outcome).await? {
            Some(next) => stored = next,
            None => return Ok(()),
        }
        if last || progress.is_done() {
            return Ok(());
        }
    }
    tracing::error!("a run of {STEPS_MAX} steps found no end; the row is looked at again");
    tools.service.store().give_up(&stored.row.id, epoch).await
}

/// Absorbs an outcome on the row as it is now and stores the result. `None`: the lease is another's.
#[expect(clippy::too_many_arguments, reason = "the state of a run, taken apart so that each part has one owner")]
async fn store(
    tools: &Tools,
    run: &RunId,
    epoch: u64,
    stored: StoredResource,
    situation: &mut Situation,
    progress: &mut Progress,
    step: &Step,
    outcome: Outcome,
) -> Result<Option<StoredResource>, StoreError> {
    let asked = stored.row.clone();
    let mut current = stored;
    for _ in 0..ABSORB_TRIES {
        let mut learnt = progress.clone();
        let jitter = tools.service.entropy().jitter();
        let facts = situation.facts(tools, &current.row);
        let Transition { mut row, effects } = absorb(current.row.clone(), &asked, &mut learnt, step, outcome.clone(), &facts, jitter);
        let keep_lease = !learnt.is_done();
        if keep_lease && effects.is_empty() && row == current.row {
            *progress = learnt;
            return Ok(Some(current));
        }
        row.last_run = Some(run.clone());
        row.last_digest = Some(situation.generation.digest().to_string());
        let change = commit::change(tools, &current, row.clone(), effects, epoch, keep_lease, step).await?;
        fail::fail_point!("reconcile::before-commit");
        match tools.service.store().commit_run(change).await? {
            Committed::Stored(revision) => {
                fail::fail_point!("reconcile::after-commit");
                commit::announce(step, &current.row, &row);
                *progress = learnt;
                return Ok(Some(StoredResource { row, revision }));
            }
            Committed::Changed(fresh) => {
                current = *fresh;
                situation.refresh(tools, &current.row).await?;
            }
            Committed::LeaseLost => {
                tracing::info!("another host has the row; what this run learnt is not stored");
                return Ok(None);
            }
        }
    }
    Err(StoreError::Busy(format!("{} was written {ABSORB_TRIES} times while an outcome was stored", current.row.id)))
}

/// The row can't be worked on here: say why, and look again at the refresh.
async fn wait_for_mending(tools: &Tools, run: &RunId, stored: StoredResource, epoch: u64, stuck: &Stuck) -> Result<(), StoreError> {
    let timing = &tools.service.settings().reconcile.timing;
    let mut row = stored.row.clone();
    let text = match stuck {
        Stuck::NoPlugin => format!("the plugin `{}` is not loaded on this host; it goes on once an operator has activated one that loads", row.provider),
        Stuck::NoKind => format!("the active plugin `{}` does not know the kind {} any more; it goes on once an operator has activated one that does", row.provider, row.kind),
        Stuck::NoAccount => "its provider account does not exist any more; ask the operator".to_owned(),
    };
    let message = Message::new(Reason::Host, text);
    let shows = row.state == State::Ready && row.desired == Desired::Present;
    if !shows {
        row.message = Some(message);
    }
    row.last_run = Some(run.clone());
    row.schedule = Schedule { next_run_at: Some(tools.service.now() + timing.steady), attempts: row.schedule.attempts.saturating_add(1) };
    let change = commit::change(tools, &stored, row, Vec::new(), epoch, false, &Step::Stop).await?;
    match tools.service.store().commit_run(change).await? {
        Committed::Changed(_) => tools.service.store().give_up(&stored.row.id, epoch).await,
        Committed::Stored(_) | Committed::LeaseLost => Ok(()),
    }
}

/// A step's name for logs.
pub(super) fn name(step: &Step) -> &'static str {
    match step {
        Step::Stop => "stop",
        Step::Wait(_) => "wait",
        Step::Condemn => "condemn",
        Step::End => "end",
        Step::OpenIntent => "openIntent",
        Step::ProveParent => "proveParent",
        Step::Find => "find",
        Step::Observe => "observe",
        Step::Create => "create",
        Step::Update(_) => "update",
        Step::Delete(_) => "delete",
    }
}

/// For the log: what a row went through.
pub(super) fn moved(before: &Resource, after: &Resource) -> bool {
    before.state != after.state || before.message != after.message
}
