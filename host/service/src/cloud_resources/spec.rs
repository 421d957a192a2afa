//! What a spec must pass before it is recorded: size, schema, secrets, region, the plugin's check.

use std::sync::Arc;

use berth_domain::input::InputError;
use berth_domain::manifest::Kind;
use berth_domain::platform::Account;
use berth_domain::provider::{Checked, ProviderError};
use berth_domain::resource::Demand;
use berth_domain::secret::SecretRef;
use berth_domain::spec::{Mark, Spec, SpecSchema, check_size};
use berth_runtime::{CallFailure, Generation};
use serde_json::Value;

use super::reach::{Reach, reach_of};
use crate::place::account_view;
use crate::{Code, Service, ServiceError};

/// Everything about a spec that needs nothing but the spec, its kind and its account: size, schema,
/// region, and SecretRefs where secrets stand and nowhere else. Answers with the references.
///
/// # Errors
/// `INVALID_INPUT` with the field under `spec.`.
pub(super) fn judge_shape(
    spec: &Spec,
    kind: &Kind,
    generation: &Generation,
    account: &Account,
) -> Result<Vec<(String, SecretRef)>, ServiceError> {
    let schema = schema_of(generation, kind)?;
    check_size(spec)?;
    schema.validate(spec)?;
    let references = secrets(spec, schema)?;
    if kind.regional {
        region(spec, account)?;
    }
    Ok(references)
}

pub(super) fn schema_of<'g>(
    generation: &'g Generation,
    kind: &Kind,
) -> Result<&'g SpecSchema, ServiceError> {
    generation.schema(&kind.id).ok_or_else(|| {
        ServiceError::internal(format!(
            "generation {} has no schema of kind {}",
            generation.digest(),
            kind.id
        ))
    })
}

fn region(spec: &Spec, account: &Account) -> Result<(), ServiceError> {
    let region = region_of(spec)
        .ok_or_else(|| ServiceError::invalid("/spec/region", "missing: the kind is regional"))?;
    if account.regions.is_empty() || account.regions.contains(&region) {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/spec/region",
        format!(
            "not a region that the pool's account configures; expected one of {}",
            account.regions.join(", ")
        ),
    ))
}

/// The region that a spec names.
fn region_of(spec: &Spec) -> Option<String> {
    spec.get("region")
        .and_then(Value::as_str)
        .map(str::to_owned)
}

/// The region that a spec of a kind is in; `None` for a kind that has none.
pub(super) fn region_within(spec: &Spec, kind: &Kind) -> Option<String> {
    kind.regional.then(|| region_of(spec)).flatten()
}

/// SecretRefs at marked places, and nothing that looks like one elsewhere: what stands at an unmarked
/// place would go to the provider as it is, and its writer surely meant the value.
fn secrets(spec: &Spec, schema: &SpecSchema) -> Result<Vec<(String, SecretRef)>, ServiceError> {
    let marked = schema.marked(spec, Mark::Secret);
    let mut references = Vec::with_capacity(marked.len());
    for (pointer, value) in &marked {
        let field = format!("/spec{pointer}");
        let reference = value.as_str().and_then(|text| text.parse::<SecretRef>().ok()).ok_or_else(|| {
            ServiceError::invalid(
                field,
                "a secret: expected a SecretRef, `secret://<tenant>/<name>`, and never the value itself; store the value with `secrets/put` first",
            )
            .reason("secret")
        })?;
        references.push((pointer.clone(), reference));
    }
    let stray = looks_like_reference(spec)
        .into_iter()
        .find(|pointer| !marked.iter().any(|(at, _)| at == pointer));
    if let Some(pointer) = stray {
        return Err(ServiceError::invalid(
            format!("/spec{pointer}"),
            "a SecretRef does not stand here: the kind has no secret at this place, so its value would never be put in",
        )
        .reason("secret"));
    }
    Ok(references)
}

/// Pointers of the strings that begin like a SecretRef.
fn looks_like_reference(spec: &Spec) -> Vec<String> {
    fn descend(value: &Value, at: String, found: &mut Vec<String>) {
        match value {
            Value::String(text) if text.starts_with("secret://") => found.push(at),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    descend(item, format!("{at}/{index}"), found);
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    descend(
                        member,
                        format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")),
                        found,
                    );
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    for (name, value) in spec {
        descend(
            value,
            format!("/{}", name.replace('~', "~0").replace('/', "~1")),
            &mut found,
        );
    }
    found
}

/// What the plugin says of a spec that it takes.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    /// To be pinned with the row.
    pub(super) defaults: Spec,
    /// What the spec takes.
    pub(super) demand: Demand,
    /// What it names of its tenant.
    pub(super) reach: Reach,
}

/// Asks the plugin what a schema can't say, and refuses what reaches objects of a shared account.
///
/// # Errors
/// `INVALID_INPUT` with the fields that are refused; `UNAVAILABLE` when the plugin breaks.
pub(super) async fn ask_plugin(
    service: &Service,
    generation: &Arc<Generation>,
    account: &Account,
    kind: &Kind,
    spec: &Spec,
    parent_kind: Option<&str>,
) -> Result<Judged, ServiceError> {
    let view = account_view(account);
    let checked = service
        .runtime()
        .check(generation, &view, &kind.id, spec, parent_kind)
        .await
        .map_err(|failure| refusal(&account.provider, failure))?;
    let reach = reach_of(&view, schema_of(generation, kind)?, spec, &checked)?;
    let demand = Demand::from(&checked);
    Ok(Judged {
        defaults: defaults(&account.provider, spec, checked)?,
        demand,
        reach,
    })
}

/// Only top-level fields that the tenant left out are defaults, and a plugin may not bring in a
/// reference to a secret that the tenant did not write.
fn defaults(provider: &str, spec: &Spec, checked: Checked) -> Result<Spec, ServiceError> {
    let defaults: Spec = checked
        .defaults
        .into_iter()
        .filter(|(field, _)| !spec.contains_key(field) && field != "region")
        .collect();
    if let Some(pointer) = looks_like_reference(&defaults).first() {
        return Err(broken(
            provider,
            format!("its default at {pointer} names a secret"),
        ));
    }
    if let Err(error) = check_size(&defaults) {
        return Err(broken(
            provider,
            format!("its defaults are out of bounds: {error}"),
        ));
    }
    Ok(defaults)
}

fn refusal(provider: &str, failure: CallFailure) -> ServiceError {
    match failure {
        CallFailure::Provider(ProviderError::Invalid(fields)) if !fields.is_empty() => fields
            .into_iter()
            .map(|fault| InputError::new(format!("/spec{}", fault.field), fault.message))
            .collect::<Vec<_>>()
            .into(),
        CallFailure::Provider(ProviderError::Unsupported(text)) => ServiceError::new(
            Code::Unsupported,
            format!("the plugin of provider `{provider}` does not take this spec: {text}"),
        ),
        other => broken(provider, other.to_string()),
    }
}

fn broken(provider: &str, text: String) -> ServiceError {
    let mut refusal = ServiceError::new(
        Code::Unavailable,
        format!("the plugin of provider `{provider}` could not check the spec; nothing was recorded: try again, and if it stays so, tell the operator"),
    )
    .reason("plugin")
    .with("retryAfterMs", 5_000);
    refusal.internal = Some(text);
    refusal
}
