//! Resources, their events, and the work on them.

use std::fmt;
use std::str::FromStr;

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{AccountId, EventId, PoolId, ProjectId, ResourceId, TenantId};
use berth_domain::input::KindId;
use berth_domain::manifest::Family;
use berth_domain::metering::MeterSpan;
use berth_domain::resource::{EventDraft, Resource, State};
use berth_domain::time::{Millis, Span};
use serde_json::Value;

use super::{NewSecret, Page, SecretChange};
use crate::StoreError;

/// A row with what fences its next write.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResource {
    /// The row.
    pub row: Resource,
    /// Counts every write of the row.
    pub revision: u64,
}

/// A new resource with the reads that it depends on.
#[derive(Debug, Clone)]
pub struct CreateChange {
    /// The row.
    pub row: Resource,
    /// Events for the outbox, with their ids.
    pub events: Vec<(EventId, EventDraft)>,
    /// The tenant's quota of the kind: live rows, this one included, may not exceed it.
    pub quota: u32,
    /// What the tenant may book of a capacity on the pool without a quota of its own. What the row holds
    /// beyond either is [`CreateOutcome::CapacityExceeded`].
    pub default_capacity: u64,
    /// The kinds that the parent must be one of; empty for a kind without a parent. A row without a parent
    /// where there are some, or with one where there are none, is [`CreateOutcome::NoParent`].
    pub parent_kinds: Vec<KindId>,
    /// Audit rows.
    pub audit: Vec<AuditRow>,
}

/// What became of a create. Checked in this order; all but `Created` store nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum CreateOutcome {
    /// The id exists: a retry, or a key used twice. The row as it is.
    Exists(Box<StoredResource>),
    /// The parent is missing, another tenant's, of the wrong kind, or on another account.
    NoParent,
    /// The parent is going: its last state once it has ended, `deleting` before.
    ParentGoing(State),
    /// A live resource of the parent has the identity.
    IdentityTaken(ResourceId),
    /// A live resource has the object.
    ObjectTaken(ResourceId),
    /// A live resource of the tenant and kind has the name.
    NameTaken(ResourceId),
    /// The quota is used up.
    QuotaExceeded {
        /// The cap.
        limit: u32,
    },
    /// A quota of capacity is used up.
    CapacityExceeded(CapacityShortage),
    /// Stored.
    Created(Box<StoredResource>),
}

/// A capacity of which a tenant has not enough left on a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CapacityShortage {
    /// Which.
    pub capacity: String,
    /// What it may book.
    pub limit: u64,
    /// What its other live resources hold.
    pub booked: u64,
    /// What this one would hold.
    pub wanted: u64,
}

/// A write of an existing row, by a tenant. Its events happen at the row's `updated_at`. What never changes
/// in a resource's life (id, tenant, project, pool, account, provider, kind, family, name, parent,
/// identity, provider name, owner, input digest, whether it was adopted, creation) is not written.
///
/// A write under a lease in force makes the row due again once that run has ended: the run began before
/// the wish.
#[derive(Debug, Clone)]
pub struct UpdateChange {
    /// The row as it shall be.
    pub row: Resource,
    /// The revision that it was made from.
    pub revision: u64,
    /// What the row holds more than before is booked, against the tenant's quotas on the pool; without one
    /// of its own a tenant may book so much. `None`: the row holds no more than before.
    pub books: Option<u64>,
    /// Spans of its meters that began or ended.
    pub spans: Vec<MeterSpan>,
    /// Events.
    pub events: Vec<(EventId, EventDraft)>,
    /// Audit rows.
    pub audit: Vec<AuditRow>,
}

/// What became of a write.
#[derive(Debug, Clone, PartialEq)]
pub enum UpdateOutcome {
    /// Stored; the new revision.
    Stored(u64),
    /// Somebody wrote first: the row as it is now. Decide again.
    Changed(Box<StoredResource>),
    /// A quota of capacity is used up: nothing was stored.
    CapacityExceeded(CapacityShortage),
}

