//! `instances/get`: one instance, whether it lives or is gone.

use berth_domain::id::{InstanceId, TenantId};
use berth_domain::linked::LinkedId;
use serde::Deserialize;

use super::InstanceView;
use crate::{Caller, Service, ServiceError, linked};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose it is.
    pub tenant_id: TenantId,
    /// Which one.
    pub instance_id: InstanceId,
}

/// The instance.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<InstanceView, ServiceError> {
    let id = LinkedId::Instance(input.instance_id);
    let found = linked::get(service, caller, &input.tenant_id, id).await?;
    Ok(found.into())
}
