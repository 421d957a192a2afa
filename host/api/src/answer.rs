//! Answers: a use case's output, or a refusal mapped to HTTP. The only place that knows statuses.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use berth_domain::id::RequestId;
use berth_service::{Code, ServiceError};
use serde_json::{Value, json};

/// The header that names a request in answers and logs.
pub(crate) const REQUEST_ID: &str = "x-request-id";

pub(crate) fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidInput => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::AccessDenied | Code::QuotaExceeded => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::Conflict | Code::InvalidState => StatusCode::CONFLICT,
        Code::Unsupported => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The answer to a request, and the one place where a failure of ours is logged.
pub(crate) fn respond(request: &RequestId, result: Result<Value, ServiceError>) -> Response<Body> {
    match result {
        Ok(output) => json_response(request, StatusCode::OK, &output),
        Err(error) => {
            match &error.internal {
                Some(text) if error.code == Code::Internal => {
                    tracing::error!(%request, internal = %text, "request failed")
                }
                Some(text) => {
                    tracing::warn!(%request, code = ?error.code, internal = %text, "request refused for now")
                }
                None => {}
            }
            refuse(request, &error)
        }
    }
}

fn refuse(request: &RequestId, error: &ServiceError) -> Response<Body> {
    let body =
        json!({"error": {"code": error.code, "message": error.message, "details": error.details}});
    let mut response = json_response(request, status(error.code), &body);
    if matches!(error.code, Code::Unavailable | Code::RateLimited) {
        let millis = error
            .details
            .get("retryAfterMs")
            .and_then(Value::as_u64)
            .unwrap_or(1_000);
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(millis.div_ceil(1_000)));
    }
    response
}

fn json_response(request: &RequestId, status: StatusCode, body: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(body.to_string()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Ok(value) = HeaderValue::from_str(request.as_str()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}