/// A write of a row by a run of the reconciler. Its events happen at `now`, its children's at their
/// `updated_at`.
#[derive(Debug, Clone)]
pub struct RunChange {
    /// The row as it shall be.
    pub row: Resource,
    /// The revision that it was made from.
    pub revision: u64,
    /// The lease under which it is written.
    pub epoch: u64,
    /// Keep the lease (the run goes on), or give it up.
    pub keep_lease: bool,
    /// Events.
    pub events: Vec<(EventId, EventDraft)>,
    /// Spans of its meters that began or ended.
    pub spans: Vec<MeterSpan>,
    /// Secret outputs, sealed. If one can't be stored as it was sealed, nothing is stored and the answer is
    /// [`Committed::Unsealed`].
    pub secrets: Vec<NewSecret>,
    /// Destroy all secrets that are outputs of the row.
    pub destroy_secrets: bool,
    /// Children to mark for deletion at the same time: their rows as they shall be, with the
    /// revisions that they were made from and their events. One that changed meanwhile is left alone.
    pub children: Vec<UpdateChange>,
    /// Live children to look at at once. To wake a row is no write: its revision stays, so nobody's write
    /// fails; until it is claimed, no write moves its next run later.
    pub wake_children: bool,
    /// The parent to look at at once.
    pub wake_parent: bool,
    /// When `wake_*` are due.
    pub now: Millis,
    /// Audit rows.
    pub audit: Vec<AuditRow>,
}

/// What became of a run's write.
#[derive(Debug, Clone, PartialEq)]
pub enum Committed {
    /// Stored; the new revision.
    Stored(u64),
    /// A tenant's write came first: the row as it is now. Absorb again and retry.
    Changed(Box<StoredResource>),
    /// A secret can't be stored as it was sealed; see [`SecretChange`]. Seal again and retry.
    Unsealed(SecretChange),
    /// The lease is another's: the run must end without another write or call.
    LeaseLost,
}

/// Work to ask for.
#[derive(Debug, Clone)]
pub struct ClaimRequest {
    /// Who asks.
    pub host: String,
    /// Now.
    pub now: Millis,
    /// How long the lease holds.
    pub lease: Span,
    /// At most so many.
    pub limit: u32,
    /// At most so many a provider account, counting those under lease already.
    pub per_account: u32,
}

/// Work that was claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The row.
    pub stored: StoredResource,
    /// The epoch of the lease: rises with every claim, and fences every write.
    pub epoch: u64,
}

/// What narrows a list of resources.
#[derive(Debug, Clone, Default)]
pub struct ListFilter {
    /// Of this pool.
    pub pool: Option<PoolId>,
    /// Of this project.
    pub project: Option<ProjectId>,
    /// Of this kind.
    pub kind: Option<KindId>,
    /// Of this family.
    pub family: Option<Family>,
    /// Deleted and released ones too.
    pub include_ended: bool,
}

/// Where a list of resources goes on: `"<createdAt>:<id>"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListCursor {
    /// When the last resource of the page before was recorded.
    pub created_at: Millis,
    /// Its id.
    pub id: ResourceId,
}

/// Why a text is no cursor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of this list: pass the one that came with the page before")]
pub struct ListCursorError;

impl ListCursor {
    /// The cursor behind a resource.
    #[must_use]
    pub fn after(row: &Resource) -> Self {
        Self {
            created_at: row.created_at,
            id: row.id.clone(),
        }
    }
}

impl fmt::Display for ListCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.created_at.0, self.id)
    }
}

impl FromStr for ListCursor {
    type Err = ListCursorError;
    fn from_str(text: &str) -> Result<Self, ListCursorError> {
        let (at, id) = text.split_once(':').ok_or(ListCursorError)?;
        Ok(Self {
            created_at: Millis(at.parse().map_err(|_| ListCursorError)?),
            id: id.parse().map_err(|_| ListCursorError)?,
        })
    }
}

