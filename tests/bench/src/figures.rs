//! The table that is printed.

use std::time::Duration;

use serde_json::{Map, Value, json};

/// One figure and what it is measured against.
struct Figure {
    name: &'static str,
    value: f64,
    unit: &'static str,
    reference: String,
}

/// All figures of a run.
#[derive(Default)]
pub(crate) struct Figures {
    rows: Vec<Figure>,
}

impl Figures {
    /// Adds a figure with its reference or target in words.
    pub(crate) fn add(
        &mut self,
        name: &'static str,
        value: f64,
        unit: &'static str,
        reference: impl Into<String>,
    ) {
        self.rows.push(Figure {
            name,
            value,
            unit,
            reference: reference.into(),
        });
    }

    /// Prints all.
    #[expect(clippy::print_stdout, reason = "printing is what the program is for")]
    pub(crate) fn print(&self, as_json: bool) {
        if as_json {
            let object: Map<String, Value> = self
                .rows
                .iter()
                .map(|row| (row.name.to_owned(), json!(rounded(row.value))))
                .collect();
            println!("{}", Value::Object(object));
            return;
        }
        println!("{:<28} {:>12} {:<8} beside", "figure", "value", "unit");
        for row in &self.rows {
            println!(
                "{:<28} {:>12} {:<8} {}",
                row.name,
                rounded(row.value),
                row.unit,
                row.reference
            );
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}

/// The value below which this share of the samples lies.
pub(crate) fn percentile(samples: &mut [Duration], share: f64) -> Duration {
    samples.sort_unstable();
    let last = samples.len().saturating_sub(1);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index into a list of samples"
    )]
    let at = (last as f64 * share).round() as usize;
    samples.get(at.min(last)).copied().unwrap_or_default()
}

/// Microseconds as a figure.
pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1_000_000.0
}
