//! What the runtime says of a failed call, in the domain's words.

use berth_domain::provider::ProviderError;
use berth_domain::resource::{CallError, CallFault};
use berth_runtime::{CallFailure, Outcome};

/// The answer of a call, or how it failed and whether a write had left before.
pub(super) fn call_error<T>(outcome: Outcome<T>) -> Result<T, CallError> {
    let Outcome {
        result,
        wrote,
        lost,
    } = outcome;
    result.map_err(|failure| {
        let fault = match failure {
            // The plugin may not have noticed that an answer was lost; the host did.
            CallFailure::Provider(error)
                if lost && !matches!(error, ProviderError::Ambiguous(_)) =>
            {
                CallFault::Provider(ProviderError::Ambiguous(error.to_string()))
            }
            CallFailure::Provider(error) => CallFault::Provider(error),
            CallFailure::Busy(message) => CallFault::HostBusy {
                message,
                retry_after: None,
            },
            CallFailure::SecretInPlain { .. } => CallFault::SecretInPlain(failure.to_string()),
            CallFailure::Trap { .. } | CallFailure::Limit(_) | CallFailure::BadAnswer(_) => {
                CallFault::Plugin(failure.to_string())
            }
            CallFailure::Unserved(text) => CallFault::Host(text),
            CallFailure::Host(_) => CallFault::Host(failure.to_string()),
        };
        CallError { fault, wrote }
    })
}
