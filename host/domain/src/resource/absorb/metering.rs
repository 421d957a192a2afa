//! What bills of a row, after each of its steps.

use super::{Effect, Next};
use crate::metering::{self, HOURS, MeterSpan};
use crate::resource::demand::Amounts;
use crate::resource::row::Resource;
use crate::time::Millis;

/// Whether meters may run: from the first acceptance (of what was adopted, from the first `ready`) until it
/// is deleted or released, whatever happens to it in between.
pub(super) fn is_billable(row: &Resource) -> bool {
    row.is_live() && row.billing_starts().is_some()
}

/// Ends all meters of a row that ends otherwise than by a step: at its end, or at `now` where it has none.
#[must_use]
pub fn end_meters(row: &mut Resource, now: Millis) -> Vec<MeterSpan> {
    let at = row.ended_at.unwrap_or(now);
    metering::turn(&mut row.metering, &Amounts::new(), at)
}

impl Next<'_, '_> {
    /// Starts, changes and ends meters as the row now is.
    pub(super) fn meter(&mut self, was_billable: bool) {
        let begins = !was_billable && is_billable(&self.row);
        let wanted = self.rates(begins);
        let at = if begins {
            self.row.billing_starts()
        } else {
            self.row.ended_at
        };
        let at = at.unwrap_or(self.facts.now);
        let spans = metering::turn(&mut self.row.metering, &wanted, at);
        self.effects.extend(spans.into_iter().map(Effect::Meter));
    }

    /// Units an hour that bill from now on. Those of a changed spec do once it is applied; until then
    /// what ran before goes on.
    fn rates(&self, begins: bool) -> Amounts {
        let mut rates = Amounts::new();
        if !is_billable(&self.row) {
            return rates;
        }
        let billing = self.facts.billing;
        let running = || {
            let running = self.row.metering.iter();
            running
                .map(|(meter, run)| (meter.clone(), run.rate))
                .collect()
        };
        let own: Amounts = if self.is_applied {
            self.row.demand.meters.clone()
        } else if begins {
            // What was sent; a change that landed since is still to be applied.
            self.asked.demand.meters.clone()
        } else {
            running()
        };
        rates.extend(
            own.into_iter()
                .filter(|(meter, _)| meter != HOURS && billing.names(meter)),
        );
        if billing.hours && self.row.parent.is_none() {
            rates.insert(HOURS.to_owned(), 1);
        }
        rates
    }
}
