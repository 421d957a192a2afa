//! A resource as its tenant sees it.

use std::collections::BTreeMap;

use berth_domain::id::{PoolId, PrincipalId, ProjectId, ResourceId, TenantId};
use berth_domain::input::{Description, KindId, ResourceName};
use berth_domain::manifest::Family;
use berth_domain::resource::{Desired, Message, Resource, State};
use berth_domain::secret::SecretRef;
use berth_domain::spec::Spec;
use berth_domain::time::Millis;
use serde::Serialize;

/// A resource. What it does not have is left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceView {
    /// Its id.
    pub id: ResourceId,
    /// Whose it is.
    pub tenant_id: TenantId,
    /// Its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The pool that it belongs to.
    pub pool_id: PoolId,
    /// Its provider's short name.
    pub provider: String,
    /// Its kind.
    pub kind: KindId,
    /// Its kind's family.
    pub family: Family,
    /// The tenant's name for it.
    pub name: ResourceName,
    /// The tenant's words about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Description>,
    /// The resource that it lives in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<ResourceId>,
    /// The caller that created it; nobody owns it once it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_id: Option<PrincipalId>,
    /// Where it is.
    pub state: State,
    /// It is being let go.
    pub releasing: bool,
    /// Why it is there, if there is something to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// Counts updates, from 1.
    pub version: u64,
    /// What the tenant wrote; secrets in it are SecretRefs.
    pub spec: Spec,
    /// Its region, of a regional kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The provider's id of it, once the provider accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<String>,
    /// Plain outputs.
    pub outputs: Spec,
    /// References to sealed outputs, never a value.
    pub secret_outputs: BTreeMap<String, SecretRef>,
    /// It existed before it was recorded here.
    pub adopted: bool,
    /// What the provider reports otherwise than the spec says, by top-level field.
    #[serde(skip_serializing_if = "Spec::is_empty")]
    pub drift: Spec,
    /// When it was recorded, in epoch ms.
    pub created_at: Millis,
    /// When a tenant last changed it, in epoch ms.
    pub updated_at: Millis,
    /// When it was ready for the first time, in epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready_at: Option<Millis>,
    /// When it was deleted, in epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Millis>,
    /// When it was released, in epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub released_at: Option<Millis>,
}

impl From<Resource> for ResourceView {
    fn from(row: Resource) -> Self {
        let live = row.is_live();
        let ended = |state: State| (row.state == state).then_some(row.ended_at).flatten();
        Self {
            deleted_at: ended(State::Deleted),
            released_at: ended(State::Released),
            id: row.id,
            tenant_id: row.tenant,
            project_id: row.project,
            pool_id: row.pool,
            provider: row.provider,
            kind: row.kind,
            family: row.family,
            name: row.name,
            description: row.description,
            parent_id: row.parent,
            owner_id: live.then_some(row.owner),
            state: row.state,
            releasing: live && row.desired == Desired::Released,
            message: row.message,
            version: row.version,
            spec: row.spec,
            region: row.region,
            provider_id: row.provider_id,
            outputs: row.outputs,
            secret_outputs: row.secret_outputs,
            adopted: row.adoption.is_some(),
            drift: row.drift,
            created_at: row.created_at,
            updated_at: row.updated_at,
            ready_at: row.ready_at,
        }
    }
}
