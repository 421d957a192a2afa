//! `cargo xtask bench`: the figures of the architecture page.

use crate::built::{Built, FIRST_PARTY, Purpose};
use crate::cargo::{cargo, succeed};

/// The package that measures.
const PACKAGE: &str = "berth-bench";

/// How to print.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Print the figures as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Builds everything optimised and lets the harness measure it.
pub fn run(options: &Options) -> anyhow::Result<()> {
    let built = Built::make(Purpose::Run { release: true }, &FIRST_PARTY)?;
    let mut harness = cargo();
    harness
        .args(["run", "--quiet", "--release", "--package", PACKAGE, "--"])
        .envs(built.environment());
    if options.json {
        harness.arg("--json");
    }
    succeed(&mut harness)
}
