//! `principals/revokeToken`: from this answer on the token is refused.

use berth_domain::id::{TenantId, TokenId};
use berth_domain::time::Millis;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Which one.
    pub token_id: TokenId,
}

/// A token that was revoked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Revoked {
    /// Its id.
    pub id: TokenId,
    /// Since when it is refused, at the latest, in epoch ms.
    pub revoked_at: Millis,
}

/// Says that it is revoked.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Revoked, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsWrite, &target);
    let result = async {
        service
            .decide(caller, Action::PrincipalsWrite, &target)
            .await?;
        let now = service.now();
        let audit = attempt.done(now, json!({"revoked": input.token_id}));
        if service
            .store()
            .revoke_token(&input.tenant_id, &input.token_id, now, audit)
            .await?
        {
            return Ok(Revoked {
                id: input.token_id.clone(),
                revoked_at: now,
            });
        }
        Err(ServiceError::new(
            Code::NotFound,
            format!(
                "tenant `{}` has no token `{}`; `principals/listTokens` lists those it has",
                input.tenant_id, input.token_id
            ),
        ))
    };
    attempt.settle(service, result.await).await
}
