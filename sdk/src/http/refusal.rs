//! What a provider's refusal means to the host.
//!
//! By the class of its status, for reads and writes apart:
//!
//! | status | read | write |
//! |---|---|---|
//! | 401, 403 | denied | denied |
//! | 404, 410 | not-found | not-found |
//! | 409 | busy | conflict |
//! | 412, 423, 425 | busy | busy |
//! | 429 | throttled | throttled |
//! | 400, 422 | failed | invalid, or busy if it says that the object is locked |
//! | 408, 5xx | unavailable | ambiguous |
//! | other | failed | failed |
//!
//! A provider that means something else by one of them says so in its [`Dialect`].

use serde::Deserialize;

use super::answer::header;
use super::quote::quote;
use super::{Effect, answer};
use crate::answers::invalid;
use crate::host::Host;
use crate::types::{Error, Level, Request, Response, Retry};

/// What a provider says of a refusal; `None` where the class says it.
pub type Dialect = fn(&Refusal) -> Option<Error>;

/// An answer that is not of class 2xx.
#[derive(Debug, Clone)]
pub struct Refusal {
    /// The request's method.
    pub method: String,
    /// The request's path, with its query.
    pub path: String,
    /// Whether the request changes something.
    pub effect: Effect,
    /// The status.
    pub status: u16,
    /// The provider's code for the error, where its body has one: words joined by `_`.
    pub code: Option<String>,
    /// Milliseconds until a retry, where the answer says so.
    pub after: Option<u64>,
    request_id: Option<String>,
    /// The provider's sentence as it came. It may hold secrets, so it is only matched, not shown.
    sentence: String,
    sent: String,
}

/// The shape that most providers' error bodies have, as far as they have it.
#[derive(Deserialize, Default)]
struct ErrorBody {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    code: Option<serde_json::Value>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

impl Refusal {
    /// Reads an answer. Its body is never required to be JSON.
    pub(super) fn read(request: &Request, effect: Effect, response: &Response, now: u64) -> Self {
        let body: ErrorBody = serde_json::from_slice(&response.body).unwrap_or_default();
        let nested: ErrorBody = body
            .error
            .and_then(|error| serde_json::from_value(error).ok())
            .unwrap_or_default();
        let code = body
            .id
            .or(nested.id)
            .or_else(|| body.code.and_then(|code| code.as_str().map(str::to_owned)));
        Self {
            method: request.method.clone(),
            path: path_of(&request.url).to_owned(),
            effect,
            status: response.status,
            code: code.filter(|code| is_code(code)),
            after: retry_after(response, now),
            request_id: answer::header(response, "x-request-id")
                .filter(|id| is_identifier(id))
                .map(str::to_owned),
            sentence: body.message.or(nested.message).unwrap_or_default(),
            sent: request
                .body
                .as_deref()
                .map(|body| String::from_utf8_lossy(body).into_owned())
                .unwrap_or_default(),
        }
    }

    /// Whether the provider's sentence holds one of these, in any case.
    pub fn says(&self, any: &[&str]) -> bool {
        let sentence = self.sentence.to_lowercase();
        any.iter()
            .any(|part| sentence.contains(&part.to_lowercase()))
    }

    /// Whether the sentence says that the object can't be changed just now.
    pub fn says_locked(&self) -> bool {
        self.says(&[
            "lock",
            "in progress",
            "not online",
            "not ready",
            "already being",
            "currently being",
            "pending event",
            "try again",
            "maintenance",
        ])
    }

    /// The provider's words, as far as they may be shown; of a server error none are.
    pub fn explanation(&self) -> String {
        let request = self
            .request_id
            .as_ref()
            .map(|id| format!(" (request {id})"))
            .unwrap_or_default();
        let words = if self.status < 500 {
            quote(&self.sentence, &self.sent)
        } else {
            String::new()
        };
        let words = match (words.is_empty(), &self.code) {
            (false, _) => format!(": {words}"),
            (true, Some(code)) => format!(": {code}"),
            (true, None) => String::new(),
        };
        format!("the provider answered {}{words}{request}", self.status)
    }

    /// The error by the status class.
    pub fn by_class(&self) -> Error {
        let explanation = self.explanation();
        match (self.status, self.effect) {
            (401 | 403, _) => Error::Denied(format!(
                "{explanation}; check the provider account's credential and its scopes"
            )),
            (404 | 410, _) => Error::NotFound(explanation),
            (409, Effect::Write) => Error::Conflict(explanation),
            (409, Effect::Read) | (412 | 423 | 425, _) => self.busy(explanation),
            (429, _) => Error::Throttled(Retry {
                message: explanation,
                after: self.after,
            }),
            (400 | 422, Effect::Write) if self.says_locked() => self.busy(explanation),
            (400 | 422, Effect::Write) => invalid("", explanation),
            (408 | 500..=599, Effect::Read) => Error::Unavailable(explanation),
            (408 | 500..=599, Effect::Write) => Error::Ambiguous(explanation),
            _ => Error::Failed(explanation),
        }
    }

    /// Busy, with the retry time that the answer named.
    pub fn busy(&self, message: impl Into<String>) -> Error {
        Error::Busy(Retry {
            message: message.into(),
            after: self.after,
        })
    }

    /// One log line with what an operator needs to ask the provider. It holds nothing of the body.
    pub(super) fn report(&self, host: &dyn Host) {
        let status = self.status.to_string();
        let mut fields = vec![
            ("method", self.method.as_str()),
            ("path", &self.path),
            ("status", &status),
        ];
        if let Some(code) = &self.code {
            fields.push(("code", code));
        }
        if let Some(id) = &self.request_id {
            fields.push(("request", id));
        }
        // Looking for what is not there is the normal course of things.
        let level = if self.status == 404 {
            Level::Debug
        } else {
            Level::Warn
        };
        host.log(level, "the provider refused a request", &fields);
    }
}

fn is_code(text: &str) -> bool {
    (1..=40).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

fn is_identifier(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

fn path_of(url: &str) -> &str {
    let without_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    without_scheme
        .find('/')
        .and_then(|slash| without_scheme.get(slash..))
        .unwrap_or("/")
}

/// `retry-after` in seconds, else `ratelimit-reset` as a time in seconds since the epoch.
fn retry_after(response: &Response, now: u64) -> Option<u64> {
    let seconds = |name| header(response, name)?.trim().parse::<u64>().ok();
    seconds("retry-after")
        .map(|after| after.saturating_mul(1000))
        .or_else(|| {
            (response.status == 429)
                .then(|| seconds("ratelimit-reset"))
                .flatten()
                .map(|reset| reset.saturating_mul(1000).saturating_sub(now))
        })
}
