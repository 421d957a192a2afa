//! What host and plugins say to each other, as the host's own types.
//!
//! The runtime turns these into the WIT types of the interface version that a component speaks;
//! everything above the runtime knows only these.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{AccountId, ResourceId};
use crate::label::Label;
use crate::secret::SecretText;
use crate::time::{Millis, Span};

/// What a provider call does. Paths and capabilities are granted by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Looks for an object whose provider id is not known.
    Find,
    /// Reads one object.
    Observe,
    /// Asks for a new object.
    Create,
    /// Applies named fields.
    Update,
    /// Asks for the deletion of an object.
    Delete,
    /// Lists a kind's objects.
    List,
    /// Writes ownership labels.
    Label,
    /// Removes ownership labels.
    Unlabel,
    /// Lists installable applications.
    Catalog,
    /// Lists signals.
    Signals,
}

impl Operation {
    /// Its name in kebab case, as in manifests and journals.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Find => "find",
            Self::Observe => "observe",
            Self::Create => "create",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::List => "list",
            Self::Label => "label",
            Self::Unlabel => "unlabel",
            Self::Catalog => "catalog",
            Self::Signals => "signals",
        }
    }

    /// Whether the operation may change anything at the provider.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(
            self,
            Self::Create | Self::Update | Self::Delete | Self::Label | Self::Unlabel
        )
    }
}

/// The account that a call is for, as a plugin may know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountView {
    /// Its id.
    pub id: AccountId,
    /// Other tenants live on it too.
    pub shared: bool,
    /// The operator enabled previews.
    pub previews: bool,
    /// Regions that the operator configured; empty: any.
    pub regions: Vec<String>,
}

/// The object of a row as the host wants it.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// The row's id.
    pub id: ResourceId,
    /// The kind.
    pub kind: String,
    /// What the object is called at the provider.
    pub name: String,
    /// The spec with pinned defaults; secrets are SecretRefs.
    pub spec: Map<String, Value>,
    /// Ownership labels.
    pub labels: Vec<Label>,
    /// Known once the provider accepted it.
    pub provider_id: Option<String>,
    /// The parent's object.
    pub parent: Option<ParentView>,
    /// Instances that the spec names, resolved.
    pub instances: Vec<Linked>,
    /// Networks that the spec names, resolved.
    pub networks: Vec<Linked>,
    /// The plugin's own state.
    pub memo: Option<Value>,
}

/// A parent's object at the provider.
#[derive(Debug, Clone, PartialEq)]
pub struct ParentView {
    /// Its kind.
    pub kind: String,
    /// Its provider id.
    pub provider_id: String,
    /// What it is called at the provider.
    pub name: String,
    /// Its plain outputs.
    pub outputs: Map<String, Value>,
}

/// An instance or network of the tenant, resolved by the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// Our id.
    pub id: String,
    /// The provider's id.
    pub provider_id: String,
    /// Its region.
    pub region: String,
}

/// How an object at the provider is doing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "phase", content = "message")]
pub enum Phase {
    /// The provider is at work on it.
    Converging,
    /// It serves.
    Ready,
    /// It failed there, with one line that says what.
    Failed(String),
    /// It is gone.
    Gone,
}

/// An object as a plugin saw it. Not serialisable: it may hold secret values.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// The provider's id.
    pub provider_id: String,
    /// The object's name at the provider.
    pub name: Option<String>,
    /// How it is doing.
    pub phase: Phase,
    /// Labels as found.
    pub labels: Vec<Label>,
    /// The spec as the provider reports it.
    pub spec: Option<Map<String, Value>>,
    /// Wanted fields that are not applied yet.
    pub pending: Vec<String>,
    /// Plain outputs.
    pub outputs: Map<String, Value>,
    /// Values to seal.
    pub secret_outputs: Vec<SecretOutput>,
    /// The plugin's own state.
    pub memo: Option<Value>,
    /// The plugin would look again after so long.
    pub poll_after: Option<Span>,
}

/// A secret that the provider handed out.
#[derive(Debug, Clone, PartialEq)]
pub struct SecretOutput {
    /// Its name in the manifest.
    pub name: String,
    /// Its value; shown by no formatter.
    pub value: SecretText,
}

