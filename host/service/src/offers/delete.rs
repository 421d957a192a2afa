//! `offers/delete`: withdraws an offer. What the tenant created in the pool stays and goes on.

use berth_domain::id::{OfferId, TenantId};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::{Caller, Code, Service, ServiceError};

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Which one.
    pub offer_id: OfferId,
}

/// An offer that was withdrawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Withdrawn {
    /// Its id.
    pub id: OfferId,
    /// Always.
    pub deleted: bool,
}

/// Says that it is withdrawn.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Withdrawn, ServiceError> {
    let root = TenantId::root();
    let target = Target::tenant(&root);
    let attempt = Attempt::new(caller, &root, Action::OffersWrite, &target);
    let result = async {
        service
            .decide_as_operator(caller, Action::OffersWrite, &target)
            .await?;
        let audit = attempt.done(service.now(), json!({"withdrawn": input.offer_id}));
        if service.store().delete_offer(&input.offer_id, audit).await? {
            return Ok(Withdrawn {
                id: input.offer_id.clone(),
                deleted: true,
            });
        }
        Err(ServiceError::new(
            Code::NotFound,
            format!(
                "there is no offer `{}`; `offers/list` lists those there are",
                input.offer_id
            ),
        ))
    };
    attempt.settle(service, result.await).await
}
