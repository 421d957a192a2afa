//! `instances/put`: records an instance, or what is new about it.

use berth_domain::id::{AccountId, InstanceId, TenantId};
use berth_domain::input::Title;
use berth_domain::linked::{LinkedId, Sort};
use serde::Deserialize;

use super::{InstanceView, ObjectId, Region};
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

/// The instance, which lives.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`, `INVALID_INPUT`; `CONFLICT` where the object or the id is another's.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<InstanceView, ServiceError> {
    let set = ToldSet {
        tenant: input.tenant_id,
        account: input.account_id,
        sort: Sort::Instance,
        items: vec![Told {
            id: input.instance_id.map(LinkedId::Instance),
            title: input.title,
            objects: [(input.region, input.provider_id)].into(),
        }],
        whole: false,
    };
    let recorded = register(service, caller, set).await?.rows.pop();
    recorded
        .map(Into::into)
        .ok_or_else(|| ServiceError::internal("what was recorded has a row"))
}
