//! `budgets/list`: a tenant's budgets, and what is spent of each in this month.

use berth_domain::id::TenantId;
use serde::Deserialize;

use super::BudgetView;
use super::spent::{month_until, spent};
use crate::attempt::Attempt;
use crate::decision::{Action, Target};
use crate::given::given;
use crate::{Caller, Cursor, Items, Service, ServiceError};

/// Budgets of one answer: each is counted.
const PAGE: u32 = 50;

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

/// The budgets.
///
/// # Errors
/// `ACCESS_DENIED`.
pub async fn handle(
    service: &Service,
    caller: &Caller,
    input: Input,
) -> Result<Items<BudgetView>, ServiceError> {
    let target = Target::tenant(&input.tenant_id);
    let attempt = Attempt::new(caller, &input.tenant_id, Action::BudgetsRead, &target);
    let result = async {
        service.decide(caller, Action::BudgetsRead, &target).await?;
        let after = input.cursor.as_ref().map(Cursor::as_str);
        let page = service
            .store()
            .budgets(&input.tenant_id, after, PAGE)
            .await?;
        let month = month_until(service.now());
        let mut items = Vec::with_capacity(page.items.len());
        for budget in page.items {
            let cost = spent(service, &budget, month).await?;
            items.push(BudgetView::of(budget, month, cost));
        }
        Ok(Items {
            items,
            next_cursor: page.next.map(Cursor),
        })
    };
    attempt.settle(service, result.await).await
}
