//! One row, the run over it, and what a test lets happen to it.

use std::collections::BTreeSet;

use berth_domain::id::{DeploymentId, IdSeed, ResourceId};
use berth_domain::input::MeterName;
use berth_domain::label::{self, Label};
use berth_domain::manifest::Kind;
use berth_domain::metering::Billing;
use berth_domain::platform::BillingMode;
use berth_domain::provider::{Observation, Phase, ProviderError, SecretOutput};
use berth_domain::resource::{
    Accepted, Amendment, CallError, CallFault, Demand, Effect, Facts, Found, Jitter, Outcome,
    ParentFact, Progress, Reason, Resource, SecretVersions, Step, Timing, absorb, amend, condemn,
    next_step, release,
};
use berth_domain::secret::SecretText;
use berth_domain::spec::{Spec, merge_patch};
use berth_domain::time::{Millis, Span};
use serde_json::{Value, json};

use crate::kinds;

pub(crate) fn deployment() -> DeploymentId {
    DeploymentId::generate(Millis(1), IdSeed([2; 10]))
}

pub(crate) struct Scene {
    pub(crate) row: Resource,
    pub(crate) kind: Kind,
    pub(crate) parent: Option<ParentFact>,
    pub(crate) live_children: u32,
    pub(crate) no_create_arrived: bool,
    pub(crate) secret_versions: SecretVersions,
    pub(crate) create_accepted_at: Option<Millis>,
    pub(crate) kind_meters: BTreeSet<MeterName>,
    pub(crate) billing_mode: BillingMode,
    pub(crate) now: Millis,
    pub(crate) progress: Progress,
    pub(crate) effects: Vec<Effect>,
    deployment: DeploymentId,
    timing: Timing,
}

impl Scene {
    pub(crate) fn of(kind: Kind) -> Self {
        let now = Millis(1_000_000);
        let (parent_id, parent) = if kind.is_child() {
            let parent = kinds::row(&kinds::cluster(), 99, None, now);
            (Some(parent.id), Some(ParentFact::Ready))
        } else {
            (None, None)
        };
        Self {
            row: kinds::row(&kind, 1, parent_id.as_ref(), now),
            kind,
            parent,
            live_children: 0,
            no_create_arrived: false,
            secret_versions: [(kinds::token(), 1)].into(),
            create_accepted_at: None,
            kind_meters: BTreeSet::new(),
            billing_mode: BillingMode::Metered,
            now,
            progress: Progress::default(),
            effects: Vec::new(),
            deployment: deployment(),
            timing: Timing::default(),
        }
    }

    /// A row whose object is there and ready, between two runs.
    pub(crate) fn ready(kind: Kind) -> Self {
        let mut scene = Self::of(kind);
        scene.answer(Outcome::Found(Ok(None)));
        scene.answer(Outcome::Stored);
        let object = scene.object();
        scene.answer(Outcome::Observed(Ok(object)));
        assert_eq!(scene.row.state.as_str(), "ready");
        scene.next_run();
        scene.effects.clear();
        scene
    }

    /// A row that is to take over an object that somebody else made.
    pub(crate) fn adopting(kind: Kind) -> Self {
        let mut scene = Self::of(kind);
        let found = Found {
            provider_id: "object-1".to_owned(),
            name: Some("theirs".to_owned()),
            spec: reported(1),
        };
        scene.row = kinds::adopted_row(&scene.kind, 1, found, scene.now);
        scene
    }

    /// A row that took its object over, ready, between two runs.
    pub(crate) fn adopted(kind: Kind) -> Self {
        let mut scene = Self::adopting(kind);
        let object = reporting(scene.object(), 1);
        scene.answer(Outcome::Observed(Ok(object.clone())));
        scene.answer(Outcome::Observed(Ok(object)));
        assert_eq!(scene.row.state.as_str(), "ready");
        scene.next_run();
        scene.effects.clear();
        scene
    }

