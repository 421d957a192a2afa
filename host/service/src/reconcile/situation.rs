//! All that a step is decided with, read fresh before each.

use std::sync::Arc;

use berth_domain::linked::{Live, Sort};
use berth_domain::manifest::Kind;
use berth_domain::metering::Billing;
use berth_domain::platform::{Account, BillingMode};
use berth_domain::provider::Linked;
use berth_domain::resource::{
    CallError, CallFault, Facts, ParentFact, Resource, SecretVersions, secrets_named,
};
use berth_domain::time::Millis;
use berth_runtime::{Digest, Generation};
use berth_store::StoreError;

use super::arrivals;
use crate::Service;

/// Where a row stands.
pub(super) struct Situation {
    pub(super) kind: Kind,
    /// What calls are made with, or why none can be.
    pub(super) means: Result<Means, Stuck>,
    pub(super) parent: Option<Resource>,
    live_children: u32,
    no_create_arrived: bool,
    /// When the create was sent that the provider accepted first.
    create_accepted_at: Option<Millis>,
    billing_mode: BillingMode,
    /// Of the instances and networks that the spec names, those that live.
    linked: Live,
    /// Of the secrets that the spec names. Read before a call and never after it: a version that came
    /// while the call ran was not sent with it.
    secret_versions: SecretVersions,
}

/// What calls are made with.
pub(super) struct Means {
    pub(super) generation: Arc<Generation>,
    pub(super) account: Account,
}

/// Why this host can't ask the provider now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stuck {
    /// No plugin of the provider is loaded here.
    NoPlugin,
    /// A newer generation accepted the spec, and this host has not loaded it.
    Behind,
    /// The active plugin does not know the kind.
    NoKind,
    /// The account is gone.
    NoAccount,
}

impl Stuck {
    /// What an operator has to mend.
    pub(super) fn text(self, row: &Resource) -> String {
        let (provider, kind) = (&row.provider, &row.kind);
        match self {
            Self::NoPlugin => format!(
                "the plugin `{provider}` is not loaded on this host; it goes on once an operator has activated one that loads"
            ),
            Self::Behind => format!(
                "this host has not loaded the version of plugin `{provider}` that accepted the spec; it goes on once it has"
            ),
            Self::NoKind => format!(
                "the active plugin `{provider}` does not know the kind {kind} any more; it goes on once an operator has activated one that does"
            ),
            Self::NoAccount => format!(
                "its provider account {} does not exist any more; it goes on once an operator has recorded it again",
                row.account
            ),
        }
    }
}

impl Situation {
    /// `None`: nothing at all is known of the row's kind, not even from the generation that accepted it.
    pub(super) async fn read(
        service: &Service,
        row: &Resource,
    ) -> Result<Option<Self>, StoreError> {
        let means = means(service, row).await?;
        let known = match &means {
            Ok(means) => means.generation.kind(row.kind.as_str()).cloned(),
            Err(_) => {
                let accepted_by = service.store().generation(&row.spec_generation).await?;
                accepted_by.and_then(|record| record.manifest.kind(row.kind.as_str()).cloned())
            }
        };
        let Some(kind) = known else { return Ok(None) };
        let mut situation = Self {
            kind,
            means,
            parent: None,
            live_children: 0,
            no_create_arrived: true,
            create_accepted_at: None,
            billing_mode: billing_mode(service, row).await?,
            linked: Live::default(),
            secret_versions: SecretVersions::new(),
        };
        situation.refresh(service, row).await?;
        situation.read_secret_versions(service, row).await?;
        Ok(Some(situation))
    }

    /// Reads again what others may have changed.
    pub(super) async fn refresh(
        &mut self,
        service: &Service,
        row: &Resource,
    ) -> Result<(), StoreError> {
        let store = service.store();
        self.parent = match &row.parent {
            Some(parent) => store.resource(parent).await?.map(|stored| stored.row),
            None => None,
        };
        let linked = store.linked(&row.named.ids()).await?;
        self.linked = Live::of(linked, &row.tenant, &row.account);
        // Only a deletion asks for children.
        self.live_children = if row.is_going() {
            store.count_children(&row.id).await?
        } else {
            0
        };
        self.no_create_arrived =
            row.intent.is_none() || arrivals::no_create_arrived(store.as_ref(), &row.id).await?;
        Ok(())
    }

    /// Reads from the journal which create the provider accepted, after a call that may have shown it.
    pub(super) async fn read_accepted_create(
        &mut self,
        service: &Service,
        row: &Resource,
    ) -> Result<(), StoreError> {
        if row.accepted_at.is_none() && row.intent.is_some() {
            let store = service.store();
            self.create_accepted_at = arrivals::accepted_at(store.as_ref(), &row.id).await?;
        }
        Ok(())
    }

