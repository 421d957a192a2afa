//! What a plugin tells of a whole account: applications and signals. One that is malformed is dropped,
//! and the others are told.

use std::cmp::Reverse;

use berth_domain::provider::{Application, InstallsOn, Severity, Signal};
use berth_domain::redactor::Redactor;
use berth_domain::time::{Millis, Span};

use super::error::{MESSAGE_CHARS_MAX, line};
use crate::bindings::berth::provider::types as wit;
use crate::load::Generation;

/// Longest id of a signal and slug of an application, in bytes.
const ID_BYTES_MAX: usize = 200;
/// How far ahead of the host's clock a provider's may be.
const AHEAD_MAX: Span = Span::minutes(24 * 60);

/// Applications, at most `limit`.
pub(crate) fn applications(
    applications: Vec<wit::Application>,
    generation: &Generation,
    redactor: &Redactor,
    limit: usize,
) -> Vec<Application> {
    let told = applications.len();
    let mut kept: Vec<Application> = applications
        .into_iter()
        .filter(|application| is_id(&application.slug))
        .map(|application| Application {
            slug: line(&application.slug, redactor),
            title: line(&application.title, redactor),
            installs_on: match application.installs_on {
                wit::InstallsOn::Instance => InstallsOn::Instance,
                wit::InstallsOn::Kubernetes => InstallsOn::Kubernetes,
            },
        })
        .filter(|application| !application.title.is_empty())
        .collect();
    if kept.len() < told {
        tracing::warn!(plugin = %generation.manifest().provider, generation = %generation.digest(), dropped = told - kept.len(), "malformed applications of a catalog were dropped");
    }
    if kept.len() > limit {
        tracing::warn!(plugin = %generation.manifest().provider, applications = kept.len(), limit, "a catalog was cut; `runtime.limits.applications` sets the limit");
        kept.truncate(limit);
    }
    kept
}

/// Signals, newest first, at most `limit`: the newest.
pub(crate) fn signals(
    signals: Vec<wit::Signal>,
    generation: &Generation,
    redactor: &Redactor,
    now: Millis,
    limit: usize,
) -> Vec<Signal> {
    let told = signals.len();
    let mut first_fault = None;
    let mut kept: Vec<Signal> = signals
        .into_iter()
        .filter_map(|told| match signal(told, generation, redactor, now) {
            Ok(signal) => Some(signal),
            Err(fault) => {
                first_fault.get_or_insert(fault);
                None
            }
        })
        .collect();
    if let Some(fault) = first_fault {
        tracing::warn!(plugin = %generation.manifest().provider, generation = %generation.digest(), dropped = told - kept.len(), first = fault, "malformed signals were dropped");
    }
    kept.sort_by_key(|signal| Reverse(signal.at));
    if kept.len() > limit {
        tracing::warn!(plugin = %generation.manifest().provider, signals = kept.len(), limit, "the oldest signals of an account were left out; `runtime.limits.signals` sets the limit");
        kept.truncate(limit);
    }
    kept
}

/// A signal, or the field of it that is malformed.
fn signal(
    told: wit::Signal,
    generation: &Generation,
    redactor: &Redactor,
    now: Millis,
) -> Result<Signal, &'static str> {
    if !is_id(&told.id) {
        return Err("id");
    }
    let title = Some(told.title).filter(|title| !title.trim().is_empty());
    let title = title.filter(|title| is_line(title)).ok_or("title")?;
    let detail = told.detail.filter(|detail| !detail.trim().is_empty());
    if detail.as_deref().is_some_and(|detail| !is_line(detail)) {
        return Err("detail");
    }
    let at = i64::try_from(told.at).map(Millis).map_err(|_| "at")?;
    if at <= Millis(0) || at > now + AHEAD_MAX {
        return Err("at");
    }
    if generation.kind(&told.kind).is_none() {
        return Err("kind");
    }
    if !generation.is_id(&told.kind, &told.provider_id)
        || redactor.contains(told.provider_id.as_bytes())
    {
        return Err("provider-id");
    }
    Ok(Signal {
        id: line(&told.id, redactor),
        severity: match told.severity {
            wit::Severity::Critical => Severity::Critical,
            wit::Severity::Warning => Severity::Warning,
            wit::Severity::Info => Severity::Info,
        },
        title: line(&title, redactor),
        detail: detail.map(|detail| line(&detail, redactor)),
        at,
        kind: told.kind,
        provider_id: told.provider_id,
    })
}

fn is_id(text: &str) -> bool {
    (1..=ID_BYTES_MAX).contains(&text.len()) && !text.trim().is_empty() && !breaks(text)
}

fn is_line(text: &str) -> bool {
    text.chars().count() <= MESSAGE_CHARS_MAX && !breaks(text)
}

/// Whether a text is more than a line: control characters and what Unicode breaks lines with.
fn breaks(text: &str) -> bool {
    text.chars()
        .any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}
