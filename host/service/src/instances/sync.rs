//! `instances/sync`: records all instances of a tenant on an account. Those that are missing are gone.

use berth_domain::id::{AccountId, InstanceId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::{LinkedId, Sort};
use serde::{Deserialize, Serialize};

use super::{InstanceView, ObjectId, Region};
use crate::given::given;
use crate::linked::{Told, ToldSet, register};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose they are.
    pub tenant_id: TenantId,
    /// The account that they are on: the platform's, or one of the tenant's own.
    pub account_id: AccountId,
    /// All of them.
    pub instances: Vec<Item>,
}

/// One of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Its id, where it has one already; without, the instance of the same object, or a new one.
    #[serde(default, deserialize_with = "given")]
    pub instance_id: Option<InstanceId>,
    /// For people.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// The id of the object at the provider.
    pub provider_id: ObjectId,
    /// Its region.
    pub region: Region,
}

/// The instances as they are now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Synced {
    /// Those that live, in the order in which they were told.
    pub items: Vec<InstanceView>,
    /// Those that are gone with this call.
    pub gone: Vec<InstanceView>,
}

/// What lives, and what is gone.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`, `INVALID_INPUT`; `CONFLICT` where an object or an id is another's.
/// Nothing is recorded then.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Synced, ServiceError> {
    let items = input.instances.into_iter().map(|item| Told {
        id: item.instance_id.map(LinkedId::Instance),
        title: item.title,
        objects: [(item.region, item.provider_id)].into(),
    });
    let set = ToldSet {
        tenant: input.tenant_id,
        account: input.account_id,
        sort: Sort::Instance,
        items: items.collect(),
        whole: true,
    };
    let plan = register(service, caller, set).await?;
    Ok(Synced {
        items: plan.rows.into_iter().map(Into::into).collect(),
        gone: plan.gone.into_iter().map(Into::into).collect(),
    })
}
