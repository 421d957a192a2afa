//! A request that a test expects, and the provider's answer to it.

use std::fmt;

use serde_json::Value;

use crate::types::{HttpError, Manifest, Request, Response};

/// One expected request and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    method: String,
    path: String,
    body: Option<Value>,
    answer: Result<Response, HttpError>,
}

/// A request of this method for this path, query included, escaped as it is sent. Without more said
/// it is answered 204.
pub fn exchange(method: &str, path: &str) -> Exchange {
    Exchange {
        method: method.to_owned(),
        path: path.to_owned(),
        body: None,
        answer: Ok(Response {
            status: 204,
            headers: Vec::new(),
            body: Vec::new(),
        }),
    }
}

impl Exchange {
    /// The request must carry exactly this body.
    #[must_use]
    pub fn sending(mut self, body: &Value) -> Self {
        self.body = Some(body.clone());
        self
    }

    /// Answers with JSON.
    #[must_use]
    pub fn answers(self, status: u16, body: &Value) -> Self {
        self.answers_text(status, &body.to_string())
    }

    /// Answers with any text: HTML, half a JSON document, nothing.
    #[must_use]
    pub fn answers_text(mut self, status: u16, body: &str) -> Self {
        self.answer = Ok(Response {
            status,
            headers: Vec::new(),
            body: body.as_bytes().to_vec(),
        });
        self
    }

    /// Adds a header to the answer.
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        if let Ok(response) = &mut self.answer {
            response.headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// There is no answer.
    #[must_use]
    pub fn fails(mut self, error: HttpError) -> Self {
        self.answer = Err(error);
        self
    }

    pub(super) fn meet(
        self,
        manifest: &Manifest,
        request: &Request,
    ) -> Result<Response, HttpError> {
        let path = manifest
            .endpoints
            .iter()
            .find_map(|endpoint| request.url.strip_prefix(&endpoint.origin))
            .unwrap_or(&request.url);
        assert!(
            request.method == self.method && path == self.path,
            "expected {self}\nbut the plugin sent {}",
            shown(request)
        );
        if let Some(expected) = self.body {
            let sent: Value = serde_json::from_slice(request.body.as_deref().unwrap_or_default())
                .unwrap_or_default();
            assert_eq!(sent, expected, "the body of {} {path}", request.method);
        }
        self.answer
    }
}

impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

pub(super) fn shown(request: &Request) -> String {
    let body = String::from_utf8_lossy(request.body.as_deref().unwrap_or_default());
    format!("{} {} {body}", request.method, request.url)
}
