//! The row of a resource.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::demand::{Amounts, Demand};
use super::given::SecretVersions;
use crate::id::{AccountId, PoolId, PrincipalId, ProjectId, ResourceId, RunId, TenantId};
use crate::input::{Description, KindId, ResourceName};
use crate::linked::Named;
use crate::manifest::Family;
use crate::metering::Meters;
use crate::secret::SecretRef;
use crate::spec::{Spec, effective};
use crate::time::Millis;

/// What the tenant wants to become of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Desired {
    /// It shall exist as its spec says.
    Present,
    /// It shall be gone.
    Deleted,
    /// It shall be let go, and live on without us.
    Released,
}

/// How far the takeover of an object that existed before us has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Adoption {
    /// Recorded; our labels are not on it yet.
    Begun,
    /// Ours. Its spec follows what the provider reports.
    Following,
    /// The tenant changed its spec: it is managed like any other.
    Managed,
}

/// Where it is, in the contract's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum State {
    /// Recorded; the provider has not accepted it.
    Pending,
    /// Accepted; the provider is at work on it.
    Provisioning,
    /// It serves, as its spec says.
    Ready,
    /// A change is being applied.
    Updating,
    /// It is being deleted.
    Deleting,
    /// It is gone.
    Deleted,
    /// It was let go and lives on without us.
    Released,
    /// It failed; the message says how.
    Error,
}

impl State {
    /// Its name in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Provisioning => "provisioning",
            Self::Ready => "ready",
            Self::Updating => "updating",
            Self::Deleting => "deleting",
            Self::Deleted => "deleted",
            Self::Released => "released",
            Self::Error => "error",
        }
    }

    /// Nothing more will happen to it.
    #[must_use]
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Deleted | Self::Released)
    }

    const ALL: [Self; 8] = [
        Self::Pending,
        Self::Provisioning,
        Self::Ready,
        Self::Updating,
        Self::Deleting,
        Self::Deleted,
        Self::Released,
        Self::Error,
    ];
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for State {
    type Err = crate::input::TextError;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(crate::input::TextError {
            expected: "one of pending, provisioning, ready, updating, deleting, deleted, released, error",
        })
    }
}

/// Why a resource shows a message. Programs act on it; people read the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// It waits for something that is named; it goes on by itself.
    Waiting,
    /// The provider refuses the spec.
    Invalid,
    /// Another object is there under its name.
    Exists,
    /// The provider says that it failed.
    Failed,
    /// The credential may not do it.
    Denied,
    /// The provider refuses the change; what was there still runs.
    UpdateRefused,
    /// Nothing proves that the object at the provider is ours; nothing is deleted.
    NotManaged,
    /// Another deployment manages the object that was to be taken over.
    ManagedByAnother,
    /// The provider refuses to let it go; it is managed as before.
    ReleaseRefused,
    /// The object vanished at the provider.
    GoneAtProvider,
    /// The plugin broke: it trapped, ran into a limit, or answered nonsense.
    Plugin,
    /// A plain value held a secret; the observation was not stored.
    SecretInPlain,
    /// A secret that is handed out once was lost; rotate or replace the resource.
    SecretLost,
    /// The parent it lives in is not usable.
    Parent,
    /// A secret that the spec names can't be read.
    Secret,
    /// A network that the spec names is gone.
    Network,
    /// The provider deletes it with refusals.
    DeleteRefused,
    /// The host can't do it as it is configured.
    Host,
}

/// What is shown with a state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// For programs.
    pub reason: Reason,
    /// For people: one line, never a secret.
    pub text: String,
}

impl Message {
    /// A message.
    #[must_use]
    pub fn new(reason: Reason, text: impl Into<String>) -> Self {
        Self {
            reason,
            text: text.into(),
        }
    }
}

/// An open intent to create: the object was seen absent, and a create may have been sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Intent {
    /// When it was opened.
    pub opened_at: Millis,
    /// How often the object was looked for and found absent since.
    pub absent_looks: u32,
    /// How many creates this and earlier open intents may have sent.
    pub sends: u32,
}

/// When the reconciler looks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// `None`: never again by itself.
    pub next_run_at: Option<Millis>,
    /// Failed tries in a row.
    pub attempts: u32,
}

