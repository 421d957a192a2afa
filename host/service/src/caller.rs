//! Who calls, and in which request.

use std::net::IpAddr;

use berth_domain::id::RequestId;
use berth_domain::platform::{Principal, Token};

/// An authenticated caller.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The principal.
    pub principal: Principal,
    /// The token that it came with.
    pub token: Token,
    /// This request.
    pub request: RequestId,
    /// Where it came from, as far as the host can tell.
    pub source_ip: Option<IpAddr>,
}

impl Caller {
    /// An operator: a principal of the root tenant. What operators may do is decided by their
    /// policies, like everyone's; being of the root tenant only opens the operators' modules.
    #[must_use]
    pub fn is_operator(&self) -> bool {
        self.principal.tenant_id.is_root()
    }
}
