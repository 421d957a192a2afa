//! `budgets/delete`: nothing is held to it any more.

use berth_domain::id::{BudgetId, TenantId};
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
    pub budget_id: BudgetId,
}

/// A budget that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Deleted {
    /// Its id.
    pub id: BudgetId,
    /// Always.
    pub deleted: bool,
}

/// Says that it is gone.
///
/// # Errors
/// `ACCESS_DENIED`, `NOT_FOUND`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Deleted, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::BudgetsWrite, &target);
    let result = async {
        service
            .decide(caller, Action::BudgetsWrite, &target)
            .await?;
        let audit = attempt.done(service.now(), json!({"deleted": input.budget_id}));
        let store = service.store();
        if store
            .delete_budget(&input.tenant_id, &input.budget_id, audit)
            .await?
        {
            return Ok(Deleted {
                id: input.budget_id.clone(),
                deleted: true,
            });
        }
        Err(ServiceError::new(
            Code::NotFound,
            format!(
                "tenant `{}` has no budget `{}`; `budgets/list` lists those it has",
                input.tenant_id, input.budget_id
            ),
        ))
    };
    attempt.settle(service, result.await).await
}