/// The row.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Derived from tenant, caller and key.
    pub id: ResourceId,
    /// Whose it is.
    pub tenant: TenantId,
    /// Its project.
    pub project: Option<ProjectId>,
    /// The pool that it was created in.
    pub pool: PoolId,
    /// The pool's account.
    pub account: AccountId,
    /// The provider's short name.
    pub provider: String,
    /// Its kind.
    pub kind: KindId,
    /// Its kind's family.
    pub family: Family,
    /// The tenant's name for it.
    pub name: ResourceName,
    /// The tenant's words about it.
    pub description: Option<Description>,
    /// The resource that it lives in.
    pub parent: Option<ResourceId>,
    /// What names it within its parent, or its account: canonical JSON of its identity fields.
    pub identity: Option<String>,
    /// What the object is called at the provider.
    pub provider_name: String,
    /// The caller that created it.
    pub owner: PrincipalId,
    /// `spec.region` of a regional kind.
    pub region: Option<String>,
    /// SHA-256, in hex, of the canonical input that created it, method included.
    pub input_digest: String,

    /// What is to become of it.
    pub desired: Desired,
    /// Where it is.
    pub state: State,
    /// Why, if there is something to say.
    pub message: Option<Message>,
    /// Counts updates, from 1.
    pub version: u64,
    /// What the tenant wrote.
    pub spec: Spec,
    /// Defaults pinned when the spec was accepted.
    pub defaults: Spec,
    /// Digest of the plugin generation that accepted the spec.
    pub spec_generation: String,
    /// Top-level fields of accepted versions that the provider has not applied.
    pub unapplied: BTreeSet<String>,
    /// Versions of the spec's secrets that the provider was given.
    pub given_secrets: SecretVersions,

    /// Known once the provider accepted it.
    pub provider_id: Option<String>,
    /// When the provider accepted it; for an object that existed before us, when it was ready first.
    pub accepted_at: Option<Millis>,
    /// When it was ready for the first time.
    pub ready_at: Option<Millis>,
    /// It existed before us: how far its takeover has come.
    pub adoption: Option<Adoption>,
    /// The instances and networks that the accepted spec names.
    pub named: Named,
    /// What the accepted spec takes.
    pub demand: Demand,
    /// Capacity that is booked: the most that may be running since a spec was last applied.
    pub held: Amounts,
    /// Meters that run: none before the first acceptance and after the end.
    pub metering: Meters,
    /// Plain outputs.
    pub outputs: Spec,
    /// References to sealed outputs.
    pub secret_outputs: BTreeMap<String, SecretRef>,
    /// The plugin's own state.
    pub memo: Option<Value>,
    /// What the provider reports otherwise than the spec says, by top-level field.
    pub drift: Spec,
    /// A create may have been sent.
    pub intent: Option<Intent>,
    /// Since when the provider says, at every look, that there is no such object.
    pub missing_since: Option<Millis>,
    /// When a delete was last accepted by the provider.
    pub delete_sent_at: Option<Millis>,
    /// When to look again.
    pub schedule: Schedule,
    /// The last run.
    pub last_run: Option<RunId>,
    /// Digest of the generation that the last run ran.
    pub last_digest: Option<String>,

    /// When it was recorded.
    pub created_at: Millis,
    /// When a tenant last changed it.
    pub updated_at: Millis,
    /// When it was deleted or released.
    pub ended_at: Option<Millis>,
}

impl Resource {
    /// Not deleted and not released: it counts for names, identities, quotas and children.
    #[must_use]
    pub fn is_live(&self) -> bool {
        !self.state.is_ended()
    }

    /// It ends at the latest when its object is deleted: nothing turns it back.
    #[must_use]
    pub fn is_condemned(&self) -> bool {
        self.desired == Desired::Deleted || !self.is_live()
    }

    /// It is being let go.
    #[must_use]
    pub fn is_releasing(&self) -> bool {
        self.desired == Desired::Released && self.is_live()
    }

    /// Its takeover is not complete: the object is not ours yet.
    #[must_use]
    pub fn is_being_adopted(&self) -> bool {
        self.adoption == Some(Adoption::Begun)
    }

    /// Since when its hours count, while it lives: the write that the provider accepted first, and
    /// for an object that existed before us the first time that it was ready.
    #[must_use]
    pub fn billing_starts(&self) -> Option<Millis> {
        match self.adoption {
            Some(_) => self.ready_at,
            None => self.accepted_at,
        }
    }

    /// It is on its way out.
    #[must_use]
    pub fn is_going(&self) -> bool {
        self.desired != Desired::Present || !self.is_live()
    }

    /// The spec in force.
    #[must_use]
    pub fn effective_spec(&self) -> Spec {
        effective(&self.spec, &self.defaults)
    }

    /// The provider has it, or may have it.
    #[must_use]
    pub fn may_exist(&self) -> bool {
        self.provider_id.is_some() || self.intent.is_some()
    }
}
