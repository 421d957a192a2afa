//! `cargo xtask <task>`.

use clap::Parser;
use xtask::built::FOR_TESTS;
use xtask::cargo::workspace_root;
use xtask::{bench, components, dev, lint, test};

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
    /// Build the components that tests load, and nothing else.
    Components,
    /// Check formatting, clippy and the mechanical rules.
    Lint,
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Dev(options) => dev::run(&options),
        Task::Test(options) => test::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Components => components::build(&workspace_root(), &FOR_TESTS).map(|_| ()),
        Task::Lint => lint::run(),
    }
}
