//! `plugins/show`: a generation with its manifest, and what activating it would change.

use berth_domain::id::TenantId;
use berth_domain::manifest::Manifest;
use berth_runtime::Digest;
use serde::{Deserialize, Serialize};

use super::change::against_active;
use super::list::is_loaded;
use super::{ChangeView, GenerationView, recorded};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Which generation.
    pub digest: Digest,
}

/// A generation in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// The generation.
    #[serde(flatten)]
    pub generation: GenerationView,
    /// What it says of itself.
    pub manifest: Manifest,
    /// What activating it would change.
    pub changes: Vec<ChangeView>,
}

/// The generation.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Shown, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::PluginsRead, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::PluginsRead, &target)
            .await?;
        let record = recorded(service, &input.digest).await?;
        let changes = if record.active {
            Vec::new()
        } else {
            against_active(service, &record.manifest).await?
        };
        Ok(Shown {
            manifest: record.manifest.clone(),
            changes,
            generation: GenerationView::of(record, is_loaded(service, input.digest.as_str())),
        })
    };
    attempt.settle(service, result.await).await
}
