//! What a kind answers: its object as the provider shows it.

use serde::Serialize;
use serde_json::Value;

use crate::types::{Error, Label, Observation, Page, Phase, SecretOutput};

/// An observation with outputs of the kind's own type.
#[derive(Debug, Clone)]
pub struct Observed<O> {
    /// The provider's id.
    pub provider_id: String,
    /// The object's name at the provider, where it has one.
    pub name: Option<String>,
    /// How far it is.
    pub phase: Phase,
    /// The labels found on it.
    pub labels: Vec<Label>,
    /// The spec as the provider reports it, as far as it does: an object.
    pub spec: Option<Value>,
    /// Wanted top-level fields that the provider has not applied yet.
    pub pending: Vec<String>,
    /// Plain outputs; a field that is `None` should be skipped in serialising.
    pub outputs: O,
    secrets: Vec<SecretOutput>,
    /// The kind's own state for the next call, at most 4 KiB, never secret.
    pub memo: Option<Value>,
    /// Look again after so many milliseconds.
    pub poll_after: Option<u64>,
}

impl<O> Observed<O> {
    /// An object that the provider shows under this id.
    pub fn new(provider_id: impl Into<String>, phase: Phase, outputs: O) -> Self {
        Self {
            provider_id: provider_id.into(),
            name: None,
            phase,
            labels: Vec::new(),
            spec: None,
            pending: Vec::new(),
            outputs,
            secrets: Vec::new(),
            memo: None,
            poll_after: None,
        }
    }

    /// Says what the object is called at the provider. A kind that is owned by its name must: it is what
    /// proves, before a delete, whose the object is.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a secret output. One that the provider left out or sent empty (its token lacks a scope,
    /// or it shows the value only once) is left out here too: an empty value would replace a good one.
    pub fn secret(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.secrets.push(SecretOutput {
                name: name.to_owned(),
                value: value.to_owned(),
            });
        }
    }

    /// The same without secret outputs, as an item of a list must be.
    #[must_use]
    pub fn without_secrets(mut self) -> Self {
        self.secrets.clear();
        self
    }
}

impl<O: Serialize> Observed<O> {
    pub(crate) fn into_observation(self) -> Result<Observation, Error> {
        let outputs = serde_json::to_string(&self.outputs).map_err(|error| {
            Error::Failed(format!("the plugin can't write its outputs: {error}"))
        })?;
        Ok(Observation {
            provider_id: self.provider_id,
            name: self.name,
            phase: self.phase,
            labels: self.labels,
            spec: self.spec.map(|spec| spec.to_string()),
            pending: self.pending,
            outputs,
            secret_outputs: self.secrets,
            memo: self.memo.map(|memo| memo.to_string()),
            poll_after: self.poll_after,
        })
    }
}

/// A page of a kind's objects.
#[derive(Debug, Clone)]
pub struct Listed<O> {
    /// The objects, foreign ones too. Their secret outputs are dropped.
    pub items: Vec<Observed<O>>,
    /// The cursor of the next page; `None` on the last.
    pub next: Option<String>,
}

impl<O: Serialize> Listed<O> {
    pub(crate) fn into_page(self) -> Result<Page, Error> {
        let items = self
            .items
            .into_iter()
            .map(|item| item.without_secrets().into_observation())
            .collect::<Result<_, _>>()?;
        Ok(Page {
            items,
            next: self.next,
        })
    }
}
