//! One resource of a tenant, found and decided. Missing and foreign ids answer alike.

use berth_domain::id::{ResourceId, TenantId};
use berth_store::StoredResource;

use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// The resource, if the caller may do this to it.
///
/// # Errors
/// `ACCESS_DENIED` where the decision refuses, and `NOT_FOUND` where it would allow but the tenant
/// has no such resource: another tenant's id reads like one that never was.
pub(crate) async fn find(
    service: &Service,
    caller: &Caller,
    action: Action,
    tenant: &TenantId,
    id: &ResourceId,
) -> Result<StoredResource, ServiceError> {
    let stored = service
        .store()
        .resource(id)
        .await?
        .filter(|stored| stored.row.tenant == *tenant);
    match stored {
        Some(stored) => {
            service
                .decide(caller, action, &Target::recorded(&stored.row))
                .await?;
            Ok(stored)
        }
        None => {
            service
                .decide(caller, action, &Target::unknown(tenant, id))
                .await?;
            Err(ServiceError::new(
                Code::NotFound,
                format!(
                    "tenant `{tenant}` has no resource `{id}`; `cloudResources/list` lists those it has"
                ),
            ))
        }
    }
}
