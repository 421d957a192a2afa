//! A world: rows, what is known of each, the provider, and a life's course.

use std::collections::{BTreeMap, BTreeSet};

use berth_domain::id::{DeploymentId, ResourceId};
use berth_domain::manifest::Kind;
use berth_domain::metering::MeterSpan;
use berth_domain::resource::{
    Effect, EventType, Resource, SecretVersions, Timing, Transition, condemn,
};
use berth_domain::time::{Millis, Span};

use super::laws;
use super::provider::Provider;
use super::random::Random;
use crate::kinds;
use crate::scene::deployment;

/// Happenings of the troubled part of a life.
const TROUBLES: u32 = 60;
/// Runs after which everything must have come to rest.
const PATIENCE: u32 = 2_000;

/// What the world knows of a row beside the row.
#[derive(Default)]
pub(crate) struct Tale {
    pub(crate) events: Vec<EventType>,
    /// What the store has of its meters, by when they began.
    pub(crate) spans: BTreeMap<Millis, MeterSpan>,
    /// Fields that a tenant wants and that the provider has not been told.
    pub(super) untold: BTreeSet<String>,
    /// Fields that an outsider changed since.
    pub(super) drifted: BTreeSet<String>,
    pub(super) vanished: bool,
    pub(super) stripped: bool,
}

pub(crate) struct World {
    pub(super) random: Random,
    pub(crate) now: Millis,
    pub(crate) rows: BTreeMap<ResourceId, Resource>,
    pub(crate) tales: BTreeMap<ResourceId, Tale>,
    pub(crate) provider: Provider,
    pub(crate) log: Vec<String>,
    pub(super) deployment: DeploymentId,
    pub(super) kinds: BTreeMap<String, Kind>,
    pub(super) timing: Timing,
    pub(super) secret_versions: SecretVersions,
    /// Percent of calls that go wrong.
    pub(super) trouble: u64,
    /// The row that is run over.
    pub(super) running: Option<ResourceId>,
    pub(super) broken: Option<String>,
}

pub(super) type Lawful = Result<(), String>;

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let trouble = random.below(50);
        Self {
            random,
            now: Millis(1_000_000),
            rows: BTreeMap::new(),
            tales: BTreeMap::new(),
            provider: Provider::default(),
            log: vec![],
            deployment: deployment(),
            kinds: [kinds::cluster(), kinds::app(), kinds::user()]
                .map(|kind| (kind.id.clone(), kind))
                .into(),
            timing: Timing::default(),
            secret_versions: [(kinds::token(), 1)].into(),
            trouble,
            running: None,
            broken: None,
        }
    }

    pub(super) fn tell(&mut self, what: impl Into<String>) {
        self.log.push(format!("{:>9}  {}", self.now.0, what.into()));
    }

    /// Trouble, then peace in which every wish comes true, then the end of everything.
    pub(crate) fn live(&mut self) -> Lawful {
        for _ in 0..TROUBLES {
            if self.random.percent(40) {
                self.something_happens()?;
            }
            self.run_next(true)?;
        }
        self.tell("peace");
        self.trouble = 0;
        self.rest()?;
        self.wishes_came_true()?;
        let ids: Vec<ResourceId> = self.rows.keys().cloned().collect();
        for id in ids {
            self.condemn(&id)?;
        }
        self.rest()?;
        self.all_is_gone()
    }

    /// Runs until only refreshes are left.
    pub(super) fn rest(&mut self) -> Lawful {
        let until = self.now + Span::minutes(120);
        for _ in 0..PATIENCE {
            if self.now > until || !self.rows.values().any(Resource::is_live) {
                return Ok(());
            }
            self.run_next(false)?;
        }
        Err("it never comes to rest".to_owned())
    }

    // ------------------------------------------------------------------- the store
    pub(super) fn store(&mut self, change: Transition) -> Lawful {
        let id = change.row.id.clone();
        let before = self.rows[&id].clone();
        laws::of_a_change(&before, &change, &self.tales[&id])
            .map_err(|broken| format!("{id}: {broken}"))?;
        if before.state != change.row.state {
            let line = format!(
                "{id} {} -> {} {:?}",
                before.state, change.row.state, change.row.message
            );
            self.tell(line);
        }
        self.change_owner(&before, &change.row)?;
        let parent = change.row.parent.clone();
        self.rows.insert(id.clone(), change.row);
        for effect in change.effects {
            match effect {
                Effect::Publish(draft) => self.tales.get_mut(&id).unwrap().events.push(draft.event),
                Effect::Meter(span) => {
                    let spans = &mut self.tales.get_mut(&id).unwrap().spans;
                    spans.insert(span.from, span);
                }
                Effect::CondemnChildren => {
                    let children: Vec<Resource> = self
                        .rows
                        .values()
                        .filter(|row| row.parent.as_ref() == Some(&id))
                        .cloned()
                        .collect();
                    for child in children {
                        self.store(condemn(child, self.now))?;
                    }
                }
                Effect::WakeChildren => {
                    for row in self
                        .rows
                        .values_mut()
                        .filter(|row| row.parent.as_ref() == Some(&id) && row.is_live())
                    {
                        row.schedule.next_run_at = Some(self.now);
                    }
                }
                Effect::WakeParent => {
                    let parent = parent.as_ref().and_then(|parent| self.rows.get_mut(parent));
                    if let Some(row) = parent.filter(|row| row.is_live()) {
                        row.schedule.next_run_at = Some(self.now);
                    }
                }
                Effect::Seal(_) | Effect::DestroySecrets | Effect::RemoveAuthorization => {}
            }
        }
        laws::of_the_world(self)
    }
}
