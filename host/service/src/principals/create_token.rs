//! `principals/createToken`: a new bearer token. Its text is in this answer and nowhere else.

use berth_domain::id::{PrincipalId, TenantId, TokenId};
use berth_domain::input::Title;
use berth_domain::platform::Token;
use berth_domain::time::Millis;
use berth_store::Created;
use berth_vault::TokenText;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{TokenView, existing, target};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// For whom it stands.
    pub principal_id: PrincipalId,
    /// For people; without it the principal's title.
    #[serde(default, deserialize_with = "given")]
    pub title: Option<Title>,
    /// After it the token is refused, in epoch ms; absent: never.
    #[serde(default, deserialize_with = "given")]
    pub expires_at: Option<Millis>,
}

/// A new token. The only answer of the API that holds a token's text.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewToken {
    /// The text to send as `Authorization: Bearer …`. Keep it: it is not shown again.
    pub token: String,
    /// Its record.
    #[serde(flatten)]
    pub record: TokenView,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

/// The token.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`; `INVALID_INPUT` for an expiry that is over.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<NewToken, ServiceError> {
    let target = target(&input.tenant_id, &input.principal_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsWrite, &target);
    let result = create(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn create(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<NewToken, ServiceError> {
    service
        .decide(attempt.caller, Action::PrincipalsWrite, target)
        .await?;
    let principal = existing(service, &input.tenant_id, &input.principal_id).await?;
    let now = service.now();
    if input.expires_at.is_some_and(|at| at <= now) {
        return Err(ServiceError::invalid(
            "/expiresAt",
            "lies in the past; expected a later time in epoch ms, or none",
        ));
    }
    let (text, hash) = TokenText::generate(&mut |bytes| service.entropy().fill(bytes));
    let token = Token {
        id: TokenId::generate(now, service.entropy().id_seed()),
        principal_id: principal.id,
        tenant_id: principal.tenant_id,
        title: input.title.unwrap_or(principal.title),
        expires_at: input.expires_at,
        revoked_at: None,
        created_at: now,
    };
    let audit = attempt.done(now, json!({"tokenId": token.id}));
    match service
        .store()
        .create_token(&token, hash.as_str(), audit)
        .await?
    {
        Created::New => Ok(NewToken {
            token: text.expose().to_owned(),
            record: token.into(),
        }),
        Created::Taken => Err(ServiceError::internal(format!(
            "the fresh token {} is taken",
            token.id
        ))),
    }
}
