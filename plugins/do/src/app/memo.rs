//! What the plugin remembers of an app between calls.

use std::collections::BTreeMap;

use berth_sdk::{Call, digest};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::spec::Spec;
use super::{UPDATABLE, wire};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Memo {
    /// When the spec was last written, or the app first seen.
    pub(super) at: u64,
    /// Digests of the spec's fields as they were last sent. Of a secret its reference, not its value.
    applied: BTreeMap<String, String>,
    /// The deployment that the last write led to, once it is known.
    pub(super) deployment: Option<String>,
    /// The newest deployment before that write.
    pub(super) before: Option<String>,
}

impl Memo {
    /// What is remembered. Without anything (an answer was lost, a first look) the app's fields are
    /// taken as applied where the app shows what is wanted.
    pub(super) fn of(call: &Call<'_, Spec>, app: &wire::App) -> Self {
        call.memo().unwrap_or_else(|| {
            let wanted = call.spec().of_app(call.name());
            let applied = UPDATABLE
                .into_iter()
                .filter(|field| match (wanted.get(*field), app.spec.get(*field)) {
                    (Some(wanted), Some(shown)) => shows(shown, wanted),
                    (Some(_), None) => false,
                    (None, _) => true,
                })
                .filter_map(|field| Some((field.to_owned(), digest::of(wanted.get(field)?))))
                .collect();
            Self {
                at: call.now(),
                applied,
                deployment: app.newest_deployment(),
                before: None,
            }
        })
    }

    /// After these fields were sent and the API answered with the app.
    pub(super) fn written(
        call: &Call<'_, Spec>,
        fields: &[&str],
        remembered: Option<Self>,
        app: &wire::App,
        before: Option<String>,
    ) -> Self {
        let wanted = call.spec().of_app(call.name());
        let mut applied = remembered.unwrap_or_default().applied;
        for field in fields {
            match wanted.get(*field) {
                Some(value) => applied.insert((*field).to_owned(), digest::of(value)),
                None => applied.remove(*field),
            };
        }
        // Right after the write the app may still show only the deployment before it.
        let deployment = app
            .newest_deployment()
            .filter(|newest| Some(newest) != before.as_ref());
        Self {
            at: call.now(),
            applied,
            deployment,
            before,
        }
    }

    /// Fields that were not sent yet as they are wanted now; one that is not wanted any more has to
    /// be taken away.
    pub(super) fn pending(&self, call: &Call<'_, Spec>) -> Vec<String> {
        let wanted = call.spec().of_app(call.name());
        UPDATABLE
            .into_iter()
            .filter(|field| wanted.get(*field).map(digest::of).as_ref() != self.applied.get(*field))
            .map(str::to_owned)
            .collect()
    }
}

/// Whether everything wanted is shown. The API adds defaults and encrypts secrets: neither is a
/// difference.
fn shows(shown: &Value, wanted: &Value) -> bool {
    match (shown, wanted) {
        (Value::Object(shown), Value::Object(wanted)) => wanted
            .iter()
            .all(|(field, wanted)| shown.get(field).is_some_and(|shown| shows(shown, wanted))),
        (Value::Array(shown), Value::Array(wanted)) => {
            shown.len() == wanted.len()
                && shown
                    .iter()
                    .zip(wanted)
                    .all(|(shown, wanted)| shows(shown, wanted))
        }
        (Value::String(shown), Value::String(_)) if shown.starts_with("EV[") => true,
        (shown, wanted) => shown == wanted,
    }
}