    pub(crate) fn facts(&self) -> Facts<'_> {
        Facts {
            kind: &self.kind,
            deployment: &self.deployment,
            parent: self.parent,
            live_children: self.live_children,
            no_create_arrived: self.no_create_arrived,
            secret_versions: &self.secret_versions,
            create_accepted_at: self.create_accepted_at,
            billing: Billing::of(self.billing_mode, &self.kind_meters),
            timing: &self.timing,
            now: self.now,
        }
    }

    pub(crate) fn step(&self) -> Step {
        next_step(&self.row, &self.progress, &self.facts())
    }

    /// Does the next step and takes its outcome in.
    pub(crate) fn answer(&mut self, outcome: Outcome) -> Step {
        self.answer_while(|_| {}, outcome)
    }

    /// Does the next step, lets something happen while it is under way, and takes its outcome in.
    pub(crate) fn answer_while(
        &mut self,
        happens: impl FnOnce(&mut Self),
        outcome: Outcome,
    ) -> Step {
        let asked = self.row.clone();
        let step = self.step();
        happens(self);
        let mut progress = self.progress.clone();
        let transition = absorb(
            self.row.clone(),
            &asked,
            &mut progress,
            &step,
            outcome,
            &self.facts(),
            Jitter(0),
        );
        self.progress = progress;
        self.row = transition.row;
        self.effects.extend(transition.effects);
        step
    }

    /// What was learnt is lost, the row is kept: another run, or another host.
    pub(crate) fn crash(&mut self) {
        self.progress = Progress::default();
    }

    /// The next run, at its time.
    pub(crate) fn next_run(&mut self) {
        self.now = self.row.schedule.next_run_at.unwrap();
        self.crash();
    }

    pub(crate) fn amend(&mut self, field: &str, value: Value) {
        let patch = Spec::from_iter([(field.to_owned(), value)]);
        let spec = merge_patch(&self.row.spec, &patch);
        let amendment = Amendment {
            spec: Some(Accepted {
                spec,
                defaults: Spec::new(),
                named: Default::default(),
                demand: Demand::default(),
            }),
            generation: "digest".to_owned(),
            description: None,
        };
        let transition = amend(self.row.clone(), amendment, Some(&self.kind), self.now).unwrap();
        self.row = transition.row;
        self.effects.extend(transition.effects);
    }

    pub(crate) fn condemn(&mut self) {
        let transition = condemn(self.row.clone(), self.now);
        self.row = transition.row;
        self.effects.extend(transition.effects);
    }

    pub(crate) fn release(&mut self) {
        let released = release(self.row.clone(), self.kind.releasable, 0, self.now);
        let transition = released.unwrap();
        self.row = transition.row;
        self.effects.extend(transition.effects);
    }

    /// Names of the events so far, and none of them again.
    pub(crate) fn take_events(&mut self) -> Vec<&'static str> {
        std::mem::take(&mut self.effects)
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Publish(draft) => {
                    Some(draft.event.as_str().trim_start_matches("cloud.resource."))
                }
                _ => None,
            })
            .collect()
    }

    pub(crate) fn reason(&self) -> Option<Reason> {
        self.row.message.as_ref().map(|message| message.reason)
    }

    /// The row's own object, ready.
    pub(crate) fn object(&self) -> Observation {
        self.object_of(&self.row.id)
    }

    /// An object of this name that another row owns.
    pub(crate) fn object_of(&self, owner: &ResourceId) -> Observation {
        Observation {
            labels: label::ownership(&self.deployment, owner, &self.row.tenant),
            ..self.twin()
        }
    }

    /// An object of the row's name that nobody labelled.
    pub(crate) fn twin(&self) -> Observation {
        Observation {
            provider_id: "object-1".to_owned(),
            name: Some(self.row.provider_name.clone()),
            phase: Phase::Ready,
            labels: vec![],
            spec: None,
            pending: vec![],
            outputs: Spec::new(),
            secret_outputs: vec![],
            memo: None,
            poll_after: None,
        }
    }

    pub(crate) fn state(&self) -> &'static str {
        self.row.state.as_str()
    }
}

/// What the provider reports of an object of this size.
pub(crate) fn reported(size: u64) -> Spec {
    Spec::from_iter([
        ("size".to_owned(), json!(size)),
        ("colour".to_owned(), json!("red")),
        ("uuid".to_owned(), json!("no field of the schema")),
    ])
}

pub(crate) fn reporting(object: Observation, size: u64) -> Observation {
    Observation {
        spec: Some(reported(size)),
        ..object
    }
}

/// Another deployment's label beside what the object carries.
pub(crate) fn anothers(mut object: Observation) -> Observation {
    object.labels.push(Label {
        key: label::MANAGED.to_owned(),
        value: "dep-2".to_owned(),
    });
    object
}

pub(crate) fn pending(object: Observation, fields: &[&str]) -> Observation {
    Observation {
        pending: fields.iter().map(|field| (*field).to_owned()).collect(),
        ..object
    }
}

pub(crate) fn phase(object: Observation, phase: Phase) -> Observation {
    Observation { phase, ..object }
}

pub(crate) fn password(object: Observation, value: &str) -> Observation {
    Observation {
        secret_outputs: vec![SecretOutput {
            name: "password".to_owned(),
            value: SecretText::new(value.to_owned()),
        }],
        ..object
    }
}

pub(crate) fn unlabelled(object: Observation) -> Observation {
    Observation {
        labels: Vec::<Label>::new(),
        ..object
    }
}

/// The provider's word, with nothing written.
pub(crate) fn says(error: ProviderError) -> CallError {
    CallError {
        fault: CallFault::Provider(error),
        wrote: false,
    }
}

pub(crate) fn lost() -> CallError {
    CallError {
        fault: CallFault::Provider(ProviderError::Ambiguous("timed out".to_owned())),
        wrote: true,
    }
}

pub(crate) fn not_found() -> CallError {
    says(ProviderError::NotFound("404".to_owned()))
}

pub(crate) fn refused() -> CallError {
    says(ProviderError::Failed("no".to_owned()))
}

pub(crate) fn busy(retry_after: Option<Span>) -> CallError {
    says(ProviderError::Busy {
        message: "draining members".to_owned(),
        retry_after,
    })
}

pub(crate) fn two() -> Value {
    json!(2)
}
