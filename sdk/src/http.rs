//! Requests to a provider's API.
//!
//! An [`Api`] is a base URL and a dialect. A request is built of path segments, each escaped on its
//! own, so an id with a slash, a dot or a question mark stays one segment of the path it was put
//! into. What goes wrong becomes an error that the host acts on; see [`refusal`].

mod answer;
mod quote;
pub mod refusal;
mod url;

use serde::Serialize;

pub use answer::Answer;
pub use refusal::{Dialect, Refusal};

use crate::host::Host;
use crate::types::{self, Error, HttpError, Retry};

/// Whether a request changes something at the provider. It decides what a lost answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing happens at the provider.
    Read,
    /// Something may have happened.
    Write,
}

/// A provider's API at one origin.
#[derive(Clone, Copy)]
pub struct Api<'a> {
    host: &'a dyn Host,
    origin: &'a str,
    dialect: Dialect,
}

impl<'a> Api<'a> {
    /// The API at `https://host[:port]`, an endpoint of the manifest.
    pub fn new(host: &'a dyn Host, origin: &'a str) -> Self {
        Self {
            host,
            origin,
            dialect: |_| None,
        }
    }

    /// Lets the provider say what a refusal means where its class does not.
    #[must_use]
    pub fn speaking(self, dialect: Dialect) -> Self {
        Self { dialect, ..self }
    }

    /// A `GET` of the path with these segments.
    pub fn get(&self, path: &[&str]) -> Request<'a> {
        self.request("GET", Effect::Read, path)
    }

    /// A `POST` that changes something.
    pub fn post(&self, path: &[&str]) -> Request<'a> {
        self.request("POST", Effect::Write, path)
    }

    /// A `POST` that only reads; the manifest declares it among the reads.
    pub fn post_read(&self, path: &[&str]) -> Request<'a> {
        self.request("POST", Effect::Read, path)
    }

    /// A `PUT`.
    pub fn put(&self, path: &[&str]) -> Request<'a> {
        self.request("PUT", Effect::Write, path)
    }

    /// A `PATCH`.
    pub fn patch(&self, path: &[&str]) -> Request<'a> {
        self.request("PATCH", Effect::Write, path)
    }

    /// A `DELETE`.
    pub fn delete(&self, path: &[&str]) -> Request<'a> {
        self.request("DELETE", Effect::Write, path)
    }

    fn request(&self, method: &'static str, effect: Effect, path: &[&str]) -> Request<'a> {
        Request {
            api: *self,
            method,
            effect,
            url: url::join(self.origin, path),
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            body: Ok(None),
            timeout: None,
        }
    }
}

/// A request that is being built.
pub struct Request<'a> {
    api: Api<'a>,
    method: &'static str,
    effect: Effect,
    url: Result<String, Error>,
    headers: Vec<(String, String)>,
    body: Result<Option<Vec<u8>>, Error>,
    timeout: Option<u64>,
}

impl Request<'_> {
    /// Adds a query parameter.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.url = self.url.map(|url| url::with_query(&url, name, value));
        self
    }

    /// Sends a JSON body.
    #[must_use]
    pub fn body(mut self, body: &impl Serialize) -> Self {
        self.body = serde_json::to_vec(body).map(Some).map_err(|error| {
            Error::Failed(format!(
                "the plugin can't write the request's body: {error}"
            ))
        });
        self.headers
            .push(("content-type".to_owned(), "application/json".to_owned()));
        self
    }

    /// Adds a header. The host drops all but `accept`, `content-type`, `if-match`,
    /// `if-none-match`, `user-agent` and `x-*`.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers
            .push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    /// Milliseconds for the whole exchange; the host's own limit holds if it is lower.
    #[must_use]
    pub fn timeout(mut self, milliseconds: u64) -> Self {
        self.timeout = Some(milliseconds);
        self
    }

    /// Sends it. Ok is an answer of class 2xx; everything else is an error.
    pub fn send(self) -> Result<Answer, Error> {
        let body = self.body?;
        let request = types::Request {
            method: self.method.to_owned(),
            url: self.url?,
            headers: self.headers,
            body: body.clone(),
            timeout: self.timeout,
        };
        let response = self
            .api
            .host
            .send(&request)
            .map_err(|error| not_answered(error, self.effect))?;
        if (200..300).contains(&response.status) {
            return Ok(Answer::new(response, self.effect));
        }
        let refusal = Refusal::read(&request, self.effect, &response, self.api.host.now());
        refusal.report(self.api.host);
        Err((self.api.dialect)(&refusal).unwrap_or_else(|| refusal.by_class()))
    }
}

/// What it means that there is no answer.
fn not_answered(error: HttpError, effect: Effect) -> Error {
    match (error, effect) {
        (HttpError::Refused(why), _) => {
            Error::Failed(format!("the host let the request not go: {why}"))
        }
        (HttpError::Throttled(after), _) => Error::Throttled(Retry {
            message: "the provider account's request budget is empty".to_owned(),
            after: Some(after),
        }),
        (HttpError::Connect(why), _) => {
            Error::Unavailable(format!("no connection to the provider: {why}"))
        }
        (HttpError::Lost(why), Effect::Read) => {
            Error::Unavailable(format!("the provider's answer did not arrive: {why}"))
        }
        (HttpError::Lost(why), Effect::Write) => Error::Ambiguous(format!(
            "the provider's answer did not arrive, it may have acted: {why}"
        )),
        (HttpError::TooLarge(limit), Effect::Read) => Error::Failed(format!(
            "the provider's answer is larger than the {limit} bytes that the host takes"
        )),
        (HttpError::TooLarge(limit), Effect::Write) => Error::Ambiguous(format!(
            "the provider acted, but its answer is larger than the {limit} bytes that the host takes"
        )),
    }
}
