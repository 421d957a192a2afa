//! Answers as they go out, right ones and distorted ones.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::stream;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::config::Config;
use crate::error::ApiError;
use crate::faults::{Action, FaultBody};
use crate::front::error_body;

/// An answer whose body is whole and known.
pub(crate) struct Sent {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Only half of the body is sent, then the connection closes.
    pub(crate) cut: bool,
}

/// What every error's message repeats of its request.
pub(crate) struct Echo(String);

impl Echo {
    /// What `config` says that errors repeat.
    pub(crate) fn of(config: &Config, parts: &Parts, body: &[u8]) -> Self {
        let secrets = &config.secrets;
        let mut text = String::new();
        if secrets.echo_request {
            text.push_str(" request: ");
            text.push_str(&String::from_utf8_lossy(body));
        }
        if secrets.echo_authorization
            && let Some(value) = parts.headers.get(header::AUTHORIZATION)
        {
            text.push_str(" authorization: ");
            text.push_str(&String::from_utf8_lossy(value.as_bytes()));
        }
        if !secrets.error_canary.is_empty() {
            text.push(' ');
            text.push_str(&secrets.error_canary);
        }
        Self(text)
    }
}

/// An error answer.
pub(crate) fn error(error: &ApiError, request_id: &str, echo: &Echo) -> Sent {
    let message = format!("{}{}", error.message, echo.0);
    let mut headers = json_headers();
    if let Ok(value) = HeaderValue::from_str(request_id) {
        headers.insert("x-request-id", value);
    }
    Sent {
        status: error.status,
        headers,
        body: error_body(error, &message, request_id),
        cut: false,
    }
}

/// An error answer that repeats nothing.
pub(crate) fn whole(refusal: &ApiError, request_id: &str) -> Sent {
    error(refusal, request_id, &Echo(String::new()))
}

fn json_headers() -> HeaderMap {
    let json = HeaderValue::from_static("application/json; charset=utf-8");
    HeaderMap::from_iter([(header::CONTENT_TYPE, json)])
}

/// The answer that a fault makes of a right one.
pub(crate) fn distort(right: Sent, action: &Action) -> Sent {
    let Action::Answer {
        status,
        body,
        headers,
        ..
    } = action
    else {
        return right;
    };
    let mut sent = right;
    let request_id = sent
        .headers
        .get("x-request-id")
        .and_then(|id| id.to_str().ok());
    let request_id = request_id.unwrap_or_default().to_owned();
    let error_of = |message: Option<&str>| {
        let error = ApiError::with_status(
            *status,
            message.unwrap_or("A fault that the test asked for."),
        );
        error_body(&error, &error.message, &request_id)
    };
    let (kind, bytes) = match body {
        FaultBody::Error => (JSON, error_of(None)),
        FaultBody::Message { text } => (JSON, error_of(Some(text))),
        FaultBody::Json { value } => (JSON, value.to_string().into()),
        FaultBody::Text { content_type, text } => (content_type.as_str(), text.clone().into()),
        FaultBody::Html => ("text/html", Bytes::from_static(HTML.as_bytes())),
        FaultBody::Empty => (JSON, Bytes::new()),
        FaultBody::Garbage => (JSON, Bytes::from_static(b"{\"database\":\xff\xfe\x00{{[")),
        FaultBody::Truncated => {
            sent.cut = true;
            (JSON, sent.body.clone())
        }
    };
    sent.status = StatusCode::from_u16(*status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    sent.body = bytes;
    if let Ok(kind) = HeaderValue::from_str(kind) {
        sent.headers.insert(header::CONTENT_TYPE, kind);
    }
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_str(value)) {
            sent.headers.insert(name, value);
        }
    }
    sent
}

const JSON: &str = "application/json; charset=utf-8";
const HTML: &str = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n\
    <center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n";

impl Sent {
    pub(crate) fn into_response(self) -> Response {
        let body = if self.cut {
            cut(&self.body)
        } else {
            Body::from(self.body.clone())
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if self.cut {
            let length = HeaderValue::from(self.body.len());
            response
                .headers_mut()
                .insert(header::CONTENT_LENGTH, length);
        } else {
            response.headers_mut().remove(header::CONTENT_LENGTH);
        }
        response
    }
}

/// The first half of a body, then an error that makes the server close the connection.
fn cut(body: &Bytes) -> Body {
    let half = body.slice(..body.len() / 2);
    let broken = std::io::Error::other("the double cuts this answer");
    Body::from_stream(stream::iter([Ok(half), Err(broken)]))
}
