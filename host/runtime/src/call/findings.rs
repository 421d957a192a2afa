//! What a call's requests brought to light, shared between the egress and the check of the answer.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use berth_domain::redactor::Redactor;
use berth_domain::secret::SecretText;

use super::CallScope;

/// Most causes of a call that are told in the log.
const CAUSES_MAX: usize = 10;
/// Most provider ids that are remembered: a whole list of a large account.
const IDS_MAX: usize = 20_000;

/// Secrets that the call touched, whether it wrote, and which ids the provider named.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    wrote: AtomicBool,
    lost: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Values that the host put into requests: scrubbed from every answer.
    injected: Vec<SecretText>,
    /// Values that the provider handed to the plugin as its own object's.
    revealed: Vec<SecretText>,
    redactor: Option<Arc<Redactor>>,
    ids: BTreeSet<String>,
    host_fault: Option<&'static str>,
    causes: Vec<String>,
}

impl Findings {
    /// Says whether a write was sent; answers what was so before.
    pub(crate) fn set_wrote(&self, wrote: bool) -> bool {
        self.wrote.swap(wrote, Ordering::Relaxed)
    }

    pub(crate) fn set_lost(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    pub(crate) fn wrote(&self) -> bool {
        self.wrote.load(Ordering::Relaxed)
    }

    pub(crate) fn lost(&self) -> bool {
        self.lost.load(Ordering::Relaxed)
    }

    fn with<T>(&self, change: impl FnOnce(&mut Known) -> T) -> T {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Remembers a value that the host put, or may have put, into a request.
    pub(crate) fn inject(&self, value: SecretText) {
        self.with(|known| {
            if !known.injected.contains(&value) {
                known.injected.push(value);
                known.redactor = None;
            }
        });
    }

    /// Remembers a secret that the plugin was shown.
    pub(crate) fn reveal(&self, value: &str) {
        let value = SecretText::new(value.to_owned());
        self.with(|known| {
            if !known.revealed.contains(&value) {
                known.revealed.push(value);
            }
        });
    }

    /// Knows the injected values: what answers are scrubbed of.
    pub(crate) fn injected(&self) -> Arc<Redactor> {
        self.with(|known| {
            let values = &known.injected;
            known
                .redactor
                .get_or_insert_with(|| {
                    Arc::new(Redactor::new(values.iter().map(SecretText::expose)))
                })
                .clone()
        })
    }

    /// Knows every secret that the call touched.
    pub(crate) fn everything(&self) -> Redactor {
        self.with(|known| {
            Redactor::new(
                known
                    .injected
                    .iter()
                    .chain(&known.revealed)
                    .map(SecretText::expose),
            )
        })
    }

    /// Remembers that the host, not the provider, kept the call from its work. The text is for whoever
    /// sees the resource, a tenant too; the cause is for the operator, in the host's log.
    pub(crate) fn blame_host(&self, text: &'static str, cause: &dyn fmt::Display) {
        self.with(|known| {
            known.host_fault.get_or_insert(text);
        });
        self.note_cause(cause.to_string());
    }

    /// Remembers a cause for the host's log, once.
    pub(crate) fn note_cause(&self, cause: String) {
        self.with(|known| {
            if known.causes.len() < CAUSES_MAX && !known.causes.contains(&cause) {
                known.causes.push(cause);
            }
        });
    }

    /// Writes the causes to the host's log, without the secrets that the call touched.
    pub(crate) fn publish_causes(&self, scope: &CallScope) {
        let redactor = self.everything();
        for cause in self.with(|known| std::mem::take(&mut known.causes)) {
            tracing::warn!(
                account = %scope.account,
                tenant = scope.tenant.as_ref().map(tracing::field::display),
                resource = scope.resource.as_ref().map(tracing::field::display),
                run = scope.run.as_ref().map(tracing::field::display),
                request = scope.request.as_ref().map(tracing::field::display),
                operation = scope.operation.as_str(),
                kind = scope.kind.as_deref(),
                cause = %redactor.scrub_text(&cause),
                "the host kept a call from its work"
            );
        }
    }

    /// What the host is to blame for.
    pub(crate) fn host_fault(&self) -> Option<&'static str> {
        self.with(|known| known.host_fault)
    }

    /// Remembers an id that the provider named.
    pub(crate) fn name_id(&self, id: &str) {
        self.with(|known| {
            if known.ids.len() < IDS_MAX {
                known.ids.insert(id.to_owned());
            }
        });
    }

    /// Whether the provider named this id in an answer.
    pub(crate) fn named_id(&self, id: &str) -> bool {
        self.with(|known| known.ids.contains(id))
    }
}
