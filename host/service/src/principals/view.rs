//! A token as it may be shown: never its text.

use berth_domain::id::{PrincipalId, TenantId, TokenId};
use berth_domain::input::Title;
use berth_domain::platform::Token;
use berth_domain::time::Millis;
use serde::Serialize;

/// A token's record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    /// Its id.
    pub id: TokenId,
    /// Whom it stands for.
    pub principal_id: PrincipalId,
    /// Whose.
    pub tenant_id: TenantId,
    /// For people.
    pub title: Title,
    /// After it the token is refused, in epoch ms; absent: never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Millis>,
    /// Since when it is refused, in epoch ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Millis>,
    /// When it was recorded, in epoch ms.
    pub created_at: Millis,
}

impl From<Token> for TokenView {
    fn from(token: Token) -> Self {
        Self {
            id: token.id,
            principal_id: token.principal_id,
            tenant_id: token.tenant_id,
            title: token.title,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
            created_at: token.created_at,
        }
    }
}
