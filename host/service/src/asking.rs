//! Asking a provider in the path of a request: reads that no run of the reconciler makes.

use berth_domain::provider::ProviderError;
use berth_domain::time::Span;
use berth_runtime::{Call, CallFailure, Outcome, Priority};

use crate::place::{Place, account_view};
use crate::{Caller, Code, Service, ServiceError};

/// When to come back where the provider does not say.
const RETRY_AFTER: Span = Span::seconds(5);

impl Service {
    /// What a read of the place's account is made with. Its requests yield to what tenants wait for:
    /// they take of the account's rate budget what a refresh may.
    ///
    /// # Errors
    /// `UNAVAILABLE` where the account's egress can't be used.
    pub(crate) fn read_call(&self, caller: &Caller, place: &Place) -> Result<Call, ServiceError> {
        let limits = self.runtime().limits();
        let grant = self
            .grants
            .of(&place.account, &place.generation, limits)
            .map_err(|error| {
                unavailable(
                    format!("the pool's account can't be used: {}", error.fault),
                    "account",
                    RETRY_AFTER,
                )
            })?;
        Ok(Call {
            account: account_view(&place.account),
            grant,
            tenant: None,
            resource: None,
            run: None,
            request: Some(caller.request.clone()),
            lease: None,
            priority: Priority::Refresh,
        })
    }
}

/// What a read came to.
///
/// # Errors
/// `UNSUPPORTED` where the plugin does not do it, else `UNAVAILABLE` with a reason and when to come
/// back.
pub(crate) fn answered<T>(provider: &str, outcome: Outcome<T>) -> Result<T, ServiceError> {
    outcome.result.map_err(|failure| refusal(provider, failure))
}

fn refusal(provider: &str, failure: CallFailure) -> ServiceError {
    let asked = format!("provider `{provider}` was asked in vain");
    let error = match failure {
        CallFailure::Provider(error) => error,
        CallFailure::Busy(text) => {
            return unavailable(format!("{asked}: {text}"), "hostBusy", RETRY_AFTER);
        }
        CallFailure::Host(text) => {
            let text = format!("{asked}: the host failed to ask ({text}); try again");
            return unavailable(text, "host", RETRY_AFTER);
        }
        broken => {
            let mut refusal = unavailable(
                format!(
                    "the plugin of provider `{provider}` broke while it asked; try again, and if it stays so, tell the operator"
                ),
                "plugin",
                RETRY_AFTER,
            );
            refusal.internal = Some(broken.to_string());
            return refusal;
        }
    };
    let text = format!("{asked}: {error}");
    match error {
        ProviderError::Unsupported(_) => {
            ServiceError::new(Code::Unsupported, text).reason("plugin")
        }
        ProviderError::Busy { retry_after, .. } => {
            unavailable(text, "busy", retry_after.unwrap_or(RETRY_AFTER))
        }
        ProviderError::Throttled { retry_after, .. } => {
            unavailable(text, "throttled", retry_after.unwrap_or(RETRY_AFTER))
        }
        ProviderError::Denied(_) => unavailable(
            format!("{text}; the account's owner mends its credential with `accounts/update`"),
            "denied",
            RETRY_AFTER,
        ),
        _ => unavailable(format!("{text}; try again"), "provider", RETRY_AFTER),
    }
}

fn unavailable(text: String, reason: &str, retry_after: Span) -> ServiceError {
    ServiceError::new(Code::Unavailable, text)
        .reason(reason)
        .with("retryAfterMs", retry_after.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(failure: CallFailure) -> (Code, String, u64) {
        let refusal = refusal("do", failure);
        let detail = |name: &str| refusal.details.get(name).cloned().unwrap_or_default();
        (
            refusal.code,
            detail("reason").as_str().unwrap_or_default().to_owned(),
            detail("retryAfterMs").as_u64().unwrap_or_default(),
        )
    }

    #[test]
    fn every_failure_says_why_and_when_to_come_back() {
        let throttled = ProviderError::Throttled {
            message: "slow down".to_owned(),
            retry_after: Some(Span::seconds(9)),
        };
        assert_eq!(
            told(throttled.into()),
            (Code::Unavailable, "throttled".to_owned(), 9_000)
        );
        let away = ProviderError::Unavailable("away".to_owned());
        assert_eq!(
            told(away.into()),
            (Code::Unavailable, "provider".to_owned(), 5_000)
        );
        assert_eq!(
            told(CallFailure::Busy("full".to_owned())),
            (Code::Unavailable, "hostBusy".to_owned(), 5_000)
        );
        assert_eq!(
            told(ProviderError::Unsupported("no".to_owned()).into()),
            (Code::Unsupported, "plugin".to_owned(), 0)
        );
    }

    #[test]
    fn what_broke_in_a_plugin_is_told_to_the_log_alone() {
        let refusal = refusal("do", CallFailure::BadAnswer("inside".to_owned()));
        assert!(!refusal.message.contains("inside"));
        assert!(refusal.internal.is_some_and(|text| text.contains("inside")));
    }
}
