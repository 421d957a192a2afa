//! Money: what a unit of a meter costs, and what may be spent.
//!
//! Amounts are whole millionths of a currency's unit (micros). Costs are summed up exactly, as
//! unit-milliseconds times micros, and rounded once, half up, where a sum is shown.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::id::{BudgetId, PoolId, PriceId, ProjectId, TenantId};
use crate::input::{Currency, KindId, MeterName};
use crate::metering::{HOUR, Window};
use crate::time::Millis;

/// Largest amount, in micros: every reader of JSON holds it exactly.
pub const MICROS_MAX: u64 = (1 << 53) - 1;

/// What one unit of a meter costs, from a time on. Never edited: a new price takes its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// Its id.
    pub id: PriceId,
    /// Of which meter.
    pub meter: MeterName,
    /// Of this kind alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<KindId>,
    /// On this pool alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_id: Option<PoolId>,
    /// In which currency.
    pub currency: Currency,
    /// Millionths of the currency's unit.
    pub micros: u64,
    /// From when on.
    pub valid_from: Millis,
    /// When it was recorded.
    pub created_at: Millis,
}

/// What a tenant, or a project of it, may spend in a calendar month of UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Budget {
    /// Its id.
    pub id: BudgetId,
    /// Whose.
    pub tenant_id: TenantId,
    /// Of this project alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// In which currency.
    pub currency: Currency,
    /// Millionths of the currency's unit, a month.
    pub micros: u64,
    /// When it was recorded.
    pub created_at: Millis,
    /// When it was last changed.
    pub updated_at: Millis,
}

/// What ran of one meter in a window, summed up over resources alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// On which pool.
    pub pool: PoolId,
    /// Of which kind.
    pub kind: KindId,
    /// Which meter.
    pub meter: String,
    /// Units an hour.
    pub rate: u64,
    /// Milliseconds, of all resources together.
    pub millis: u64,
}

/// An exact cost: unit-milliseconds times micros. [`HOUR`] of it are one micro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cost(u128);

impl Cost {
    /// At least an amount.
    #[must_use]
    pub fn reaches(self, micros: u64) -> bool {
        self.0 >= u128::from(micros).saturating_mul(HOUR_OF_COST)
    }

    /// In micros, rounded half up.
    #[must_use]
    pub fn micros(self) -> u64 {
        let rounded = self.0.saturating_add(HOUR_OF_COST / 2) / HOUR_OF_COST;
        u64::try_from(rounded).unwrap_or(u64::MAX)
    }
}

const HOUR_OF_COST: u128 = HOUR.unsigned_abs() as u128;

/// Parts of a window in which no price changes.
#[must_use]
pub fn parts(prices: &[Price], window: Window) -> Vec<Window> {
    let mut cuts: Vec<Millis> = prices.iter().map(|price| price.valid_from).collect();
    cuts.retain(|at| window.from < *at && *at < window.to);
    cuts.sort_unstable();
    cuts.dedup();
    cuts.push(window.to);
    let mut from = window.from;
    let mut parts = Vec::with_capacity(cuts.len());
    for to in cuts {
        if from < to {
            parts.push(Window { from, to });
        }
        from = to;
    }
    parts
}

/// The price of a meter at a time: the one made for the pool and the kind before one for the pool, before one
/// for the kind, before one for all; of these the one that began last. (Of two that begin at once, the one
/// that was recorded last.)
#[must_use]
pub fn price_of<'p>(
    prices: &'p [Price],
    pool: &PoolId,
    kind: &KindId,
    meter: &str,
    at: Millis,
) -> Option<&'p Price> {
    let fits = |price: &&Price| {
        price.meter.as_str() == meter
            && price.valid_from <= at
            && price.pool_id.as_ref().is_none_or(|of| of == pool)
            && price.kind.as_ref().is_none_or(|of| of == kind)
    };
    prices.iter().filter(fits).max_by_key(|price| {
        (
            price.pool_id.is_some(),
            price.kind.is_some(),
            price.valid_from,
            price.created_at,
            price.id.clone(),
        )
    })
}

/// What ran in parts of time comes to, at the prices of one currency. What has no price costs nothing.
#[must_use]
pub fn cost(prices: &[Price], ran: &BTreeMap<Millis, Vec<Ran>>) -> Cost {
    let of = |at: Millis, ran: &Ran| {
        let price = price_of(prices, &ran.pool, &ran.kind, &ran.meter, at);
        let quantity = u128::from(ran.millis).saturating_mul(u128::from(ran.rate));
        price.map_or(0, |price| quantity.saturating_mul(u128::from(price.micros)))
    };
    let all = ran
        .iter()
        .flat_map(|(at, ran)| ran.iter().map(|ran| of(*at, ran)));
    Cost(all.fold(0, u128::saturating_add))
}

#[cfg(test)]
mod tests;
