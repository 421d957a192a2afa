//! A plugin's error, with what it says cut to size.

use berth_domain::provider::{FieldError, ProviderError};
use berth_domain::redactor::Redactor;
use berth_domain::time::Span;

use crate::bindings::berth::provider::types as wit;

/// Longest message, in characters.
pub(crate) const MESSAGE_CHARS_MAX: usize = 500;
/// Most fields that a refusal names.
const FIELDS_MAX: usize = 50;
/// Longest wait that a provider may ask for.
const RETRY_AFTER_MAX: Span = Span::minutes(60);

/// One line of a plugin's text, short, and without the secrets that the redactor knows.
pub(crate) fn line(text: &str, redactor: &Redactor) -> String {
    redactor
        .scrub_text(text)
        .chars()
        .take(MESSAGE_CHARS_MAX)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .trim()
        .to_owned()
}

pub(crate) fn provider_error(error: wit::Error, redactor: &Redactor) -> ProviderError {
    let line = |text: &str| line(text, redactor);
    let retry = |retry: wit::Retry| {
        (
            line(&retry.message),
            retry.after.map(|after| Span(after.min(RETRY_AFTER_MAX.0))),
        )
    };
    match error {
        wit::Error::Invalid(fields) => ProviderError::Invalid(
            fields
                .into_iter()
                .take(FIELDS_MAX)
                .map(|field| FieldError {
                    field: line(&field.field),
                    message: line(&field.message),
                })
                .collect(),
        ),
        wit::Error::NotFound(text) => ProviderError::NotFound(line(&text)),
        wit::Error::Conflict(text) => ProviderError::Conflict(line(&text)),
        wit::Error::Busy(inner) => {
            let (message, retry_after) = retry(inner);
            ProviderError::Busy {
                message,
                retry_after,
            }
        }
        wit::Error::Throttled(inner) => {
            let (message, retry_after) = retry(inner);
            ProviderError::Throttled {
                message,
                retry_after,
            }
        }
        wit::Error::Denied(text) => ProviderError::Denied(line(&text)),
        wit::Error::Unavailable(text) => ProviderError::Unavailable(line(&text)),
        wit::Error::Ambiguous(text) => ProviderError::Ambiguous(line(&text)),
        wit::Error::Failed(text) => ProviderError::Failed(line(&text)),
        wit::Error::Unsupported(text) => ProviderError::Unsupported(line(&text)),
    }
}
