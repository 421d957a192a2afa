//! `principals/listTokens`: records of tokens, never their texts.

use berth_domain::id::TenantId;
use serde::Deserialize;

use super::TokenView;
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::list::ITEMS_MAX;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Goes on after an earlier answer.
    #[serde(default, deserialize_with = "given")]
    pub cursor: Option<Cursor>,
}

/// The tokens of all principals of the tenant, expired and revoked ones too.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<TokenView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::PrincipalsRead, &target);
    let result = async {
        service
            .decide(caller, Action::PrincipalsRead, &target)
            .await?;
        let after = input.cursor.as_ref().map(Cursor::as_str);
        let page = service
            .store()
            .tokens(&input.tenant_id, after, ITEMS_MAX)
            .await?;
        Ok(Items::of(page, TokenView::from))
    };
    attempt.settle(service, result.await).await
}
