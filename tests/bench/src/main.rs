//! Figures, each beside a reference of the same run: machines are noisy, and a number alone says little.
//!
//! Started by `cargo xtask bench`, which builds everything optimised and names the programs in
//! `BERTH_BIN` and `BERTH_COMPONENTS`.

#![expect(
    clippy::disallowed_methods,
    reason = "a benchmark reads the clock; nothing in here decides anything by it"
)]

mod call;
mod create;
mod figures;
mod host;
mod start;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;

use crate::figures::Figures;

#[derive(Debug, Parser)]
struct Options {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// What is measured.
pub(crate) struct Subjects {
    /// The `berth` program.
    pub(crate) berth: PathBuf,
    /// The `do` component.
    pub(crate) component: PathBuf,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let of = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .with_context(|| format!("{name} is not set; run `cargo xtask bench`"))
    };
    let subjects = Subjects {
        berth: of("BERTH_BIN")?,
        component: of("BERTH_COMPONENTS")?.join("do.wasm"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut figures = Figures::default();
    runtime.block_on(async {
        call::measure(&subjects, &mut figures)
            .await
            .context("plugin calls")?;
        start::measure(&subjects, &mut figures)
            .await
            .context("start and memory")?;
        create::measure(&subjects, &mut figures)
            .await
            .context("creates")
    })?;
    figures.print(options.json);
    Ok(())
}
