//! `instances/list`: a tenant's instances.

use berth_domain::id::{AccountId, TenantId};
use berth_domain::linked::Sort;
use berth_store::LinkedFilter;
use serde::Deserialize;

use super::InstanceView;
use crate::given::given;
use crate::{Caller, Cursor, Items, Service, ServiceError, linked};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose they are.
    pub tenant_id: TenantId,
    /// On this account.
    #[serde(default, deserialize_with = "given")]
    pub account_id: Option<AccountId>,
    /// Those that are gone too.
    #[serde(default)]
    pub include_gone: bool,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// Those that live, or all, at most 500.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<InstanceView>, ServiceError> {
    let filter = LinkedFilter {
        sort: Sort::Instance,
        account: input.account_id,
        include_gone: input.include_gone,
    };
    let (tenant, cursor) = (&input.tenant_id, input.cursor.as_ref());
    linked::list(service, caller, tenant, filter, cursor, Into::into).await
}
