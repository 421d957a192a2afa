//! `budgets/put`: sets what may be spent a month.

use berth_domain::id::{BudgetId, ProjectId, TenantId};
use berth_domain::input::Currency;
use berth_domain::money::{Budget, MICROS_MAX};
use serde::Deserialize;
use serde_json::json;

use super::BudgetView;
use super::spent::{month_until, spent};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Code, Service, ServiceError};

/// Most budgets of a tenant, those of its projects included.
pub(super) const BUDGETS_MAX: u32 = 500;

/// What is asked for.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Input {
    /// Whose.
    pub tenant_id: TenantId,
    /// Of this project alone; of the whole tenant if left out.
    #[serde(default, deserialize_with = "given")]
    pub project_id: Option<ProjectId>,
    /// In which currency: usage that is priced in another does not count.
    pub currency: Currency,
    /// A calendar month of UTC: millionths of the currency's unit.
    pub micros: u64,
}

/// The budget, with what is spent of it.
///
/// # Errors
/// `ACCESS_DENIED`, `INVALID_INPUT`; `NOT_FOUND` for a tenant that is not there; `QUOTA_EXCEEDED` where it has
/// too many.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<BudgetView, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::BudgetsWrite, &target);
    let result = put(service, &attempt, &target, input).await;
    attempt.settle(service, result).await
}

async fn put(
    service: &Service,
    attempt: &Attempt<'_>,
    target: &Target,
    input: Input,
) -> Result<BudgetView, ServiceError> {
    service
        .decide(attempt.caller, Action::BudgetsWrite, target)
        .await?;
    if input.micros > MICROS_MAX {
        return Err(ServiceError::invalid(
            "/micros",
            format!("at most {MICROS_MAX} is taken"),
        ));
    }
    service.must_have_tenant(&input.tenant_id).await?;
    let store = service.store();
    if let Some(project) = &input.project_id
        && store.project(&input.tenant_id, project).await?.is_none()
    {
        return Err(ServiceError::invalid(
            "/projectId",
            "the tenant has no such project; `projects/list` lists those it has",
        ));
    }
    let has = store
        .budgets(&input.tenant_id, None, BUDGETS_MAX)
        .await?
        .items;
    let is_new = !has
        .iter()
        .any(|budget| budget.project_id == input.project_id && budget.currency == input.currency);
    if is_new && has.len() >= BUDGETS_MAX as usize {
        return Err(ServiceError::new(
            Code::QuotaExceeded,
            format!("the tenant has {BUDGETS_MAX} budgets, and no more are taken; `budgets/delete` makes room"),
        )
        .reason("budgets")
        .with("limit", BUDGETS_MAX));
    }
    let now = service.now();
    let budget = Budget {
        id: BudgetId::generate(now, service.entropy().id_seed()),
        tenant_id: input.tenant_id,
        project_id: input.project_id,
        currency: input.currency,
        micros: input.micros,
        created_at: now,
        updated_at: now,
    };
    let detail = json!({"projectId": budget.project_id, "currency": budget.currency, "micros": budget.micros});
    let budget = store.put_budget(&budget, attempt.done(now, detail)).await?;
    let month = month_until(now);
    let cost = spent(service, &budget, month).await?;
    Ok(BudgetView::of(budget, month, cost))
}
