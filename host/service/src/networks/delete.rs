//! `networks/delete`: records that a network is gone. Nothing is deleted anywhere: what names it is neither created nor changed until it is recorded again.

use berth_domain::id::{NetworkId, TenantId};
use berth_domain::linked::LinkedId;
use serde::Deserialize;

use super::NetworkView;
use crate::{Caller, Service, ServiceError, linked};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose it is.
    pub tenant_id: TenantId,
    /// Which one.
    pub network_id: NetworkId,
}

/// The network, gone; one that is gone already, unchanged.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<NetworkView, ServiceError> {
    let id = LinkedId::Network(input.network_id);
    let ended = linked::end(service, caller, &input.tenant_id, id).await?;
    Ok(ended.into())
}
