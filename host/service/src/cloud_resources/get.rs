//! `cloudResources/get`: one resource.

use berth_domain::id::{ResourceId, TenantId};
use serde::Deserialize;

use super::ResourceView;
use super::find::find;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose resource.
    pub tenant_id: TenantId,
    /// Which one.
    pub resource_id: ResourceId,
}

/// The resource with its spec, outputs and state.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<ResourceView, ServiceError> {
    let action = Action::CloudResourcesRead;
    let target = Target::unknown(&input.tenant_id, &input.resource_id);
    let attempt = Attempt::new(caller, &input.tenant_id, action, &target);
    let found = find(
        service,
        caller,
        action,
        &input.tenant_id,
        &input.resource_id,
    )
    .await;
    Ok(attempt.settle(service, found).await?.row.into())
}
