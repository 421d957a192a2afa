//! `cargo xtask <task>`.

use clap::Parser;
use xtask::{bench, dev, lint, test};

/// Builds, runs and checks Berth.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
enum Task {
    /// Run the host and a double of DigitalOcean on loopback, with a demo tenant.
    Dev(dev::Options),
    /// Build what the tests need and run every test.
    Test(test::Options),
    /// Measure the figures that the architecture page quotes.
    Bench(bench::Options),
    /// Check formatting, clippy and the mechanical rules.
    Lint,
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Dev(options) => dev::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Lint => lint::run(),
    }
}
