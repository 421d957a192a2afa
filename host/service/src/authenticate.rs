//! From a bearer token to a caller.

use std::net::IpAddr;

use berth_domain::id::RequestId;
use berth_vault::TokenHash;

use crate::{Caller, Code, Service, ServiceError};

impl Service {
    /// The caller behind a token.
    ///
    /// The token is looked up by its SHA-256: how long that takes tells nothing about other tokens.
    ///
    /// # Errors
    /// `UNAUTHENTICATED`: malformed, unknown, expired or revoked, each with what to do next.
    pub async fn authenticate(
        &self,
        bearer: &str,
        request: RequestId,
        source_ip: Option<IpAddr>,
    ) -> Result<Caller, ServiceError> {
        let refuse = |reason: &str, text: String| {
            ServiceError::new(Code::Unauthenticated, text).reason(reason)
        };
        let hash = TokenHash::of(bearer).map_err(|error| refuse("malformed", error.to_string()))?;
        let Some((token, principal)) = self.store().token_by_hash(hash.as_str()).await? else {
            return Err(refuse(
                "unknown",
                "the token is not known here; check that it is of this deployment, or ask an administrator of your tenant for a new one".into(),
            ));
        };
        if token.revoked_at.is_some() {
            return Err(refuse(
                "revoked",
                format!(
                    "the token `{}` was revoked; ask an administrator of your tenant for a new one",
                    token.id
                ),
            ));
        }
        if token.expires_at.is_some_and(|at| at <= self.now()) {
            return Err(refuse(
                "expired",
                format!(
                    "the token `{}` has expired; ask an administrator of your tenant for a new one",
                    token.id
                ),
            ));
        }
        Ok(Caller {
            principal,
            token,
            request,
            source_ip,
        })
    }

    /// An id for a request that just came in.
    #[must_use]
    pub fn new_request_id(&self) -> RequestId {
        RequestId::generate(self.now(), self.entropy().id_seed())
    }
}
