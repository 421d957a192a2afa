//! Why a call came to nothing.

use berth_domain::provider::ProviderError;

/// Why a call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// The plugin says so.
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The plugin crashed.
    #[error("the plugin crashed: {summary}")]
    Trap {
        /// What happened and in which functions.
        summary: String,
    },
    /// The call used more than it may.
    #[error(transparent)]
    Limit(#[from] LimitHit),
    /// No slot was free; nothing was run.
    #[error("{0}")]
    Busy(String),
    /// The plugin answered with something that the interface or its own manifest rules out.
    #[error("the plugin's answer breaks a rule: {0}")]
    BadAnswer(String),
    /// A secret stands where it must not; the answer was thrown away.
    #[error(
        "secretInPlain: the plugin put a secret into {place}, where it would be stored or shown; secrets go into secret outputs only"
    )]
    SecretInPlain {
        /// The part of the answer.
        place: String,
    },
    /// The call is wrong: such a kind or capability isn't there. Nothing was run.
    #[error("{0}")]
    Unserved(String),
    /// The host itself failed. The text is shown to whoever sees the resource, so nothing of the
    /// platform's inside stands in it: the cause is in the host's log.
    #[error("the host failed to run the plugin: {0}")]
    Host(String),
}

impl CallFailure {
    /// Whether the plugin, not the provider or the host, is to blame: what quarantines a generation.
    #[must_use]
    pub fn is_plugins_fault(&self) -> bool {
        matches!(
            self,
            Self::Trap { .. } | Self::Limit(_) | Self::BadAnswer(_) | Self::SecretInPlain { .. }
        )
    }
}

/// A limit that a call ran into. Each message names the setting that raises it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LimitHit {
    /// Time on a processor.
    #[error(
        "cpuLimit: the plugin computed for more than {millis} ms; `runtime.limits.cpuMs` sets the limit"
    )]
    Cpu {
        /// The limit.
        millis: u64,
    },
    /// Time by the wall clock.
    #[error(
        "wallLimit: the call took more than {millis} ms, waiting included; `runtime.limits.{setting}` sets the limit"
    )]
    Wall {
        /// The limit.
        millis: u64,
        /// The setting.
        setting: &'static str,
    },
    /// Memory.
    #[error(
        "memoryLimit: the plugin wanted more than {bytes} bytes of memory; `runtime.limits.memoryBytes` sets the limit"
    )]
    Memory {
        /// The limit.
        bytes: usize,
    },
    /// Table elements.
    #[error(
        "tableLimit: the plugin wanted more than {elements} table elements; `runtime.limits.tableElements` sets the limit"
    )]
    Table {
        /// The limit.
        elements: usize,
    },
    /// What it handed over.
    #[error(
        "outputLimit: the plugin handed more than {bytes} bytes to the host; `runtime.limits.outputBytes` sets the limit"
    )]
    Output {
        /// The limit.
        bytes: usize,
    },
    /// Random bytes.
    #[error(
        "randomLimit: the plugin drew more than {bytes} random bytes; `runtime.limits.randomBytes` sets the limit"
    )]
    Random {
        /// The limit.
        bytes: usize,
    },
}
