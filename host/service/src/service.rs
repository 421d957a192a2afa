//! The service: what every method works with.

use std::sync::Arc;

use berth_domain::id::EventId;
use berth_domain::manifest::Manifest;
use berth_domain::provider::{Application, Signal};
use berth_domain::resource::{Effect, EventDraft};
use berth_domain::time::Millis;
use berth_runtime::{Generation, Registry, Runtime};
use berth_store::{DeploymentInfo, Store};
use berth_vault::Vault;
use tokio::sync::Notify;

use crate::decision::PolicyCache;
use crate::grants::Grants;
use crate::shared_answers::SharedAnswers;
use crate::{Clock, Code, Entropy, ServiceError, Settings};

/// What a service is made of.
pub struct Parts {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// Runs plugins.
    pub runtime: Arc<Runtime>,
    /// Which generations are loaded, and which serve.
    pub registry: Arc<Registry>,
    /// Seals secrets; `None` on a deployment without a secret store (`vault.enabled = false`).
    pub vault: Option<Arc<Vault>>,
    /// What time it is.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// This deployment.
    pub deployment: DeploymentInfo,
    /// What the operator set.
    pub settings: Settings,
}

/// The service. One a host, shared.
pub struct Service {
    parts: Parts,
    waker: Arc<Notify>,
    pub(crate) policies: PolicyCache,
    /// Held while a generation is compared with the active one and takes its place.
    pub(crate) activation: tokio::sync::Mutex<()>,
    pub(crate) turns: crate::turn::Turns,
    pub(crate) readiness: crate::readiness::Readiness,
    pub(crate) grants: Arc<Grants>,
    pub(crate) catalogs: SharedAnswers<Vec<Application>>,
    pub(crate) signals: SharedAnswers<Vec<Signal>>,
}

impl Service {
    /// A service of these parts.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        Self {
            parts,
            waker: Arc::new(Notify::new()),
            policies: PolicyCache::default(),
            activation: tokio::sync::Mutex::new(()),
            turns: crate::turn::Turns::default(),
            readiness: crate::readiness::Readiness::default(),
            grants: Arc::default(),
            catalogs: SharedAnswers::default(),
            signals: SharedAnswers::default(),
        }
    }

    /// Where everything is kept.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.parts.store
    }

    /// Runs plugins.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.parts.runtime
    }

    /// Which generations are loaded, and which serve.
    #[must_use]
    pub fn registry(&self) -> &Arc<Registry> {
        &self.parts.registry
    }

    /// Seals secrets, where the deployment has a secret store.
    #[must_use]
    pub fn vault(&self) -> Option<&Arc<Vault>> {
        self.parts.vault.as_ref()
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.parts.clock
    }

    /// Randomness.
    #[must_use]
    pub fn entropy(&self) -> &Arc<dyn Entropy> {
        &self.parts.entropy
    }

    /// This deployment.
    #[must_use]
    pub fn deployment(&self) -> &DeploymentInfo {
        &self.parts.deployment
    }

    /// What the operator set.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    /// Told whenever there is new work for the reconciler.
    #[must_use]
    pub fn waker(&self) -> &Arc<Notify> {
        &self.waker
    }

    /// Now.
    #[must_use]
    pub fn now(&self) -> Millis {
        self.parts.clock.now()
    }

    /// The events among effects, with their ids. Other effects are the reconciler's.
    pub(crate) fn events_of(
        &self,
        effects: Vec<Effect>,
        now: Millis,
    ) -> Vec<(EventId, EventDraft)> {
        effects
            .into_iter()
            .filter_map(|effect| match effect {
                Effect::Publish(draft) => {
                    Some((EventId::generate(now, self.entropy().id_seed()), draft))
                }
                _ => None,
            })
            .collect()
    }

    /// The generation that serves a provider now.
    ///
    /// A provider without any plugin is `UNSUPPORTED`; one whose active plugin this host could not
    /// load is `UNAVAILABLE`, since that is the host's fault and passes.
    pub(crate) async fn generation_of(
        &self,
        provider: &str,
    ) -> Result<Arc<Generation>, ServiceError> {
        if let Some(generation) = self.registry().active(provider) {
            return Ok(generation);
        }
        let recorded = self.store().generations(Some(provider)).await?;
        if recorded.iter().any(|record| record.active) {
            return Err(ServiceError::new(
                Code::Unavailable,
                format!(
                    "the plugin of provider `{provider}` could not be loaded on this host; ask the operator to look at the host's log and to install a working version"
                ),
            ));
        }
        Err(ServiceError::new(
            Code::Unsupported,
            format!(
                "provider `{provider}` serves no cloud resources here: no plugin of it is active"
            ),
        ))
    }

    /// The manifest in force of a provider, loaded here or not.
    pub(crate) async fn manifest_in_force(
        &self,
        provider: &str,
    ) -> Result<Option<Manifest>, ServiceError> {
        let recorded = self.store().generations(Some(provider)).await?;
        Ok(recorded
            .into_iter()
            .find(|record| record.active)
            .map(|record| record.manifest))
    }
}
