//! Errors as the provider words them, and plain answers.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;

/// An error answer. Its body is written at the edge, where the request id is known.
#[derive(Clone, Debug)]
pub(crate) struct ApiError {
    pub(crate) status: StatusCode,
    pub(crate) id: &'static str,
    pub(crate) message: String,
}

impl ApiError {
    fn new(status: StatusCode, id: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            id,
            message: message.into(),
        }
    }

    /// An error of a status that a test chose.
    pub(crate) fn with_status(status: u16, message: impl Into<String>) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(status, id_of(status), message)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "The resource you requested could not be found.",
        )
    }

    pub(crate) fn no_such_path() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            "not_found",
            "The resource you were accessing could not be found.",
        )
    }

    pub(crate) fn wrong_method() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "method_not_allowed",
            "The method isn't allowed for this path.",
        )
    }

    pub(crate) fn unauthorized() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "Unable to authenticate you.",
        )
    }

    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    pub(crate) fn unprocessable(message: impl Into<String>) -> Self {
        Self::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "unprocessable_entity",
            message,
        )
    }

    pub(crate) fn conflict(message: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, "conflict", message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub(crate) fn too_many_requests() -> Self {
        Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "too_many_requests",
            "API Rate limit exceeded.",
        )
    }
}

/// The id of errors that are written in the nested shape of agents.
pub(crate) const NESTED: &str = "nested";

/// The `id` that the provider gives to errors of a status.
pub(crate) fn id_of(status: StatusCode) -> &'static str {
    match status.as_u16() {
        400 => "bad_request",
        401 => "unauthorized",
        403 => "forbidden",
        404 => "not_found",
        405 => "method_not_allowed",
        409 => "conflict",
        410 => "gone",
        412 => "precondition_failed",
        413 => "request_entity_too_large",
        415 => "unsupported_media_type",
        422 => "unprocessable_entity",
        423 => "locked",
        429 => "too_many_requests",
        503 => "service_unavailable",
        _ => "server_error",
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// What handlers answer with.
pub(crate) type Answer = Result<Response, ApiError>;

/// An answer of JSON text.
pub(crate) fn text(status: StatusCode, json: String) -> Response {
    let mut response = Response::new(Body::from(json));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json; charset=utf-8"),
    );
    response
}

/// An answer of JSON.
pub(crate) fn json(status: StatusCode, value: &Value) -> Response {
    text(status, value.to_string())
}

/// An answer without a body.
pub(crate) fn empty(status: StatusCode) -> Response {
    status.into_response()
}