    /// Reads which versions the secrets of the spec have.
    pub(super) async fn read_secret_versions(
        &mut self,
        service: &Service,
        row: &Resource,
    ) -> Result<(), StoreError> {
        self.secret_versions.clear();
        let spec = row.effective_spec();
        for (_, reference) in secrets_named(&spec) {
            // Another tenant's is none that may be asked for.
            if *reference.tenant() != row.tenant || self.secret_versions.contains_key(&reference) {
                continue;
            }
            let stored = service
                .store()
                .secret(&row.tenant, reference.name())
                .await?;
            if let Some(stored) = stored {
                self.secret_versions.insert(reference, stored.info.version);
            }
        }
        Ok(())
    }

    /// The first secret named in fields that are to be written that can't be read any more.
    pub(super) fn missing_secret(
        &self,
        row: &Resource,
        is_written: impl Fn(&str) -> bool,
    ) -> Option<CallError> {
        let spec = row.effective_spec();
        let missing = secrets_named(&spec).into_iter().find(|(field, reference)| {
            is_written(field) && !self.secret_versions.contains_key(reference)
        });
        missing.map(|(field, reference)| CallError {
            fault: CallFault::Secret(format!(
                "{reference}, which `{field}` names, does not exist (any more); store it again, or change the spec"
            )),
            wrote: false,
        })
    }

    /// The live ones of a sort that the spec names, as the provider is told of them.
    pub(super) fn linked(&self, row: &Resource, sort: Sort) -> Vec<Linked> {
        self.linked.resolved(sort, row.region.as_deref())
    }

    /// That a network is missing which the spec names: neither a create nor an update goes without it.
    /// (An instance that is missing is just not among those that are told of.)
    pub(super) fn missing_network(&self, row: &Resource) -> Option<CallError> {
        let region = row.region.as_deref();
        let missing = self.linked.missing_networks(&row.named, region);
        (!missing.is_empty()).then(|| CallError {
            fault: CallFault::Network(format!(
                "{}, which the spec names, is no live network of the tenant on the account{}; it goes on once an operator has recorded it again (`networks/put`), or create the resource anew without it",
                missing.join(", "),
                region.map_or_else(String::new, |region| format!(" in region {region}")),
            )),
            wrote: false,
        })
    }

    pub(super) fn facts<'a>(
        &'a self,
        service: &'a Service,
        row: &Resource,
        now: Millis,
    ) -> Facts<'a> {
        Facts {
            kind: &self.kind,
            deployment: &service.deployment().id,
            parent: row.parent.as_ref().map(|_| {
                self.parent
                    .as_ref()
                    .map_or(ParentFact::Ended, ParentFact::of)
            }),
            live_children: self.live_children,
            no_create_arrived: self.no_create_arrived,
            secret_versions: &self.secret_versions,
            create_accepted_at: self.create_accepted_at,
            billing: Billing::of(self.billing_mode, &service.settings().kind_meters),
            timing: &service.settings().reconcile.timing,
            now,
        }
    }
}

/// A pool that is gone bills nothing.
async fn billing_mode(service: &Service, row: &Resource) -> Result<BillingMode, StoreError> {
    let pool = service.store().pool(&row.pool).await?;
    Ok(pool.map_or(BillingMode::None, |pool| pool.billing_mode))
}

async fn means(service: &Service, row: &Resource) -> Result<Result<Means, Stuck>, StoreError> {
    let Some(generation) = service.registry().active(&row.provider) else {
        return Ok(Err(Stuck::NoPlugin));
    };
    if is_behind(service, &generation, row).await? {
        return Ok(Err(Stuck::Behind));
    }
    if generation.kind(row.kind.as_str()).is_none() {
        return Ok(Err(Stuck::NoKind));
    }
    let account = service.store().account(&row.account).await?;
    Ok(account
        .map(|account| Means {
            generation,
            account,
        })
        .ok_or(Stuck::NoAccount))
}

/// Another host may have activated a generation that this one has not loaded yet: a spec that it
/// accepted is none of ours. (After a roll-back the older generation runs newer specs all the same.)
async fn is_behind(
    service: &Service,
    generation: &Generation,
    row: &Resource,
) -> Result<bool, StoreError> {
    if row.spec_generation == generation.digest().as_str() {
        return Ok(false);
    }
    let is_loaded = row
        .spec_generation
        .parse::<Digest>()
        .is_ok_and(|digest| service.registry().by_digest(&digest).is_some());
    if is_loaded {
        return Ok(false);
    }
    let record = service.store().generation(&row.spec_generation).await?;
    Ok(record.is_some_and(|record| record.active))
}