/// One page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Objects, without secret outputs.
    pub items: Vec<Observation>,
    /// What to ask for the next page with.
    pub next: Option<String>,
}

/// What `check` says of a spec.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Checked {
    /// Top-level fields that the spec leaves out.
    pub defaults: Map<String, Value>,
    /// JSON Pointers of fields that reach account-wide objects.
    pub account_wide: Vec<String>,
    /// Ids of instances named.
    pub instances: Vec<String>,
    /// Ids of networks named.
    pub networks: Vec<String>,
    /// Capacity booked, by name.
    pub bookings: Vec<Booking>,
    /// Units an hour of the kind's own meters.
    pub meters: Vec<MeterRate>,
}

/// Capacity that a spec books.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Booking {
    /// Its name in the manifest.
    pub name: String,
    /// How much.
    pub amount: u64,
}

/// A meter of the kind that a spec runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeterRate {
    /// Its name in the manifest.
    pub name: String,
    /// Its units an hour.
    pub rate: u64,
}

/// A field that a provider or `check` refuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    /// JSON Pointer into the spec.
    pub field: String,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Why a provider call did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The provider refuses the spec.
    #[error("the provider refuses the spec: {}", describe_fields(.0))]
    Invalid(Vec<FieldError>),
    /// There is no such object.
    #[error("not found at the provider: {0}")]
    NotFound(String),
    /// Another object is there already.
    #[error("exists already at the provider: {0}")]
    Conflict(String),
    /// It may work later.
    #[error("busy at the provider: {message}")]
    Busy {
        /// What is waited for.
        message: String,
        /// The provider's own wish.
        retry_after: Option<Span>,
    },
    /// Too many requests.
    #[error("throttled by the provider: {message}")]
    Throttled {
        /// What the provider said.
        message: String,
        /// The provider's own wish.
        retry_after: Option<Span>,
    },
    /// The credential may not.
    #[error("denied by the provider: {0}")]
    Denied(String),
    /// The provider did not answer, and nothing was written.
    #[error("the provider is unavailable: {0}")]
    Unavailable(String),
    /// A write may have happened.
    #[error("the answer was lost and the provider may have acted: {0}")]
    Ambiguous(String),
    /// Anything else that the provider says.
    #[error("failed at the provider: {0}")]
    Failed(String),
    /// The plugin does not do that.
    #[error("not supported by the provider's plugin: {0}")]
    Unsupported(String),
}

fn describe_fields(fields: &[FieldError]) -> String {
    fields
        .iter()
        .map(|field| match field.field.as_str() {
            // A refusal of the spec as a whole.
            "" => field.message.clone(),
            name => format!("{name}: {}", field.message),
        })
        .collect::<Vec<_>>()
        .join("; ")
}

/// An application that a catalog lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Application {
    /// What it is installed by.
    pub slug: String,
    /// For people.
    pub title: String,
    /// `instance` or `kubernetes`.
    pub installs_on: InstallsOn,
}

/// Where an application can be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum InstallsOn {
    /// On an instance, as its image.
    Instance,
    /// On a managed cluster, as an add-on.
    Kubernetes,
}

/// How bad a signal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// Someone must act.
    Critical,
    /// Someone should look.
    Warning,
    /// Good to know.
    Info,
}

/// Something that a provider raises about a resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    /// The provider's id of it.
    pub id: String,
    /// How bad.
    pub severity: Severity,
    /// One line.
    pub title: String,
    /// One more line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// When.
    pub at: Millis,
    /// The kind that it is about.
    pub kind: String,
    /// The object that it is about.
    pub provider_id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_the_whole_spec_names_no_field() {
        let fault = |field: &str, message: &str| FieldError {
            field: field.to_owned(),
            message: message.to_owned(),
        };
        assert_eq!(
            ProviderError::Invalid(vec![
                fault("", "the provider answered 422"),
                fault("/size", "there is no such size"),
            ])
            .to_string(),
            "the provider refuses the spec: the provider answered 422; /size: there is no such size"
        );
    }
}
