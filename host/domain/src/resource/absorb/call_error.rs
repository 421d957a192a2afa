//! Calls that failed, and what may have happened nevertheless.

use std::fmt;

use crate::provider::ProviderError;
use crate::time::Span;

/// A call that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    /// How.
    pub fault: CallFault,
    /// A write left the host and the provider did not refuse it: it may have acted.
    pub wrote: bool,
}

/// How a call failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFault {
    /// The provider, through its plugin.
    Provider(ProviderError),
    /// The plugin broke.
    Plugin(String),
    /// A plain value held a secret.
    SecretInPlain(String),
    /// A secret that the spec names can't be read.
    Secret(String),
    /// A network that the spec names is none of the tenant's live ones.
    Network(String),
    /// The host has no room now.
    HostBusy {
        /// What is short.
        message: String,
        /// When to try again.
        retry_after: Option<Span>,
    },
    /// The host can't do it as it is configured.
    Host(String),
}

impl fmt::Display for CallFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Provider(error) => error.fmt(f),
            Self::Plugin(text)
            | Self::SecretInPlain(text)
            | Self::Secret(text)
            | Self::Network(text)
            | Self::Host(text)
            | Self::HostBusy { message: text, .. } => f.write_str(text),
        }
    }
}

impl CallError {
    /// Nobody said what became of the call: look before anything is written again.
    ///
    /// A word of the provider's own counts even after a write, since an update of two writes may
    /// well be refused at the second.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        match &self.fault {
            CallFault::Provider(ProviderError::Ambiguous(_)) => true,
            CallFault::Provider(ProviderError::Unavailable(_))
            | CallFault::Plugin(_)
            | CallFault::SecretInPlain(_)
            | CallFault::HostBusy { .. }
            | CallFault::Host(_) => self.wrote,
            CallFault::Provider(_) | CallFault::Secret(_) | CallFault::Network(_) => false,
        }
    }

    /// An object may have come of a create, whatever the plugin says of it.
    pub(super) fn may_have_created(&self) -> bool {
        self.wrote || self.is_ambiguous()
    }

    /// The provider says that there is no such object.
    pub(super) fn is_not_found(&self) -> bool {
        matches!(self.fault, CallFault::Provider(ProviderError::NotFound(_)))
    }

    /// The provider says no, and would say so again.
    pub(super) fn is_refusal(&self) -> bool {
        matches!(
            self.fault,
            CallFault::Provider(
                ProviderError::Invalid(_)
                    | ProviderError::Failed(_)
                    | ProviderError::Denied(_)
                    | ProviderError::Conflict(_)
                    | ProviderError::Unsupported(_)
            )
        )
    }
}
