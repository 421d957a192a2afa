//! What a method refuses with. The API maps a code to an HTTP status in one place.

use serde::Serialize;
use serde_json::{Map, Value, json};

use berth_domain::input::InputError;
use berth_store::StoreError;

/// The codes of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    /// The request is wrong.
    InvalidInput,
    /// No token, or one that does not count.
    Unauthenticated,
    /// The decision refuses.
    AccessDenied,
    /// There is no such thing, as far as the caller may know.
    NotFound,
    /// Something else stands there already.
    Conflict,
    /// It is not in the state for this.
    InvalidState,
    /// The provider or the deployment does not do this.
    Unsupported,
    /// A quota or a budget is used up.
    QuotaExceeded,
    /// Too many requests.
    RateLimited,
    /// The store or a plugin is away; the same call may work later.
    Unavailable,
    /// A defect of ours. Its text stays in the log.
    Internal,
}

/// A refusal: what is wrong, with which thing, and what to do next.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{code:?}: {message}")]
pub struct ServiceError {
    /// For programs.
    pub code: Code,
    /// For people.
    pub message: String,
    /// What the contract names (`reason`, `fields`, `limit`, `resourceId`, …) and `field`.
    pub details: Box<Map<String, Value>>,
    /// What only the log may know, of an `Internal` or `Unavailable`.
    pub internal: Option<String>,
}

impl ServiceError {
    /// A refusal.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Box::default(),
            internal: None,
        }
    }

    /// A wrong field of the request: its JSON Pointer (empty: the whole) and what would be right.
    ///
    /// `details.field` is the path as people write it, `spec.region`; `details.pointer` is the JSON
    /// Pointer, `/spec/region`, which stays exact where a name has a dot in it.
    #[must_use]
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let pointer = pointer.into();
        let message = message.into();
        let field = dotted(&pointer);
        let text = if field.is_empty() {
            message
        } else {
            format!("{field}: {message}")
        };
        Self::new(Code::InvalidInput, text)
            .with("field", field)
            .with("pointer", pointer)
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Adds `details.reason`.
    #[must_use]
    pub fn reason(self, reason: &str) -> Self {
        self.with("reason", reason)
    }

    /// A defect of ours: the text goes to the log only.
    #[must_use]
    pub fn internal(text: impl Into<String>) -> Self {
        let mut error = Self::new(
            Code::Internal,
            "an internal error; the request id finds it in the host's log",
        );
        error.internal = Some(text.into());
        error
    }
}

/// `/spec/envs/0/value` as `spec.envs.0.value`.
pub(crate) fn dotted(pointer: &str) -> String {
    pointer
        .strip_prefix('/')
        .unwrap_or(pointer)
        .replace('/', ".")
        .replace("~1", "/")
        .replace("~0", "~")
}

impl From<InputError> for ServiceError {
    fn from(error: InputError) -> Self {
        Self::invalid(error.field, error.message)
    }
}

impl From<Vec<InputError>> for ServiceError {
    /// The first fault is the message; all are listed in `details.fields`.
    fn from(errors: Vec<InputError>) -> Self {
        let fields: Vec<Value> = errors
            .iter()
            .map(|e| json!({"field": dotted(&e.field), "message": e.message}))
            .collect();
        match errors.into_iter().next() {
            Some(first) => Self::from(first).with("fields", fields),
            None => Self::internal("an empty list of input errors"),
        }
    }
}

impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable(text) | StoreError::Busy(text) => {
                let mut refusal = Self::new(
                    Code::Unavailable,
                    "the store does not answer right now; nothing was recorded: try again shortly",
                )
                .with("retryAfterMs", 1_000);
                refusal.internal = Some(text);
                refusal
            }
            StoreError::Unreadable(text) | StoreError::Failed(text) => Self::internal(text),
        }
    }
}
