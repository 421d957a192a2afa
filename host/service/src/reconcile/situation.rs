//! All that a step is decided with, read fresh before each.

use std::sync::Arc;

use berth_domain::manifest::Kind;
use berth_domain::platform::Account;
use berth_domain::resource::{Facts, ParentFact, Resource};
use berth_runtime::Generation;
use berth_store::{JournalOutcome, StoreError};

use super::run::Tools;

/// Journal entries that are looked at to tell whether a create arrived.
const JOURNAL_LOOK: u32 = 64;

/// Where a row stands.
pub(super) struct Situation {
    pub(super) generation: Arc<Generation>,
    pub(super) kind: Kind,
    pub(super) account: Account,
    pub(super) parent: Option<Resource>,
    live_children: u32,
    no_create_arrived: bool,
}

/// Why a row can't be worked on by this host now.
pub(super) enum Stuck {
    /// No plugin of the provider is loaded here.
    NoPlugin,
    /// The active plugin does not know the kind.
    NoKind,
    /// The account is gone.
    NoAccount,
}

impl Situation {
    pub(super) async fn read(tools: &Tools, row: &Resource) -> Result<Result<Self, Stuck>, StoreError> {
        let service = &tools.service;
        let Some(generation) = service.registry().active(&row.provider) else { return Ok(Err(Stuck::NoPlugin)) };
        let Some(kind) = generation.manifest().kind(row.kind.as_str()).cloned() else { return Ok(Err(Stuck::NoKind)) };
        let Some(account) = service.store().account(&row.account).await? else { return Ok(Err(Stuck::NoAccount)) };
        let mut situation = Self { generation, kind, account, parent: None, live_children: 0, no_create_arrived: false };
        situation.refresh(tools, row).await?;
        Ok(Ok(situation))
    }

    /// Reads again what other rows may have changed.
    pub(super) async fn refresh(&mut self, tools: &Tools, row: &Resource) -> Result<(), StoreError> {
        let store = tools.service.store();
        self.parent = match &row.parent {
            Some(parent) => store.resource(parent).await?.map(|stored| stored.row),
            None => None,
        };
        // Only a deletion asks for children.
        self.live_children = if row.is_going() { store.count_children(&row.id).await? } else { 0 };
        self.no_create_arrived = match row.intent {
            Some(_) => {
                let entries = store.journal_of(&row.id, JOURNAL_LOOK).await?;
                let mut creates = entries.iter().filter(|entry| entry.operation == "create");
                creates.all(|entry| match entry.outcome {
                    Some(JournalOutcome::NotSent) => true,
                    Some(JournalOutcome::Answered(status)) => (400..500).contains(&status),
                    Some(JournalOutcome::Lost) | None => false,
                })
            }
            None => true,
        };
        Ok(())
    }

    pub(super) fn facts<'a>(&'a self, tools: &'a Tools, row: &Resource) -> Facts<'a> {
        let service = &tools.service;
        Facts {
            kind: &self.kind,
            deployment: &service.deployment().id,
            parent: row.parent.as_ref().map(|_| self.parent.as_ref().map_or(ParentFact::Ended, ParentFact::of)),
            live_children: self.live_children,
            no_create_arrived: self.no_create_arrived,
            timing: &service.settings().reconcile.timing,
            now: service.now(),
        }
    }
}
