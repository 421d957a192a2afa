//! A budget with what is spent of it.

use berth_domain::metering::Window;
use berth_domain::money::{Budget, Cost};
use berth_domain::time::Millis;
use serde::Serialize;

/// A budget in the current month.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetView {
    /// The budget.
    #[serde(flatten)]
    pub budget: Budget,
    /// When the month began, in epoch ms.
    pub month: Millis,
    /// What was spent of it since, in millionths of the currency's unit.
    pub spent_micros: u64,
    /// Nothing new is created for it until the next month, or until it is raised.
    pub is_spent: bool,
}

impl BudgetView {
    pub(super) fn of(budget: Budget, month: Window, cost: Cost) -> Self {
        Self {
            month: month.from,
            spent_micros: cost.micros(),
            is_spent: cost.reaches(budget.micros),
            budget,
        }
    }
}