/// Resources.
#[async_trait]
pub trait Resources: Send + Sync {
    /// Stores a new resource, or says what stands against it.
    async fn create_resource(&self, change: CreateChange) -> Result<CreateOutcome, StoreError>;
    /// One resource, whosever.
    async fn resource(&self, id: &ResourceId) -> Result<Option<StoredResource>, StoreError>;
    /// A tenant's resources, oldest first, after a [`ListCursor`]. A text that is none is
    /// [`StoreError::Failed`]: parse what comes from outside.
    async fn resources(
        &self,
        tenant: &TenantId,
        filter: &ListFilter,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Resource>, StoreError>;
    /// Live resources living in one.
    async fn children(&self, parent: &ResourceId) -> Result<Vec<StoredResource>, StoreError>;
    /// How many live resources live in one.
    async fn count_children(&self, parent: &ResourceId) -> Result<u32, StoreError>;
    /// Live resources of a tenant by kind.
    async fn count_by_kind(&self, tenant: &TenantId) -> Result<Vec<(KindId, u32)>, StoreError>;
    /// Live resources of a provider by kind, all tenants: what a new plugin generation may not drop.
    async fn count_live_by_provider(
        &self,
        provider: &str,
    ) -> Result<Vec<(KindId, u32)>, StoreError>;
    /// Writes an existing row and others with it (a delete marks the children too); stores all or
    /// nothing. On `Changed` the first changed row is returned.
    async fn update_resources(
        &self,
        changes: Vec<UpdateChange>,
    ) -> Result<UpdateOutcome, StoreError>;
    /// Writes a row that has ended by a command, as [`Resources::update_resources`] does, and with it destroys
    /// all secrets that are its outputs and has its parent looked at at once.
    async fn end_resource(&self, change: UpdateChange) -> Result<UpdateOutcome, StoreError>;
    /// Claims due work: rows with `next_run_at <= now` and no lease in force. Accounts take turns, in an
    /// account its tenants do, and of a tenant the oldest due comes first; a refresh of a row that rests
    /// yields to what somebody waits for, for a minute.
    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Claim>, StoreError>;
    /// Extends leases in force; returns the ids whose lease was lost.
    async fn renew(
        &self,
        host: &str,
        leases: &[(ResourceId, u64)],
        until: Millis,
    ) -> Result<Vec<ResourceId>, StoreError>;
    /// Gives up a lease without a write.
    async fn give_up(&self, id: &ResourceId, epoch: u64) -> Result<(), StoreError>;
    /// Stores what a run learnt, fenced by lease and revision. A lease that ran out still stores, as long
    /// as nobody took it over. A provider id that another live row has is [`StoreError::Failed`]: ask
    /// [`provider_id_taken`](Self::provider_id_taken) first.
    async fn commit_run(&self, change: RunChange) -> Result<Committed, StoreError>;
    /// When the next row is due, for the reconciler's sleep. A row under lease is due when that ends. A row
    /// that waits only for its account's cap counts as due.
    async fn next_due(&self) -> Result<Option<Millis>, StoreError>;
    /// Live rows by (account, kind) that are due within a time, for refreshing by one list; those under
    /// lease are left out.
    async fn due_for_refresh(
        &self,
        account: &AccountId,
        kind: &KindId,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<ResourceId>, StoreError>;
    /// A (provider id) of an account, kind and parent that a live row other than `except` has.
    async fn provider_id_taken(
        &self,
        row: &Resource,
        provider_id: &str,
    ) -> Result<Option<ResourceId>, StoreError>;
    /// The live rows, all tenants', that record objects of an account with these provider ids. What lives
    /// in a parent may share its id with another parent's: then there are several of a kind and id.
    async fn recorded_objects(
        &self,
        account: &AccountId,
        provider_ids: &[String],
    ) -> Result<Vec<RecordedObject>, StoreError>;
}

/// That a live row records an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedObject {
    /// The row.
    pub resource: ResourceId,
    /// Whose it is.
    pub tenant: TenantId,
    /// The object's kind.
    pub kind: KindId,
    /// Its id at the provider.
    pub provider_id: String,
}

/// An event as it is read.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedEvent {
    /// Its id.
    pub id: EventId,
    /// Its place in the outbox: rises without end.
    pub sequence: u64,
    /// Whose.
    pub tenant: TenantId,
    /// `cloud.resource.…`.
    pub event: String,
    /// About which resource.
    pub resource: ResourceId,
    /// What it says.
    pub payload: Value,
    /// When.
    pub at: Millis,
}

/// What narrows a list of events.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// About this resource.
    pub resource: Option<ResourceId>,
    /// After this place.
    pub after: u64,
}

/// The outbox.
#[async_trait]
pub trait Events: Send + Sync {
    /// A tenant's events in order.
    async fn events(
        &self,
        tenant: &TenantId,
        filter: &EventFilter,
        limit: u32,
    ) -> Result<Vec<PublishedEvent>, StoreError>;
}
