//! Prices and budgets.

use async_trait::async_trait;
use berth_domain::audit::AuditRow;
use berth_domain::id::{BudgetId, TenantId};
use berth_domain::input::{Currency, MeterName};
use berth_domain::money::{Budget, Price};
use berth_domain::time::Millis;

use super::{Created, Page};
use crate::StoreError;

/// The price book: prices are only ever added.
#[async_trait]
pub trait Prices: Send + Sync {
    /// Stores a new price.
    async fn create_price(
        &self,
        price: &Price,
        audit: Vec<AuditRow>,
    ) -> Result<Created, StoreError>;
    /// Prices that a tenant may see (those of pools that it sees, and those of all pools), or all; of a
    /// meter, or of all; in pages.
    async fn prices(
        &self,
        tenant: Option<&TenantId>,
        meter: Option<&MeterName>,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Price>, StoreError>;
    /// The prices of a currency that hold at some time from `from` until `until`, at most `limit`.
    async fn prices_in_force(
        &self,
        currency: &Currency,
        from: Millis,
        until: Millis,
        limit: u32,
    ) -> Result<Vec<Price>, StoreError>;
}

/// Budgets.
#[async_trait]
pub trait Budgets: Send + Sync {
    /// Stores a budget, new or changed: there is one for a tenant or project and currency. Answers with it as
    /// it is stored: its id and creation are those of the first.
    async fn put_budget(&self, budget: &Budget, audit: Vec<AuditRow>)
    -> Result<Budget, StoreError>;
    /// Deletes a budget; `false` if the tenant has none such.
    async fn delete_budget(
        &self,
        tenant: &TenantId,
        id: &BudgetId,
        audit: Vec<AuditRow>,
    ) -> Result<bool, StoreError>;
    /// A tenant's budgets, its projects' too, in pages.
    async fn budgets(
        &self,
        tenant: &TenantId,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Page<Budget>, StoreError>;
}
