//! `networks/put`: records a network, or what is new about it.

use std::collections::BTreeMap;

use berth_domain::id::{AccountId, NetworkId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::{LinkedId, Sort};
use serde::Deserialize;

use super::{NetworkView, ObjectId, Region};
use crate::given::given;
use crate::linked::{Told, ToldSet, register};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose it is.
    pub tenant_id: TenantId,
    /// The account that it is on: the platform's, or one of the tenant's own.
    pub account_id: AccountId,
    /// Its id, where it has one already; without, the network of the same object, or a new one.
    #[serde(default, deserialize_with = "given")]
    pub network_id: Option<NetworkId>,
    /// For people.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// Its VPC in each of its regions: the provider's ids, by region.
    pub vpcs: BTreeMap<Region, ObjectId>,
}

/// The network, which lives.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`, `INVALID_INPUT`; `CONFLICT` where the object or the id is another's.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<NetworkView, ServiceError> {
    let set = ToldSet {
        tenant: input.tenant_id,
        account: input.account_id,
        sort: Sort::Network,
        items: vec![Told {
            id: input.network_id.map(LinkedId::Network),
            title: input.title,
            objects: input.vpcs,
        }],
        whole: false,
    };
    let recorded = register(service, caller, set).await?.rows.pop();
    recorded
        .map(Into::into)
        .ok_or_else(|| ServiceError::internal("what was recorded has a row"))
}
