//! What a plugin says of itself, as data: kinds, endpoints, declared reads and writes.
//!
//! A manifest is stored as JSON with each generation, so that the kinds a row was accepted under can
//! be read long after its component is gone.

mod diff;
mod id_pattern;
mod template;
mod validate;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use diff::{Change, Liveness, changes};
pub use id_pattern::{ID_PATTERN_BYTES_MAX, IdPattern, IdPatternError, PROVIDER_ID_BYTES_MAX};
pub use template::{
    Binding, Matched, PATH_BYTES_MAX, PathError, PathTemplate, RequestPath, TemplateError,
};
pub use validate::{ManifestFault, validate};

use crate::provider::Operation;

/// What a component says of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Short name; every kind starts with it and a dot.
    pub provider: String,
    /// The plugin's own version.
    pub version: String,
    /// One line for people.
    pub title: String,
    /// Where it wants to send requests.
    pub endpoints: Vec<Endpoint>,
    /// How the account's credential is put on requests.
    pub credential: CredentialType,
    /// What it serves.
    pub kinds: Vec<Kind>,
    /// It answers `catalog`.
    pub has_catalog: bool,
    /// It answers `signals`.
    pub signals: Option<SignalSupport>,
}

impl Manifest {
    /// The kind of this id.
    #[must_use]
    pub fn kind(&self, id: &str) -> Option<&Kind> {
        self.kinds.iter().find(|kind| kind.id == id)
    }
}

/// Where requests may go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Endpoint {
    /// `https://host[:port]`, no path; a host may start with `*.`.
    pub origin: String,
    /// Whether the account's credential goes there.
    pub credential: bool,
    /// Reads that any operation of any kind may do.
    pub reads: Vec<Read>,
}

/// How a credential is put on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CredentialType {
    /// None at all.
    None,
    /// `Authorization: Bearer`.
    Bearer,
}

/// That a plugin answers `signals`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignalSupport {
    /// Only on accounts with previews.
    pub preview: bool,
}

/// The group that a kind belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Family {
    /// Volumes, buckets, registries.
    Storage,
    /// Networks and their parts.
    Network,
    /// Domains, certificates, CDNs.
    Edge,
    /// Databases and what lives in them.
    Data,
    /// App platforms, functions, add-ons.
    Platform,
    /// Models, agents, inference.
    Ai,
    /// Checks, alerts, log sinks.
    Observability,
}

impl Family {
    /// Every family, in the order of the API.
    pub const ALL: [Self; 7] = [
        Self::Storage,
        Self::Network,
        Self::Edge,
        Self::Data,
        Self::Platform,
        Self::Ai,
        Self::Observability,
    ];

    /// Its name in the API and in policies.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Storage => "storage",
            Self::Network => "network",
            Self::Edge => "edge",
            Self::Data => "data",
            Self::Platform => "platform",
            Self::Ai => "ai",
            Self::Observability => "observability",
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Family {
    type Err = FamilyError;
    fn from_str(text: &str) -> Result<Self, FamilyError> {
        Self::ALL
            .into_iter()
            .find(|family| family.as_str() == text)
            .ok_or(FamilyError)
    }
}

/// Why a text is no family.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a family: expected one of storage, network, edge, data, platform, ai, observability")]
pub struct FamilyError;

/// How an object at the provider is proven to be this deployment's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Ownership {
    /// By labels on it.
    Labels,
    /// By its exact name and its recorded id.
    Name,
    /// By its recorded id and its parent's proof.
    Parent,
}

/// A kind of resource.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Kind {
    /// `provider.word[.word…]`.
    pub id: String,
    /// For people.
    pub title: String,
    /// Its group.
    pub family: Family,
    /// JSON Schema of the spec.
    pub spec_schema: Value,
    /// Plain outputs.
    pub outputs: Vec<Output>,
    /// Sealed outputs.
    pub secret_outputs: Vec<Output>,
    /// The spec has a required `region`.
    pub regional: bool,
    /// Top-level fields that are changed in place.
    pub updatable: Vec<String>,
    /// Kinds that it may live in.
    pub parents: Vec<String>,
    /// Fields that name it within its parent.
    pub identity: Vec<String>,
    /// At most one a parent.
    pub singleton: bool,
    /// Ends without a call when its parent is being deleted: the provider deletes it with that.
    #[serde(default)]
    pub ends_with_parent: bool,
    /// A preview at the provider.
    pub preview: bool,
    /// Its own meters.
    pub meters: Vec<String>,
    /// Capacity that it books.
    pub bookings: Vec<String>,
    /// How its objects are proven ours.
    pub ownership: Ownership,
    /// It can be let go.
    pub releasable: bool,
    /// It can be taken over.
    pub adoptable: bool,
    /// Items of its list are whole observations.
    pub lists_whole: bool,
    /// Regular expression of a provider id, matched whole.
    pub id_pattern: String,
    /// Paths that are read for it.
    pub reads: Vec<Read>,
    /// Requests that change something for it.
    pub writes: Vec<Write>,
}

impl Kind {
    /// Whether it lives in another resource.
    #[must_use]
    pub fn is_child(&self) -> bool {
        !self.parents.is_empty()
    }

    /// Whether one parent can have only one object of each identity.
    #[must_use]
    pub fn has_identity(&self) -> bool {
        !self.identity.is_empty() || self.singleton
    }
}

/// A named output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// Its name.
    pub name: String,
    /// For people.
    pub title: String,
}

/// A path that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Read {
    /// `GET`, `HEAD`, or `POST` where the API reads by it.
    pub method: String,
    /// Its template.
    pub path: PathTemplate,
    /// Secrets in its answer.
    pub secrets: Vec<SecretPointer>,
}

/// A place in an answer that holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecretPointer {
    /// JSON Pointer; `*` stands for every item or member.
    pub pointer: String,
    /// The object's own, left in place where the path proves whose it is.
    pub own: bool,
}

/// A request that changes something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Write {
    /// The operation that may send it.
    pub operation: Operation,
    /// `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// Its template.
    pub path: PathTemplate,
    /// Places in the body that must hold the object's own id.
    pub own_ids: Vec<String>,
    /// Secrets in its answer.
    pub secrets: Vec<SecretPointer>,
}
