//! `tenants`: who the platform serves. Operators make and change them; each may see its own.

pub mod create;
pub mod get;
pub mod list;
pub mod update;

use berth_domain::id::TenantId;

use crate::{Code, Service, ServiceError};

/// Most quotas that differ from the host's, of one tenant.
const QUOTAS_MAX: usize = 1_000;

fn check_quotas(quotas: usize) -> Result<(), ServiceError> {
    if quotas <= QUOTAS_MAX {
        return Ok(());
    }
    Err(ServiceError::invalid(
        "/quotas",
        format!("{quotas} kinds; at most {QUOTAS_MAX} are taken"),
    ))
}

fn missing(id: &TenantId) -> ServiceError {
    ServiceError::new(
        Code::NotFound,
        format!("there is no tenant `{id}`; `tenants/list` lists those there are"),
    )
}

impl Service {
    /// # Errors
    /// `NOT_FOUND` where there is no such tenant.
    pub(crate) async fn must_have_tenant(&self, id: &TenantId) -> Result<(), ServiceError> {
        match self.store().tenant(id).await? {
            Some(_) => Ok(()),
            None => Err(missing(id)),
        }
    }
}
