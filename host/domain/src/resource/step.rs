//! What to do next with a row.

use super::given::SecretVersions;
use super::ownership::{Claim, Proof};
use super::row::{Desired, Message, Reason, Resource, State};
use super::schedule::Timing;
use crate::id::DeploymentId;
use crate::manifest::{Kind, Ownership};
use crate::metering::Billing;
use crate::time::Millis;

/// Most updates that one run sends: a plugin that never makes progress ends here.
const UPDATES_PER_RUN: u32 = 8;

/// What a step is decided with, beside the row.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    /// The row's kind, in the generation that runs.
    pub kind: &'a Kind,
    /// This deployment.
    pub deployment: &'a DeploymentId,
    /// How its parent is, if it lives in one.
    pub parent: Option<ParentFact>,
    /// Resources living in it that are not ended.
    pub live_children: u32,
    /// The journal shows that no create of this row can have reached the provider: none was sent,
    /// or the provider refused each.
    pub no_create_arrived: bool,
    /// Versions, in the store, of the secrets that the spec names.
    pub secret_versions: &'a SecretVersions,
    /// When the create was sent that the provider accepted first, as the journal has it.
    pub create_accepted_at: Option<Millis>,
    /// What bills in its pool.
    pub billing: Billing<'a>,
    /// How long to wait.
    pub timing: &'a Timing,
    /// Now.
    pub now: Millis,
}

/// How the parent of a resource is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParentFact {
    /// Usable: what lives in it can be created and changed.
    Ready,
    /// Not usable yet, or failed.
    NotReady(State),
    /// On its way out.
    Going,
    /// Ended.
    Ended,
}

impl ParentFact {
    /// How a parent is, as its row tells.
    #[must_use]
    pub fn of(parent: &Resource) -> Self {
        let failed_in_a_change_only = parent
            .message
            .as_ref()
            .is_some_and(|message| message.reason == Reason::UpdateRefused);
        if !parent.is_live() {
            return Self::Ended;
        }
        if parent.is_going() {
            return Self::Going;
        }
        match parent.state {
            State::Ready | State::Updating if parent.ready_at.is_some() => Self::Ready,
            // What was there before the change still runs.
            State::Error if parent.ready_at.is_some() && failed_in_a_change_only => Self::Ready,
            state => Self::NotReady(state),
        }
    }
}

/// What a run has learnt so far. It is never stored: a run that is cut off starts with a look.
#[derive(Debug, Default, Clone)]
pub struct Progress {
    pub(super) looked: Looked,
    pub(super) proof: Option<Proof>,
    pub(super) parent_proven: Option<bool>,
    pub(super) intent_is_fresh: bool,
    pub(super) to_update: Vec<String>,
    pub(super) updates: u32,
    pub(super) delete_sent: bool,
    pub(super) to_label: Option<Claim>,
    pub(super) labelled: bool,
    pub(super) to_yield: bool,
    pub(super) withdrawn: bool,
    pub(super) done: bool,
}

/// What was seen of the object in this run.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looked {
    #[default]
    No,
    Absent,
    Seen,
}

impl Progress {
    /// Nothing more is to be done in this run.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.done
    }
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Nothing: the run is over.
    Stop,
    /// Store that it waits, and for what.
    Wait(Message),
    /// Its parent goes, so it goes too.
    Condemn,
    /// It is gone, without a word to the provider.
    End,
    /// Store the intent to create before anything is sent.
    OpenIntent,
    /// Observe the parent and prove it ours.
    ProveParent,
    /// Call the plugin's `find`.
    Find,
    /// Call the plugin's `observe`.
    Observe,
    /// Call the plugin's `create`.
    Create,
    /// Call the plugin's `update` with these fields.
    Update(Vec<String>),
    /// Call the plugin's `delete` on the object that was proven ours.
    Delete(Proof),
    /// Call the plugin's `label` on an object that nobody else manages.
    Label(Claim),
    /// Call the plugin's `unlabel`: our labels come off, the object lives on.
    Unlabel,
}

impl Step {
    /// Whether the provider is asked; other steps are only stored.
    #[must_use]
    pub fn is_call(&self) -> bool {
        match self {
            Self::Stop | Self::Wait(_) | Self::Condemn | Self::End | Self::OpenIntent => false,
            Self::ProveParent
            | Self::Find
            | Self::Observe
            | Self::Create
            | Self::Update(_)
            | Self::Delete(_)
            | Self::Label(_)
            | Self::Unlabel => true,
        }
    }

