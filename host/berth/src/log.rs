//! Where log lines and complaints go.

use std::io::Write as _;

use serde::{Deserialize, Serialize};
use tracing_subscriber::EnvFilter;

/// Settings of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct LogConfig {
    /// `text` for people, `json` for machines.
    pub(crate) format: LogFormat,
    /// What is logged, in the syntax of `tracing`'s filters: `info`, `berth_service=debug,warn`.
    pub(crate) filter: String,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            filter: "info".to_owned(),
        }
    }
}

/// Starts logging to standard error.
///
/// # Errors
/// When the filter does not parse.
pub(crate) fn start(config: &LogConfig) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(&config.filter).map_err(|error| {
        anyhow::anyhow!(
            "`log.filter` is not a filter ({error}); `info` or `berth_service=debug,info` would be"
        )
    })?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    let started = match config.format {
        LogFormat::Text => lines.with_ansi(false).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("the log did not start: {error}"))
}

/// The last word of a command that failed.
pub(crate) fn complain(error: &anyhow::Error) {
    let _ = writeln!(std::io::stderr(), "berth: {error:#}");
}

/// What a command was asked for.
pub(crate) fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
