//! `plugins/rollback`: activates the generation that was active before the one that is.
//!
//! That one was the last in force, so rolling back twice ends where it began.

use berth_domain::id::TenantId;
use berth_domain::platform::GenerationRecord;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::GenerationView;
use super::activate::{Activated, activate_alone};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Of which plugin.
    pub plugin: String,
    /// Changes that are accepted although they are refused otherwise, as for `plugins/activate`.
    #[serde(default, rename = "override")]
    pub overrides: Vec<String>,
}

/// The generation that is active again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RolledBack {
    /// It.
    #[serde(flatten)]
    pub generation: GenerationView,
    /// The digest of the one that it takes the place of.
    pub from: String,
    /// That one's own version.
    pub from_version: String,
}

/// The generation that was active before, active.
///
/// # Errors
/// `ACCESS_DENIED`; `NOT_FOUND` for a plugin that is not installed; `INVALID_STATE` where none was active
/// before, or with the changes that would break what lives, or widen what the plugin may do.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<RolledBack, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::PluginsWrite, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::PluginsWrite, &target)
            .await?;
        roll_back(service, &attempt, &input).await
    };
    attempt.settle(service, result.await).await
}

async fn roll_back(
    service: &Service,
    attempt: &Attempt<'_>,
    input: &Input,
) -> Result<RolledBack, ServiceError> {
    // Which one was active before must not change until it is active again.
    let _one_at_a_time = service.activation.lock().await;
    let records = service.store().generations(Some(&input.plugin)).await?;
    let (active, before) = last_two(&input.plugin, records)?;
    let digest = before.digest.parse().map_err(|error| {
        ServiceError::internal(format!("{} is no digest: {error}", before.digest))
    })?;
    let audit = attempt.done(
        service.now(),
        json!({"activated": before.digest, "rolledBackFrom": active.digest, "override": input.overrides}),
    );
    let (Activated::Now(generation) | Activated::Before(generation)) =
        activate_alone(service, &digest, &input.overrides, audit).await?;
    tracing::warn!(
        plugin = input.plugin,
        from = active.digest,
        to = before.digest,
        version = before.version,
        "a plugin was rolled back"
    );
    Ok(RolledBack {
        generation,
        from: active.digest,
        from_version: active.version,
    })
}

/// The active generation, and the one that was active last before it.
fn last_two(
    plugin: &str,
    records: Vec<GenerationRecord>,
) -> Result<(GenerationRecord, GenerationRecord), ServiceError> {
    if records.is_empty() {
        return Err(ServiceError::new(
            Code::NotFound,
            format!("no plugin `{plugin}` is installed; `plugins/list` lists those that are"),
        ));
    }
    let (active, others): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.active);
    let before = others
        .into_iter()
        .filter(|record| record.activated_at.is_some())
        .max_by_key(|record| record.activated_at);
    match (active.into_iter().next(), before) {
        (Some(active), Some(before)) => Ok((active, before)),
        _ => Err(ServiceError::new(
            Code::InvalidState,
            format!("plugin `{plugin}` has no generation that was active before; `plugins/list` lists those there are, and `plugins/activate` takes any of them"),
        )
        .reason("noneBefore")),
    }
}
