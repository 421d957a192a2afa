//! From a request to an answer.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Path, Request, State};
use axum::http::{HeaderValue, Method as HttpMethod, Response, StatusCode};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use berth_domain::id::RequestId;
use berth_service::{Code, Service, ServiceError};
use serde_json::Value;
use tokio::sync::Semaphore;
use tracing::Instrument;

use crate::answer::respond;
use crate::settings::ApiSettings;
use crate::{guard, methods};

#[derive(Clone)]
struct Shared {
    service: Arc<Service>,
    settings: Arc<ApiSettings>,
    places: Arc<Semaphore>,
}

/// The whole API over a service.
pub fn router(service: Arc<Service>, settings: ApiSettings) -> Router {
    let places = Arc::new(Semaphore::new(settings.concurrency));
    let shared = Shared { service, settings: Arc::new(settings), places };
    Router::new()
        .route("/api/compute/{module}/{method}", any(call))
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .fallback(unknown)
        .with_state(shared)
}

async fn ready(State(shared): State<Shared>) -> impl IntoResponse {
    match shared.service.ping().await {
        Ok(()) => (StatusCode::OK, "ready\n"),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the store does not answer\n"),
    }
}

async fn unknown(State(shared): State<Shared>) -> Response<Body> {
    let error = ServiceError::new(Code::NotFound, "there is nothing at this path; methods are at `POST /api/compute/{module}/{method}`");
    respond(&shared.service.new_request_id(), Err(error.reason("path")))
}

async fn call(State(shared): State<Shared>, Path((module, method)): Path<(String, String)>, request: Request) -> Response<Body> {
    let id = shared.service.new_request_id();
    let span = tracing::info_span!("request", %id, module, method);
    if request.method() != HttpMethod::POST {
        let error = ServiceError::new(Code::InvalidInput, "methods are called by POST with a JSON body").reason("httpMethod");
        let mut response = respond(&id, Err(error));
        response.headers_mut().insert(axum::http::header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let limit = Duration::from_millis(shared.settings.request_timeout_ms);
    // A task of its own: a client that hangs up does not stop what has begun, and a panic stays here.
    let task = tokio::spawn(serve(shared.clone(), id.clone(), module, method, request).instrument(span));
    let result = match tokio::time::timeout(limit, task).await {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => Err(ServiceError::internal(format!("a method panicked: {panic}"))),
        Err(_) => Err(ServiceError::new(
            Code::Unavailable,
            "the request took longer than `api.requestTimeoutMs`; what it began may still be recorded: look before you try again, with the same idempotencyKey",
        )),
    };
    respond(&id, result)
}

async fn serve(shared: Shared, id: RequestId, module: String, name: String, request: Request) -> Result<Value, ServiceError> {
    let _place = shared.places.try_acquire().map_err(|_| {
        ServiceError::new(Code::RateLimited, "the host serves as many requests as `api.concurrency` allows; try again shortly").with("retryAfterMs", 1_000)
    })?;
    let (parts, body) = request.into_parts();
    let method = methods::find(&module, &name)?;
    let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let caller = shared.service.authenticate(guard::bearer(&parts.headers)?, id, peer).await?;
    guard::content_type(&parts.headers)?;
    let (limit, setting) = if (method.module, method.name) == ("plugins", "install") {
        (shared.settings.install_body_limit, "api.installBodyLimit")
    } else {
        (shared.settings.body_limit, "api.bodyLimit")
    };
    let bytes = guard::read(body, limit, setting).await?;
    (method.call)(shared.service.clone(), caller, bytes).await
}
