//! A caller of the host's HTTP API.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

/// No call of a test takes longer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// What all callers of one world share.
pub(crate) struct Line {
    http: reqwest::Client,
    /// Changes when the host is started anew.
    origin: Mutex<String>,
    /// Every answer that may be kept, as text.
    heard: Mutex<Vec<String>>,
}

impl Line {
    pub(crate) fn new() -> Arc<Self> {
        let http = reqwest::Client::builder()
            .no_proxy()
            .timeout(TIMEOUT)
            .build()
            .unwrap_or_else(|error| panic!("can't make an HTTP client: {error}"));
        Arc::new(Self {
            http,
            origin: Mutex::default(),
            heard: Mutex::default(),
        })
    }

    pub(crate) fn leads_to(&self, origin: &str) {
        origin.clone_into(&mut self.origin.lock().unwrap_or_else(PoisonError::into_inner));
    }

    pub(crate) fn origin(&self) -> String {
        self.origin
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Every answer so far, save those that show a secret on purpose.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// The API as one caller. Clones are the same caller.
#[derive(Clone)]
pub struct Api {
    line: Arc<Line>,
    token: String,
}

/// An answer as it came.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub text: String,
}

/// The refusal of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// Such as `INVALID_INPUT`.
    pub code: String,
    /// For people.
    pub message: String,
    /// What else there is to say.
    pub details: Box<Value>,
}

impl Refusal {
    /// The path of the wrong input in `details.field`, such as `spec.region`, or nothing.
    #[must_use]
    pub fn field(&self) -> String {
        let pointer = self.details["field"].as_str().unwrap_or_default();
        pointer.trim_start_matches('/').replace('/', ".")
    }

    /// Panics unless this is the refusal of a wrong input at that path, with the status of one.
    pub fn is_invalid_at(&self, path: &str) {
        assert_eq!(
            (self.code.as_str(), self.status),
            ("INVALID_INPUT", 400),
            "{self:#?}"
        );
        assert_eq!(self.field(), path, "{self:#?}");
    }

    /// Panics unless the code and the reason are these; an empty reason is any.
    pub fn is(&self, code: &str, reason: &str) {
        assert_eq!(self.code, code, "{self:#?}");
        assert_eq!(Some(self.status), status_of(code), "{self:#?}");
        assert!(
            reason.is_empty() || self.reason() == reason,
            "the reason is not {reason}: {self:#?}"
        );
    }

    /// `details.reason`, or nothing.
    #[must_use]
    pub fn reason(&self) -> &str {
        self.details["reason"].as_str().unwrap_or_default()
    }
}

/// The HTTP status of each code of the API.
fn status_of(code: &str) -> Option<u16> {
    Some(match code {
        "INVALID_INPUT" => 400,
        "UNAUTHENTICATED" => 401,
        "ACCESS_DENIED" | "QUOTA_EXCEEDED" => 403,
        "NOT_FOUND" => 404,
        "CONFLICT" | "INVALID_STATE" => 409,
        "UNSUPPORTED" => 422,
        "RATE_LIMITED" => 429,
        "INTERNAL" => 500,
        "UNAVAILABLE" => 503,
        _ => return None,
    })
}

impl Answer {
    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|_| panic!("an answer ({}) is no JSON: {:?}", self.status, self.text))
    }

    /// The output of a call that went well, or its refusal.
    ///
    /// # Errors
    /// The refusal.
    ///
    /// # Panics
    /// When it is neither.
    pub fn result(&self) -> Result<Value, Refusal> {
        let json = self.json();
        if self.status == 200 {
            return Ok(json);
        }
        let error = &json["error"];
        let text = |name: &str| match error[name].as_str() {
            Some(text) if !text.is_empty() => text.to_owned(),
            _ => panic!("a refusal ({}) has no {name}: {json}", self.status),
        };
        assert!(
            error["details"].is_object(),
            "a refusal has no details: {json}"
        );
        Err(Refusal {
            status: self.status,
            code: text("code"),
            message: text("message"),
            details: Box::new(error["details"].clone()),
        })
    }
}

impl Api {
    pub(crate) fn new(line: Arc<Line>, token: &str) -> Self {
        Self {
            line,
            token: token.to_owned(),
        }
    }

    /// The same host, another token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: token.to_owned(),
            ..self.clone()
        }
    }

    /// The bearer token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The origin of the host, such as `http://127.0.0.1:40123`.
    #[must_use]
    pub fn origin(&self) -> String {
        self.line.origin()
    }

    /// Calls a method such as `cloudResources/create`, and says how the connection failed if it did.
    ///
    /// # Errors
    /// When no whole answer came.
    pub async fn try_call(&self, method: &str, body: &Value) -> Result<Answer, reqwest::Error> {
        let bearer = format!("Bearer {}", self.token);
        let headers = [
            (AUTHORIZATION, bearer.as_str()),
            (CONTENT_TYPE, "application/json"),
        ];
        let answer = self
            .send_raw(method, &headers, body.to_string().into())
            .await?;
        if method != "secrets/reveal" && !method.ends_with("/createToken") {
            let mut heard = self
                .line
                .heard
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            heard.push(answer.text.clone());
        }
        Ok(answer)
    }

    /// Sends these headers and this body to a method, whatever they are.
    ///
    /// # Errors
    /// When no whole answer came.
    ///
    /// # Panics
    /// When a header can't be one.
    pub async fn send_raw(
        &self,
        method: &str,
        headers: &[(HeaderName, &str)],
        body: reqwest::Body,
    ) -> Result<Answer, reqwest::Error> {
        let url = format!("{}/api/compute/{method}", self.line.origin());
        let mut request = self.line.http.post(url).body(body);
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).unwrap_or_else(|error| panic!("{error}"));
            request = request.header(name, value);
        }
        let response = request.send().await?;
        Ok(Answer {
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await?,
        })
    }

    /// Calls a method.
    ///
    /// # Errors
    /// Its refusal.
    ///
    /// # Panics
    /// When no answer came, or one of another shape.
    pub async fn call(&self, method: &str, body: &Value) -> Result<Value, Refusal> {
        let answer = self.try_call(method, body).await;
        answer
            .unwrap_or_else(|error| panic!("{method} got no answer: {error:?}"))
            .result()
    }

    /// Calls a method that goes well.
    ///
    /// # Panics
    /// When it is refused.
    pub async fn ok(&self, method: &str, body: &Value) -> Value {
        self.call(method, body)
            .await
            .unwrap_or_else(|refusal| panic!("{method} was refused: {refusal:#?}\nasked: {body:#}"))
    }

    /// Calls a method that is refused.
    ///
    /// # Panics
    /// When it goes well.
    pub async fn refused(&self, method: &str, body: &Value) -> Refusal {
        match self.call(method, body).await {
            Err(refusal) => refusal,
            Ok(output) => panic!("{method} went well: {output:#}\nasked: {body:#}"),
        }
    }
}
