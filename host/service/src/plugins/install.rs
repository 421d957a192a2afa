//! `plugins/install`: takes a component in. It is loaded, asked what it is, checked and stored; the
//! first generation of a plugin becomes active at once.

use std::fmt;

use berth_domain::audit::{AuditOutcome, AuditRow};
use berth_domain::id::TenantId;
use berth_domain::platform::GenerationRecord;
use berth_runtime::Generation;
use berth_store::Created;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::activate::{Activated, activate};
use super::change::against_active;
use super::{ChangeView, GenerationView, recorded, refused};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// The component's bytes, in base64.
    pub component: Component,
}

/// A component's bytes.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Component(pub Vec<u8>);

/// Why a text holds no component.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not base64 (RFC 4648, with padding) of a component's bytes")]
pub struct ComponentError;

impl TryFrom<String> for Component {
    type Error = ComponentError;
    fn try_from(text: String) -> Result<Self, ComponentError> {
        BASE64
            .decode(text.as_bytes())
            .map(Self)
            .map_err(|_| ComponentError)
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Component({} bytes)", self.0.len())
    }
}

/// A generation that was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Installed {
    /// The generation.
    #[serde(flatten)]
    pub generation: GenerationView,
    /// What activating it would change.
    pub changes: Vec<ChangeView>,
}

/// The generation. Installing the same component again answers the same.
///
/// # Errors
/// `ACCESS_DENIED`; `INVALID_INPUT` for what is no component of the world, or breaks a rule.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Installed, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::PluginsWrite, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::PluginsWrite, &target)
            .await?;
        let (installed, changed) = install(service, input.component.0, |detail| {
            attempt.done(service.now(), detail)
        })
        .await?;
        if !changed {
            attempt.unchanged(service).await;
        }
        Ok(installed)
    };
    attempt.settle(service, result.await).await
}

impl Service {
    /// Installs a component that the configuration names. A new one is activated, as far as it
    /// changes nothing that an operator must accept; one that was installed before is left as the
    /// operators left it.
    ///
    /// # Errors
    /// As for `plugins/install` and `plugins/activate`.
    pub async fn install_at_start(&self, component: Vec<u8>) -> Result<(), ServiceError> {
        let digest = berth_runtime::Digest::of(&component);
        if self.store().generation(digest.as_str()).await?.is_some() {
            return Ok(());
        }
        let audit = |detail| {
            vec![AuditRow {
                at: self.now(),
                request_id: None,
                principal_id: None,
                tenant_id: TenantId::root(),
                action: Action::PluginsWrite.to_string(),
                resource: "compute-tenant/root".to_owned(),
                outcome: AuditOutcome::Done,
                detail,
            }]
        };
        let (installed, _) = install(self, component, audit).await?;
        if !installed.generation.active {
            activate(self, &digest, &[], audit(json!({"activated": digest}))).await?;
        }
        Ok(())
    }
}

/// Installs, and tells whether anything changed by it. Installing is one change and activating another: the
/// first generation of a plugin leaves two rows of audit.
async fn install(
    service: &Service,
    component: Vec<u8>,
    audit: impl Fn(serde_json::Value) -> Vec<AuditRow>,
) -> Result<(Installed, bool), ServiceError> {
    let generation = service.runtime().load(&component).await.map_err(refused)?;
    let record = record(&generation, &component, service);
    let row = audit(
        json!({"installed": record.digest, "plugin": record.plugin, "version": record.version}),
    );
    let put = service
        .store()
        .put_generation(&record, component, row)
        .await?;
    let is_new = put == Created::New;
    service.registry().insert(generation.clone());
    let plugin = &generation.manifest().provider;
    if service.manifest_in_force(plugin).await?.is_none() {
        let row = audit(json!({"activated": record.digest}));
        let (generation, activated) = match activate(service, generation.digest(), &[], row).await?
        {
            Activated::Now(view) => (view, true),
            Activated::Before(view) => (view, false),
        };
        let installed = Installed {
            generation,
            changes: Vec::new(),
        };
        return Ok((installed, is_new || activated));
    }
    let stored = recorded(service, generation.digest()).await?;
    let changes = if stored.active {
        Vec::new()
    } else {
        against_active(service, generation.manifest()).await?
    };
    let installed = Installed {
        generation: GenerationView::of(stored, true),
        changes,
    };
    Ok((installed, is_new))
}

fn record(generation: &Generation, component: &[u8], service: &Service) -> GenerationRecord {
    let manifest = generation.manifest();
    GenerationRecord {
        digest: generation.digest().to_string(),
        plugin: manifest.provider.clone(),
        version: manifest.version.clone(),
        manifest: manifest.clone(),
        active: false,
        size: component.len() as u64,
        installed_at: service.now(),
        activated_at: None,
    }
}
