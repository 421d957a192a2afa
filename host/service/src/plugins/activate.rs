//! `plugins/activate`: makes a generation the one that serves its plugin's kinds.
//!
//! Running calls finish on the generation that they began on; every later call sees the new one.
//! `plugins/rollback` goes back to the generation that was active before.

use berth_domain::audit::AuditRow;
use berth_domain::id::TenantId;
use berth_runtime::Digest;
use serde::Deserialize;
use serde_json::json;

use super::change::against_active;
use super::{ChangeView, GenerationView, loaded, missing, recorded};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Which generation.
    pub digest: Digest,
    /// Changes that are accepted although they are refused otherwise: kinds, or the plugin itself,
    /// as the refusal names them in `about`.
    #[serde(default, rename = "override")]
    pub overrides: Vec<String>,
}

/// The generation, active.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`; `INVALID_STATE` with the changes that would break what lives, or
/// widen what the plugin may do.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<GenerationView, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::PluginsWrite, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::PluginsWrite, &target)
            .await?;
        let audit = attempt.done(
            service.now(),
            json!({"activated": input.digest, "override": input.overrides}),
        );
        match activate(service, &input.digest, &input.overrides, audit).await? {
            Activated::Now(view) => Ok(view),
            Activated::Before(view) => {
                attempt.unchanged(service).await;
                Ok(view)
            }
        }
    };
    attempt.settle(service, result.await).await
}

/// A generation that is active.
pub(super) enum Activated {
    /// It became active now.
    Now(GenerationView),
    /// It was active already, and nothing was stored.
    Before(GenerationView),
}

/// Compares, stores and swaps, one activation at a time.
pub(super) async fn activate(
    service: &Service,
    digest: &Digest,
    overrides: &[String],
    audit: Vec<AuditRow>,
) -> Result<Activated, ServiceError> {
    let _one_at_a_time = service.activation.lock().await;
    activate_alone(service, digest, overrides, audit).await
}

/// The same for whoever holds `service.activation`.
pub(super) async fn activate_alone(
    service: &Service,
    digest: &Digest,
    overrides: &[String],
    audit: Vec<AuditRow>,
) -> Result<Activated, ServiceError> {
    let record = recorded(service, digest).await?;
    let generation = loaded(service, digest).await?;
    if !record.active {
        let changes = against_active(service, &record.manifest).await?;
        must_be_accepted(&record.plugin, changes, overrides)?;
        let plugin = record.plugin.clone();
        if !service
            .store()
            .activate_generation(&plugin, digest.as_str(), service.now(), audit)
            .await?
        {
            return Err(missing(digest));
        }
    }
    service
        .registry()
        .activate(generation.digest())
        .map_err(|error| {
            ServiceError::internal(format!("{digest} was loaded a moment ago: {error}"))
        })?;
    service.waker().notify_one();
    let view = GenerationView::of(recorded(service, digest).await?, true);
    Ok(if record.active {
        Activated::Before(view)
    } else {
        Activated::Now(view)
    })
}

fn must_be_accepted(
    plugin: &str,
    changes: Vec<ChangeView>,
    overrides: &[String],
) -> Result<(), ServiceError> {
    let refused: Vec<ChangeView> = changes
        .into_iter()
        .filter(|change| change.refused && !overrides.contains(&change.about))
        .collect();
    if refused.is_empty() {
        return Ok(());
    }
    let texts: Vec<String> = refused
        .iter()
        .map(|change| match change.live {
            0 => format!("{}: {}", change.about, change.text),
            live => format!("{}: {} ({live} live)", change.about, change.text),
        })
        .collect();
    Err(ServiceError::new(
        Code::InvalidState,
        format!(
            "plugin `{plugin}` stays as it is, for the new generation changes what an operator must accept first: {}; name what is accepted in `override`, each by what stands before the colon",
            texts.join("; ")
        ),
    )
    .reason("changes")
    .with("changes", json!(refused)))
}
