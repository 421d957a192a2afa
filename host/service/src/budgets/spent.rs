//! What is spent of budgets: usage of the current month so far, at its prices.

use std::collections::BTreeMap;

use berth_domain::calendar::month_of;
use berth_domain::id::{ProjectId, TenantId};
use berth_domain::metering::Window;
use berth_domain::money::{Budget, Cost, cost, parts};
use berth_domain::platform::BillingMode;
use berth_domain::time::Millis;

use super::put::BUDGETS_MAX;
use crate::prices::put::PRICES_MAX;
use crate::{Code, Service, ServiceError};

/// The current month so far.
pub(super) fn month_until(now: Millis) -> Window {
    Window {
        to: now,
        ..month_of(now)
    }
}

/// What a budget's tenant or project spent in a part of a month.
pub(super) async fn spent(
    service: &Service,
    budget: &Budget,
    month: Window,
) -> Result<Cost, ServiceError> {
    let store = service.store();
    let prices = store
        .prices_in_force(&budget.currency, month.from, month.to, PRICES_MAX)
        .await?;
    let mut ran = BTreeMap::new();
    for part in parts(&prices, month) {
        let of_part = store
            .ran(&budget.tenant_id, budget.project_id.as_ref(), part)
            .await?;
        ran.insert(part.from, of_part);
    }
    Ok(cost(&prices, &ran))
}

/// Whether a tenant may begin something new, in this project, on a pool of this billing mode.
///
/// # Errors
/// `QUOTA_EXCEEDED` with reason `budget`, for the first budget that is spent.
pub(crate) async fn check_budgets(
    service: &Service,
    tenant: &TenantId,
    project: Option<&ProjectId>,
    mode: BillingMode,
) -> Result<(), ServiceError> {
    if mode == BillingMode::None {
        return Ok(());
    }
    let budgets = service.store().budgets(tenant, None, BUDGETS_MAX).await?;
    let month = month_until(service.now());
    for budget in budgets.items {
        let counts = budget.project_id.is_none() || budget.project_id.as_ref() == project;
        if !counts {
            continue;
        }
        let cost = spent(service, &budget, month).await?;
        if cost.reaches(budget.micros) {
            return Err(refusal(&budget, cost));
        }
    }
    Ok(())
}

fn refusal(budget: &Budget, cost: Cost) -> ServiceError {
    let whose = match &budget.project_id {
        Some(project) => format!("project `{project}`"),
        None => format!("tenant `{}`", budget.tenant_id),
    };
    let refusal = ServiceError::new(
        Code::QuotaExceeded,
        format!(
            "the budget of {whose} for this month is spent: {} of {} millionths of {}; delete what is not needed, raise it with `budgets/put`, or wait for the next month",
            cost.micros(), budget.micros, budget.currency
        ),
    )
    .reason("budget")
    .with("limit", budget.micros)
    .with("spent", cost.micros())
    .with("currency", budget.currency.as_str())
    .with("budgetId", budget.id.as_str());
    match &budget.project_id {
        Some(project) => refusal.with("projectId", project.as_str()),
        None => refusal,
    }
}
