//! `cargo xtask lint`: formatting, clippy, and the mechanical rules.

use anyhow::ensure;

use crate::built::test_features;
use crate::cargo::{cargo, metadata, say, succeed, workspace_root};
use crate::{arrows, tidy};

/// Runs all three, the quickest first, and fails on the first that finds something.
pub fn run() -> anyhow::Result<()> {
    say("formatting");
    succeed(cargo().args(["fmt", "--all", "--check"]))?;

    say("mechanical rules");
    let findings = tidy::check(&workspace_root())?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    let failures = findings.iter().filter(|f| f.is_failure()).count();
    let wrong = arrows::check(&metadata()?);
    for arrow in &wrong {
        eprintln!("{arrow}");
    }
    ensure!(
        failures + wrong.len() == 0,
        "{} to mend: see above",
        failures + wrong.len()
    );

    say("clippy");
    succeed(
        cargo()
            .args(["clippy", "--workspace", "--all-targets"])
            .args(test_features()?)
            .args(["--", "-D", "warnings"]),
    )
}