    /// Its name in logs and in the audit.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Wait(_) => "wait",
            Self::Condemn => "condemn",
            Self::End => "end",
            Self::OpenIntent => "openIntent",
            Self::ProveParent => "proveParent",
            Self::Find => "find",
            Self::Observe => "observe",
            Self::Create => "create",
            Self::Update(_) => "update",
            Self::Delete(_) => "delete",
            Self::Label(_) => "label",
            Self::Unlabel => "unlabel",
        }
    }
}

/// Says what to do with a row as it now stands.
#[must_use]
pub fn next_step(row: &Resource, progress: &Progress, facts: &Facts<'_>) -> Step {
    if progress.done || !row.is_live() {
        return Step::Stop;
    }
    match row.desired {
        Desired::Present => keep(row, progress, facts),
        Desired::Deleted => remove(row, progress, facts),
        Desired::Released => let_go(facts),
    }
}

fn keep(row: &Resource, progress: &Progress, facts: &Facts<'_>) -> Step {
    match facts.parent {
        Some(ParentFact::Going | ParentFact::Ended) => return Step::Condemn,
        Some(ParentFact::NotReady(state)) if row.provider_id.is_none() => {
            return Step::Wait(Message::new(
                Reason::Waiting,
                format!(
                    "waits for the resource that it lives in, which is {state}; it goes on by itself"
                ),
            ));
        }
        _ => {}
    }
    if let Some(claim) = &progress.to_label {
        return Step::Label(claim.clone());
    }
    if progress.to_yield {
        return Step::Unlabel;
    }
    if row.provider_id.is_none() {
        return match progress.looked {
            Looked::No => Step::Find,
            Looked::Absent if progress.intent_is_fresh => Step::Create,
            Looked::Absent if may_create(row, facts) => Step::OpenIntent,
            Looked::Absent => Step::Wait(Message::new(
                Reason::Waiting,
                "an earlier create may have reached the provider; its object is looked for before another is asked for",
            )),
            Looked::Seen => Step::Stop,
        };
    }
    if progress.looked == Looked::No {
        return Step::Observe;
    }
    if !progress.to_update.is_empty() && progress.updates < UPDATES_PER_RUN {
        return Step::Update(progress.to_update.clone());
    }
    Step::Stop
}

/// A create may be sent if none was, or if the object of the earlier one did not show up for long enough.
fn may_create(row: &Resource, facts: &Facts<'_>) -> bool {
    row.intent.is_none_or(|intent| {
        intent.absent_looks >= facts.timing.absence_looks
            && facts.now - intent.opened_at >= facts.timing.absence_grace
    })
}

/// A row whose children have to go first.
fn wait_for_children(facts: &Facts<'_>) -> Option<Step> {
    let children = match facts.live_children {
        0 => return None,
        1 => "1 resource".to_owned(),
        more => format!("{more} resources"),
    };
    Some(Step::Wait(Message::new(
        Reason::Waiting,
        format!("waits for {children} living in it to be deleted first"),
    )))
}

/// No look is needed: labels are taken off whatever the object is like. (A release is refused while
/// something lives in the resource; what was created in the same moment goes with it.)
fn let_go(facts: &Facts<'_>) -> Step {
    wait_for_children(facts).unwrap_or(Step::Unlabel)
}

fn remove(row: &Resource, progress: &Progress, facts: &Facts<'_>) -> Step {
    if let Some(wait) = wait_for_children(facts) {
        return wait;
    }
    if row.is_being_adopted() {
        // It never became ours: the object stays as it is.
        return Step::End;
    }
    if let Some(claim) = &progress.to_label {
        // What a withdrawn release took off is what proves it ours.
        return Step::Label(claim.clone());
    }
    let parent_takes_it = facts.kind.ends_with_parent
        && matches!(facts.parent, Some(ParentFact::Going | ParentFact::Ended));
    if parent_takes_it {
        return Step::End;
    }
    if row.provider_id.is_none() {
        if row.intent.is_none() {
            return Step::End;
        }
        return match progress.looked {
            Looked::No => Step::Find,
            Looked::Absent if may_create(row, facts) => Step::End,
            _ => Step::Wait(Message::new(
                Reason::Waiting,
                "a create may have reached the provider; its object is looked for before the resource ends",
            )),
        };
    }
    if facts.kind.ownership == Ownership::Parent && progress.parent_proven.is_none() {
        return Step::ProveParent;
    }
    match (&progress.looked, &progress.proof) {
        (Looked::No, _) => Step::Observe,
        (Looked::Seen, Some(proof)) if !progress.delete_sent => Step::Delete(proof.clone()),
        _ => Step::Stop,
    }
}
