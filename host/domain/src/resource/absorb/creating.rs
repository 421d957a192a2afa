//! Finding what may be there, and asking for what is not.

use super::{Asked, CallError, Next};
use crate::id::ResourceId;
use crate::manifest::Ownership;
use crate::provider::{Observation, Phase};
use crate::resource::given::of_fields;
use crate::resource::ownership::prove;
use crate::resource::row::{Intent, Message, Reason, State};
use crate::resource::step::Looked;

impl Next<'_, '_> {
    pub(super) fn open_intent(&mut self) {
        if self.is_condemned() {
            // Nothing was sent yet, and nothing shall be.
            return;
        }
        let sends = self.row.intent.map_or(0, |intent| intent.sends);
        self.row.intent = Some(Intent {
            opened_at: self.now(),
            absent_looks: 0,
            sends: sends.saturating_add(1),
        });
        // The create that follows carries the whole spec of this moment.
        self.row.unapplied.clear();
        let spec = self.row.effective_spec();
        self.row.given_secrets = of_fields(&spec, self.facts.secret_versions, |_| true);
        self.progress.intent_is_fresh = true;
    }

    pub(super) fn found(&mut self, result: Result<Option<Observation>, CallError>) {
        let observed = match result {
            Ok(observed) => observed.filter(|observation| observation.phase != Phase::Gone),
            Err(error) if error.is_not_found() => None,
            Err(error) => return self.call_failed(error),
        };
        match observed {
            None => self.saw_nothing(),
            // `find` may answer from a list, which shows no secrets: an observe follows.
            Some(observation) if self.is_ours(&observation) => self.accept(observation.provider_id),
            // A stranger under the same name: nothing of ours is there to delete.
            Some(_) if self.is_condemned() => self.saw_nothing(),
            Some(observation) => {
                let name = observation.name.unwrap_or(observation.provider_id);
                self.fail(Message::new(
                    Reason::Exists,
                    format!("{name} exists at the provider and is not this resource's; rename or remove it there, or delete this resource"),
                ));
            }
        }
    }

    pub(super) fn found_taken(&mut self, by: &ResourceId) {
        if self.is_condemned() {
            self.saw_nothing();
        } else {
            self.fail(taken(by));
        }
    }

    fn saw_nothing(&mut self) {
        if let Some(intent) = &mut self.row.intent {
            intent.absent_looks = intent.absent_looks.saturating_add(1);
        }
        self.progress.looked = Looked::Absent;
    }

    /// Labels prove. A name or a place proves only where a create of ours may have arrived.
    fn is_ours(&self, observation: &Observation) -> bool {
        let may_have_arrived = self.row.intent.is_some() && !self.facts.no_create_arrived;
        let is_proven = || {
            prove(
                &self.row,
                self.kind(),
                observation,
                self.facts.deployment,
                false,
            )
            .is_ok()
        };
        match self.kind().ownership {
            Ownership::Labels => is_proven(),
            Ownership::Name => may_have_arrived && is_proven(),
            Ownership::Parent => may_have_arrived,
        }
    }

    pub(super) fn accept(&mut self, provider_id: String) {
        let opened_at = self.row.intent.map(|intent| intent.opened_at);
        let sent_at = self.facts.create_accepted_at;
        let accepted_at = sent_at.or(opened_at).unwrap_or(self.now());
        self.row.provider_id = Some(provider_id);
        self.row.accepted_at.get_or_insert(accepted_at);
        self.row.intent = None;
        if matches!(self.row.state, State::Pending | State::Error) && !self.is_condemned() {
            self.row.state = State::Provisioning;
            self.row.message = None;
        }
    }

    pub(super) fn created(&mut self, result: Result<Observation, CallError>) {
        self.progress.intent_is_fresh = false;
        match result {
            Ok(observation) => {
                self.accept(observation.provider_id.clone());
                if self.is_condemned() {
                    // Deleted while it was being created: the proof needs an observation of its own.
                    return self.look_anew();
                }
                self.progress.looked = Looked::Seen;
                self.saw(observation, Asked::Create);
            }
            Err(error) if error.may_have_created() => {
                let text = format!(
                    "{}; the object is looked for before another is asked for",
                    error.fault
                );
                self.retry(text, None);
            }
            Err(error) => {
                // The provider said no, or nothing was sent. An earlier create that may have been
                // accepted still counts, so only a first intent is closed.
                if self.row.intent.is_some_and(|intent| intent.sends <= 1) {
                    self.row.intent = None;
                }
                if !self.is_condemned() {
                    self.call_failed(error);
                }
            }
        }
    }

    pub(super) fn created_taken(&mut self, by: &ResourceId) {
        self.progress.intent_is_fresh = false;
        // The create was sent: its intent stays open, since its object may still turn up.
        self.fail(taken(by));
    }
}

fn taken(by: &ResourceId) -> Message {
    Message::new(
        Reason::Exists,
        format!(
            "the provider answers with an object that {by} has already; delete this resource, or that one"
        ),
    )
}
