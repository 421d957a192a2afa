//! `networks/sync`: records all networks of a tenant on an account. Those that are missing are gone.

use std::collections::BTreeMap;

use berth_domain::id::{AccountId, NetworkId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::{LinkedId, Sort};
use serde::{Deserialize, Serialize};

use super::{NetworkView, ObjectId, Region};
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
    pub networks: Vec<Item>,
}

/// One of them.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    /// Its id, where it has one already; without, the network of the same object, or a new one.
    #[serde(default, deserialize_with = "given")]
    pub network_id: Option<NetworkId>,
    /// For people.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// Its VPC in each of its regions: the provider's ids, by region.
    pub vpcs: BTreeMap<Region, ObjectId>,
}

/// The networks as they are now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Synced {
    /// Those that live, in the order in which they were told.
    pub items: Vec<NetworkView>,
    /// Those that are gone with this call.
    pub gone: Vec<NetworkView>,
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
    let items = input.networks.into_iter().map(|item| Told {
        id: item.network_id.map(LinkedId::Network),
        title: item.title,
        objects: item.vpcs,
    });
    let set = ToldSet {
        tenant: input.tenant_id,
        account: input.account_id,
        sort: Sort::Network,
        items: items.collect(),
        whole: true,
    };
    let plan = register(service, caller, set).await?;
    Ok(Synced {
        items: plan.rows.into_iter().map(Into::into).collect(),
        gone: plan.gone.into_iter().map(Into::into).collect(),
    })
}
