//! What a spec takes: capacity that it books, meters that it runs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::metering::Billing;
use crate::provider::Checked;

/// Amounts by name.
pub type Amounts = BTreeMap<String, u64>;

/// What an accepted spec takes, as the plugin's `check` said when it was accepted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Demand {
    /// Capacity, by the names of the manifest.
    pub bookings: Amounts,
    /// Units an hour of the kind's own meters.
    pub meters: Amounts,
}

impl From<&Checked> for Demand {
    fn from(checked: &Checked) -> Self {
        let mut demand = Self::default();
        for booking in &checked.bookings {
            let amount = demand.bookings.entry(booking.name.clone()).or_default();
            *amount = amount.saturating_add(booking.amount);
        }
        for meter in &checked.meters {
            let rate = demand.meters.entry(meter.name.clone()).or_default();
            *rate = rate.saturating_add(meter.rate);
        }
        demand
    }
}

impl Demand {
    /// It books more than `before` of something, or runs a meter faster that bills.
    #[must_use]
    pub fn costs_more_than(&self, before: &Self, billing: Billing<'_>) -> bool {
        let billed = |meters: &Amounts| -> Amounts {
            let named = meters.iter().filter(|(meter, _)| billing.names(meter));
            named.map(|(meter, rate)| (meter.clone(), *rate)).collect()
        };
        exceeds(&self.bookings, &before.bookings)
            || exceeds(&billed(&self.meters), &billed(&before.meters))
    }
}

/// Some amount is larger than it was.
#[must_use]
pub fn exceeds(amounts: &Amounts, before: &Amounts) -> bool {
    amounts
        .iter()
        .any(|(name, amount)| *amount > before.get(name).copied().unwrap_or(0))
}
