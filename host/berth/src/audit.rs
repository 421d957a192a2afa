//! `berth audit`: looks at the audit of a database.

use std::process::ExitCode;

use anyhow::Context as _;
use berth_domain::audit::chain::SealHash;
use berth_service::audit::verify::{VerifyError, Whole, verify};
use berth_store::{SqliteStore, Store as _};
use clap::{Args, Subcommand};

use crate::log::{complain, say};
use crate::{ServeFlags, config};

/// The chain is broken.
const BROKEN: u8 = 3;
/// The chain holds, but the expected head is not in it.
const UNEXPECTED: u8 = 4;

/// `berth audit …`.
#[derive(Debug, Args)]
pub(crate) struct AuditCommand {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Walks the audit's hash chain and tells the first place at which it is broken.
    ///
    /// Opens the database for reading, whether a host runs or not. Ends with 0 if the chain is whole, 3 if it is
    /// broken, 4 if it does not have the expected head, 1 if it could not be looked at. Prints the head: keep it
    /// apart from the database, and whoever cuts the end of the chain off is found out by `--expect`.
    Verify {
        /// A head that an earlier run printed, or that a host wrote to its log.
        #[arg(long, value_name = "HEAD")]
        expect: Option<SealHash>,
        #[command(flatten)]
        flags: ServeFlags,
    },
}

/// Runs the command.
///
/// # Errors
/// When the audit can't be looked at.
pub(crate) fn run(command: &AuditCommand) -> anyhow::Result<ExitCode> {
    let Action::Verify { expect, flags } = &command.action;
    let config = config::load(flags)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime")?;
    let verdict = runtime.block_on(async {
        let store = SqliteStore::open_to_read(&config.store.sqlite(&config.data_dir))?;
        let verdict = verify(&store, *expect).await;
        store.close().await;
        verdict
    });
    match verdict {
        Ok(whole) => {
            tell(&whole);
            Ok(ExitCode::SUCCESS)
        }
        Err(error) if error.is_broken() => {
            let code = match error {
                VerifyError::Unexpected => UNEXPECTED,
                _ => BROKEN,
            };
            complain(&anyhow::anyhow!(
                "the audit is not what was written: {error}"
            ));
            Ok(ExitCode::from(code))
        }
        Err(error) => Err(error.into()),
    }
}

fn tell(whole: &Whole) {
    say(&format!(
        "the audit is whole: {} rows under {} seals",
        whole.rows, whole.seals
    ));
    if let Some(seal) = whole.expected {
        say(&format!("the expected head is seal {seal}"));
    }
    if let Some(since) = whole.unsealed_since {
        say(&format!(
            "{} rows since {} (ms since 1970) are not sealed yet: a running host does that within `service.audit.sealEvery`",
            whole.unsealed, since.0
        ));
    }
    match &whole.head {
        Some(head) => say(&format!("head {}", head.hash)),
        None => say("there is no head: nothing is sealed yet"),
    }
}
